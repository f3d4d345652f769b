/** Lifetime of the credentials cookies in seconds: one year, as specified. */
export const YEAR_SECONDS = 365 * 24 * 60 * 60

/** Returns one cookie of a `document.cookie` text. */
export function findCookie(jar: string, name: string) {
  for (const pair of jar.split('; ')) {
    const at = pair.indexOf('=')
    if (pair.slice(0, at) === name) return decodeCookieValue(pair.slice(at + 1))
  }
  return ''
}

export const readCookie = (name: string) => findCookie(document.cookie, name)

export function writeCookie(name: string, value: string, maxAge: number) {
  const secure = location.protocol === 'https:' ? '; secure' : ''
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not available in all supported browsers
  document.cookie = `${name}=${encodeURIComponent(value)}; path=/; max-age=${maxAge}; samesite=lax${secure}`
}

export const removeCookie = (name: string) => writeCookie(name, '', 0)

// A foreign cookie may contain an invalid percent-encoding.
function decodeCookieValue(value: string) {
  try {
    return decodeURIComponent(value)
  } catch {
    return value
  }
}
