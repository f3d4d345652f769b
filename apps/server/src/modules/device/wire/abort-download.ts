import type { IncomingMessage, ServerResponse } from 'node:http'
import type { SendPlan } from '#core/storage/send.ts'

/** Maximum number of delayed downloads. More would take connections from devices that are served. */
const MAX_HELD = 500
let held = 0

/** True for a download request of a component by a DDI client. */
export const isArtifactDownload = ({ method, url = '' }: IncomingMessage) =>
  method === 'GET' && url.includes('/controller/v1/') && url.includes('/artifacts/')

/** True for a range request with both ends, as sent by clients that read the file like a disk (RAUC streaming). */
export const isPartialDownload = (request: IncomingMessage) =>
  isArtifactDownload(request) && /^bytes=\s*\d+-\d+\s*$/i.test(request.headers.range ?? '')

/**
 * Starts the response to a download that must wait and aborts the connection before the first byte. SWUpdate treats
 * every response at this URL as the image and fails permanently, whatever the status. rauc-hawkbit-updater fails for
 * every status but success. Both resume an aborted download when configured as in docs/guides/connect-swupdate.md and
 * docs/guides/connect-rauc.md. A proxy forwards an aborted response, but turns a closed connection into a 502. `plan`
 * contains the headers; without `plan` the connection is reset, which suffices without a proxy.
 */
export function abortDownload(response: ServerResponse, plan: SendPlan | undefined, holdMs: number) {
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
