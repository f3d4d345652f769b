import type { IncomingMessage } from 'node:http'

/**
 * Returns the first header with this name. Avoids `headers`, whose first access parses all headers into an object.
 */
export function readRawHeader({ rawHeaders }: IncomingMessage, name: string): string | undefined {
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const each = rawHeaders[i]!
    if (each.length === name.length && each.toLowerCase() === name) return rawHeaders[i + 1]
  }
  return undefined
}

/** The token of `Authorization: Bearer …`; empty when there is none. */
export const readBearerToken = (request: IncomingMessage) =>
  (/^bearer\s(.+)$/i.exec(readRawHeader(request, 'authorization') ?? '')?.[1] ?? '').trim()

/** Returns true when a list of entity tags contains this tag, with or without quotes. */
export const hasEntityTag = (header: string | undefined, etag: string) =>
  header !== undefined && header.split(',').some((each) => each.trim().replace(/^W\//, '').replaceAll('"', '') === etag)
