/**
 * Kinds of failures: `address` (invalid, unknown, refused or forbidden), `time` (a limit passed), `size`,
 * `connection` (lost while the response was read), `cancelled` (by the caller's signal).
 */
type OutboundFailure = 'address' | 'time' | 'size' | 'connection' | 'cancelled'

/** Failure of an outbound request, with a message for people that contains no header and no body. */
export class OutboundError extends Error {
  override readonly name = 'OutboundError'
  readonly kind: OutboundFailure

  constructor(kind: OutboundFailure, message: string) {
    super(message)
    this.kind = kind
  }
}

const WORDS: Readonly<Record<string, string>> = {
  ENOTFOUND: '域名无法解析',
  EAI_AGAIN: '域名暂时无法解析',
  ECONNREFUSED: '连接被拒绝',
  EHOSTUNREACH: '主机不可达',
  ENETUNREACH: '网络不可达',
  CERT_HAS_EXPIRED: '服务器证书已过期',
  DEPTH_ZERO_SELF_SIGNED_CERT: '服务器证书为自签名',
  SELF_SIGNED_CERT_IN_CHAIN: '服务器证书链不受信任',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: '服务器证书链不完整',
  ERR_TLS_CERT_ALTNAME_INVALID: '服务器证书与域名不符',
  EPROTO: '对方不是 HTTPS 服务',
  ERR_SSL_WRONG_VERSION_NUMBER: '对方不是 HTTPS 服务',
}

/** Returns the failure of a socket error. Errors after the first byte of a response are lost connections. */
export function toOutboundError(error: unknown, hasResponse: boolean): OutboundError {
  if (error instanceof OutboundError) return error
  const cause = error instanceof AggregateError ? error.errors[0] : error
  const code = String((cause as NodeJS.ErrnoException | undefined)?.code ?? '')
  const words = WORDS[code]
  if (words !== undefined) return new OutboundError('address', words)
  return hasResponse
    ? new OutboundError('connection', '连接中断')
    : new OutboundError('address', code === 'ECONNRESET' ? '连接被对方断开' : `连接失败${code ? `（${code}）` : ''}`)
}
