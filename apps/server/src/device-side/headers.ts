import type { IncomingMessage } from 'node:http'

/** The first header of this name, as it came: the first look at `headers` would read all of them into an object. */
export function rawHeader({ rawHeaders }: IncomingMessage, name: string): string | undefined {
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const each = rawHeaders[i]!
    if (each.length === name.length && each.toLowerCase() === name) return rawHeaders[i + 1]
  }
  return undefined
}
