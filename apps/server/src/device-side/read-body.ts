import type { IncomingMessage } from 'node:http'
import { CONTROL, DeviceProblem, wrong } from './answer.ts'

/** Larger than any report a client was seen to send; SWUpdate's logs are some kilobytes. */
const MAX_BODY = 256 * 1024
const BODY_WITHIN_MS = 30_000
const SWEEP_MS = 5_000

/** Bodies under way, and since when. One clock for all of them: a timer each would cost more than a usual body. */
const underWay = new Map<IncomingMessage, number>()
let sweeper: NodeJS.Timeout | undefined

/** The whole body as text; a slow or endless one is cut. Listeners, not an iterator: this is on every device's path. */
export function readText(request: IncomingMessage): Promise<string> {
  sweeper ??= setInterval(cutSlow, SWEEP_MS).unref()
  return new Promise((done, fail) => {
    const chunks: Buffer[] = []
    let size = 0
    underWay.set(request, performance.now())
    const take = (chunk: Buffer) => {
      size += chunk.length
      if (size <= MAX_BODY) return void chunks.push(chunk)
      // What still comes is read and dropped, so that the answer can be read at the other end.
      request.off('data', take).resume()
      fail(new DeviceProblem(413, 'body too large'))
    }
    request
      .on('data', take)
      .on('end', () => done(chunks.length === 1 ? chunks[0]!.toString('utf8') : Buffer.concat(chunks).toString('utf8')))
      .on('error', fail)
      .on('close', () => {
        underWay.delete(request)
        if (!request.complete) fail(new DeviceProblem(400, 'the body was cut'))
      })
  })
}

function cutSlow() {
  const since = performance.now() - BODY_WITHIN_MS
  for (const [request, started] of underWay) {
    if (started > since) return
    request.destroy()
  }
}

/** A JSON object. Real clients put raw line ends into strings just when they report a failure: those are repaired. */
export async function readObject(request: IncomingMessage): Promise<Record<string, unknown>> {
  const found = parsed(await readText(request))
  if (found === undefined) throw wrong('the body is not JSON')
  if (typeof found !== 'object' || found === null || Array.isArray(found)) throw wrong('the body must be a JSON object')
  return found as Record<string, unknown>
}

/** What the text says, repaired where need be; undefined: it is no JSON even so. */
export const parsed = (text: string): unknown => json(text) ?? json(repaired(text))

function json(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Control characters become spaces, and backslashes that start no escape stand for themselves. */
const repaired = (text: string) =>
  text
    .replaceAll(CONTROL, ' ')
    .replace(/^\ufeff/, '')
    .replaceAll(/\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})|\\/g, (found) => (found === '\\' ? '\\\\' : found))
