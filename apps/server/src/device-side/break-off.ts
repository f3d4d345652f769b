import type { IncomingMessage, ServerResponse } from 'node:http'

/** A download that has to wait is kept this long before it is sent round again. */
const HOLD_MS = 15_000
/** More than these are sent round at once: they would take the place of devices that are served. */
const MAX_HELD = 500
let held = 0

/** The bytes of a component, as DDI clients fetch them. */
export const isArtifact = ({ method, url = '' }: IncomingMessage) =>
  method === 'GET' && url.includes('/controller/v1/') && url.includes('/artifacts/')

/**
 * Not now, but likely soon: ends the connection after a while without a word. SWUpdate takes whatever is answered at this
 * address for the image, whatever the status, and fails for good; a connection that broke it takes up again where it
 * stopped, ten times as docs/device-protocols.md sets it up.
 */
export function breakOff(response: ServerResponse) {
  if (response.destroyed || response.headersSent || held >= MAX_HELD) return void response.destroy()
  held += 1
  const timer = setTimeout(() => response.destroy(), HOLD_MS).unref()
  response.once('close', () => {
    held -= 1
    clearTimeout(timer)
  })
}
