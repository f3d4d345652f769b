import type { IncomingMessage, ServerResponse } from 'node:http'
import type { SendPlan } from '#kernel/files/send.ts'

/** More than these are sent round at once: they would take the place of devices that are served. */
const MAX_HELD = 500
let held = 0

/** The bytes of a component, as DDI clients fetch them. */
export const isArtifact = ({ method, url = '' }: IncomingMessage) =>
  method === 'GET' && url.includes('/controller/v1/') && url.includes('/artifacts/')

/** Bytes from here to there, as who reads a file like a disk asks for them (RAUC that streams its bundle). */
export const isPiece = (request: IncomingMessage) =>
  isArtifact(request) && /^bytes=\s*\d+-\d+\s*$/.test(request.headers.range ?? '')

/**
 * Not now, but likely soon: begins the answer after a while and breaks it off before its first byte. SWUpdate takes
 * whatever is answered at this address for the image, whatever the status, and fails for good, and so does
 * rauc-hawkbit-updater with any status but success; an answer that broke off both take up again where it stopped, as
 * docs/device-protocols.md sets them up. A proxy in front passes it on as it is, where it would turn a connection closed
 * without a word into a 502. `plan` says how the answer begins; where that is not known the connection is reset, which
 * without a proxy does as well.
 */
export function breakOff(response: ServerResponse, plan: SendPlan | undefined, holdMs: number) {
  if (response.destroyed || response.headersSent) return void response.destroy()
  if (held >= MAX_HELD) return end(response, plan)
  held += 1
  const timer = setTimeout(() => end(response, plan), holdMs).unref()
  response.once('close', () => {
    held -= 1
    clearTimeout(timer)
  })
}

function end(response: ServerResponse, plan: SendPlan | undefined) {
  const { socket } = response
  if (plan && !plan.range) return void response.writeHead(plan.status, plan.headers).end()
  if (!plan) return void (socket ? socket.resetAndDestroy() : response.destroy())
  response.writeHead(plan.status, { ...plan.headers, connection: 'close' }).flushHeaders()
  socket?.destroySoon()
}
