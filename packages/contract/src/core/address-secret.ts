const SCHEME = /^\s*[a-z][a-z0-9+.-]{0,20}:[/\\]/i
/** User name and password before the host of an address with a scheme. */
const USER_INFO = /\b([a-z][a-z0-9+.-]{0,20}:[/\\]{2})([^\s/\\?#@"'<>]*(?:@[^\s/\\?#@"'<>]*)*)@/gi
const QUERY_PARAMETER = /([?&#;])([^\s=&#?;"']{1,100})=([^\s&#"']+)/g
/** Names of query parameters whose values are credentials: `key`, `api_key`, `accessToken`, `x-api-key`, `pwd`. */
const SECRET_NAME =
  /^(?:x[-_])?(?:api|access|app|auth|bearer|client|private|refresh|secret|security|session|subscription|user)?[-_]?(?:access[-_]?)?(?:key|token|secret|secretkey|password|passwd|passwort|pswd|pwd|credential|authorization)$/i

const MASK = '******'

/** Decodes percent-encoding, so that `%6bey` is read as `key`. Invalid encoding is returned unchanged. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

const isSecretName = (name: string) => SECRET_NAME.test(decoded(name))

/** Returns whether a text is an address with a scheme. */
export const hasUrlScheme = (text: string) => SCHEME.test(text)

/**
 * Returns the credential that an address contains: `用户名和密码`, or the query parameter as `参数 key`. Returns
 * undefined for an address without a credential.
 */
export function findAddressSecret(address: string): string | undefined {
  const text = hasUrlScheme(address) ? address : `any://${address.trim()}`
  if (text.search(USER_INFO) >= 0) return '用户名和密码'
  const found = [...text.matchAll(QUERY_PARAMETER)].find(([, , name = '']) => isSecretName(name))
  return found && `参数 ${decoded(found[2] ?? '')}`
}

/**
 * Masks the credentials of every URL in a text. Recognises only URLs with a scheme. Other text is returned unchanged.
 */
export function maskAddressSecrets(text: string): string {
  if (!text.includes(':/') && !text.includes(':\\')) return text
  return text
    .replaceAll(USER_INFO, (_whole, scheme: string) => `${scheme}${MASK}@`)
    .replaceAll(QUERY_PARAMETER, (whole, mark: string, name: string) =>
      isSecretName(name) ? `${mark}${name}=${MASK}` : whole,
    )
}
