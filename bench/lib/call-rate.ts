import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

const CONNECTIONS = 50
const WARM_UP_MS = 1000

/** A POST request of a device. */
export interface Call {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface Rate {
  /** Responses per second. */
  readonly perSecond: number
  /** 99th percentile of the response times in milliseconds. */
  readonly p99: number
  /** Bytes of the last response. */
  readonly bytes: number
}

interface Load {
  readonly next: () => Call
  /** Text that a correct response contains. */
  readonly expected: string
  /** Requests per second. By default, each connection sends its next request after each response. */
  readonly perSecond?: number
}

/**
 * Sends requests on 50 connections. Throws for a wrong response. With `perSecond`, the response times include the wait
 * for a connection, and one second of requests, in which all connections are opened, precedes the measurement.
 */
export async function rateOf(url: string, seconds: number, { next, expected, perSecond }: Load): Promise<Rate> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
  const open = performance.now()
  const start = perSecond === undefined ? open : open + WARM_UP_MS
  const times: number[] = []
  let [slots, bytes] = [0, 0]
  const nextStart = () => (perSecond === undefined ? performance.now() : open + (slots++ * 1000) / perSecond)
  const lane = async () => {
    for (let from = nextStart(); from < start + seconds * 1000; from = nextStart()) {
      if (from > performance.now()) await sleep(from - performance.now())
      const answer = await send(url, agent, next())
      if (from >= start) times.push(performance.now() - from)
      if (!answer.includes(expected)) throw new Error(`unexpected answer: ${answer.slice(0, 200)}`)
      bytes = Buffer.byteLength(answer)
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, lane))
  agent.destroy()
  times.sort((a, b) => a - b)
  return { perSecond: times.length / seconds, p99: times[Math.floor(times.length * 0.99)] ?? Number.NaN, bytes }
}

const send = (url: string, agent: Agent, { path, headers, body }: Call) =>
  new Promise<string>((done, fail) => {
    const length = { 'content-length': Buffer.byteLength(body) }
    request(`${url}${path}`, { method: 'POST', agent, headers: { ...headers, ...length } }, (reply) => {
      const chunks: Buffer[] = []
      reply.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', fail)
      reply.on('end', () => {
        const text = Buffer.concat(chunks).toString()
        return reply.statusCode === 200 ? done(text) : fail(new Error(`${path}: ${reply.statusCode} ${text}`))
      })
    })
      .on('error', fail)
      .end(body)
  })
