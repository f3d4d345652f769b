import type { Endpoint } from '@oms/contract/core/endpoint.ts'
import type { FastifyRequest } from 'fastify'
import { expired, forbidden, HttpError, refused, suspended } from '#core/http/api-error.ts'
import type { User } from '#core/http/context.ts'
import { limitSession, limitUnknownSessions } from '#core/http/limits/call-limits.ts'
import type { Services } from '#core/services.ts'
import { isApiToken, isOpenToTokens } from './api-tokens.ts'
import { assertSeesAllTenants, changesSharedData } from '#core/tenancy/tenancy.ts'

/** Name of the HttpOnly cookie that a console session is bound to. */
export const SESSION_COOKIE = 'oms_session'

/**
 * Returns the token of a request from the header `ticket` or from a bearer token. Other sites cannot send these
 * headers.
 */
export function readSessionTicket(request: FastifyRequest): string | undefined {
  const { ticket, authorization } = request.headers
  if (typeof ticket === 'string' && ticket) return ticket
  return authorization?.startsWith('Bearer ') ? authorization.slice(7).trim() : undefined
}

/**
 * Returns the account that sent this request, or null for an anonymous public call. Checks in this order: rate limit,
 * session, account and tenant, permission. Sets `request.caller` as soon as the session is known, so that refusals name
 * the account.
 */
export async function authenticate(
  services: Services,
  request: FastifyRequest,
  endpoint: Endpoint,
): Promise<User | null> {
  const cookie = request.cookies[SESSION_COOKIE]
  const ticket = readSessionTicket(request)
  // An `<img>` request sends no headers. Only file downloads may therefore authenticate by the cookie alone.
  const byCookie = !ticket && endpoint.stream === 'download' && endpoint.method === 'GET'
  const found = await limitUnknownSessions(services, request, { ticket, cookie: byCookie ? cookie : undefined }, () =>
    isApiToken(ticket)
      ? services.apiTokens.authenticate(ticket, request.clientAddress)
      : byCookie
        ? services.sessions.authenticateCookie(cookie)
        : services.sessions.authenticate(ticket, cookie),
  )
  if (endpoint.access === 'public') {
    if (!found.user || found.rights.suspendedReason) return null
    limitSession(services, endpoint, found.user)
    return found.user
  }
  if (!found.user) {
    if (found.reason === 'suspended') throw suspended(found.because)
    if (found.reason === 'token') throw expired(found.because)
    if (found.reason === 'ended') throw new HttpError(401, '你已被登出，请重新登录')
    throw expired()
  }
  request.caller = found.user
  limitSession(services, endpoint, found.user)
  if (found.rights.suspendedReason) throw suspended(found.rights.suspendedReason)
  assertOwner(request, found.user)
  if (found.user.tokenName !== undefined && !isOpenToTokens(endpoint)) throw refused('此操作不能使用访问令牌')
  if (found.user.mustChangePassword && !endpoint.beforeSetup) throw refused('请先修改初始密码')
  if (endpoint.access !== 'session' && !found.user.can(endpoint.access)) throw forbidden()
  if (changesSharedData(found.user, endpoint)) assertSeesAllTenants(found.user)
  return found.user
}

/**
 * Refuses a request whose header `ownerId` (the tenant that the page shows) differs from the tenant of the session. The
 * console must send the header while the session works in another tenant. Pages of the home tenant then cannot write to
 * the other tenant.
 */
function assertOwner(request: FastifyRequest, user: User) {
  const owner = request.headers.ownerid ?? ''
  const isAway = user.tenantId !== user.homeTenantId
  if (owner === '' && !(isAway && request.headers['x-client'] === 'console')) return
  if (String(owner) !== String(user.tenantId ?? '')) {
    request.log.warn(
      { account: user.account, ownerId: String(owner).slice(0, 20) },
      'ownerId does not match the session',
    )
    throw suspended('所属客户与登录信息不一致，请重新登录')
  }
}
