/**
 * Returns the URL of a request as the routers expect it: without scheme and host, which RFC 9112 allows every client to
 * send, without empty path segments, and without escaped letters and digits in the path.
 */
export function normalizeUrl(url: string): string {
  if (url.startsWith('/') && !url.includes('//') && !url.includes('%')) return url
  const bare = url.replace(/^https?:\/\/[^/?]*/i, '')
  const end = bare.search(/\?|$/)
  const path = bare
    .slice(0, end)
    .replaceAll(/\/{2,}/g, '/')
    .replaceAll(ESCAPED_ALPHANUMERIC, decodeURIComponent)
  return (path || '/') + bare.slice(end)
}

const ESCAPED_ALPHANUMERIC = /%(?:3\d|[46][1-9a-f]|[57][\da])/gi

const DEVICE_PATH = /^((?:\/[^/?]+)?)\/(controller\/v1|device\/v1|xiaozhi)(?:\/|(?=\?)|$)/i
const DEVICE_PREFIX = /(?:controller\/v1|device\/v1|xiaozhi)(?:\/|$)/i

/** Returns true for a decoded path that contains the prefix of device calls, also at a wrong place. */
export const containsDevicePrefix = (path: string) => DEVICE_PREFIX.test(path)

/**
 * Returns the URL of a device call with the prefix in lower case, or undefined for other URLs. Takes a normalised URL.
 * Only the prefix `controller` follows a tenant segment.
 */
export function readDeviceUrl(url: string): string | undefined {
  const [matched, tenant, prefix] = DEVICE_PATH.exec(url) ?? []
  if (matched === undefined || (tenant !== '' && !/^c/i.test(prefix!))) return undefined
  return `${tenant}/${prefix!.toLowerCase()}/${url.slice(matched.length)}`
}
