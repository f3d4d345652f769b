import type { Endpoint } from '@oms/contract/kernel/endpoint.ts'
import type { FastifyRequest } from 'fastify'
import type { User } from './context.ts'
import type { Kernel } from './kernel.ts'
import { barred, expired, forbidden, refused, TransportProblem } from './problem.ts'

/** The HttpOnly cookie a console session is bound to. */
export const SESSION_COOKIE = 'oms_session'

/** The token of a request: the header `ticket`, or the same as a bearer token. A header, so no other site can send it. */
export function ticketOf(request: FastifyRequest): string | undefined {
  const { ticket, authorization } = request.headers
  if (typeof ticket === 'string' && ticket) return ticket
  return authorization?.startsWith('Bearer ') ? authorization.slice(7).trim() : undefined
}

/** Who calls, allowed to call this: session, then account and tenant, then permission. Null for a public call by a stranger. */
export async function admit(kernel: Kernel, request: FastifyRequest, endpoint: Endpoint): Promise<User | null> {
  const cookie = request.cookies[SESSION_COOKIE]
  const ticket = ticketOf(request)
  // A picture in a page sends no headers: the cookie alone may fetch a file, and nothing else.
  const byCookie = !ticket && endpoint.stream === 'download' && endpoint.method === 'GET'
  const found = byCookie ? await kernel.sessions.admitCookie(cookie) : await kernel.sessions.admit(ticket, cookie)
  if (endpoint.access === 'public')
    return found.user && 'rights' in found && !found.rights.barredBecause ? found.user : null
  if (!found.user) {
    if (found.reason === 'barred') throw barred(found.because)
    if (found.reason === 'ended') throw new TransportProblem(401, '你已被登出，请重新登录')
    throw expired()
  }
  if (found.rights.barredBecause) throw barred(found.rights.barredBecause)
  assertOwner(request, found.user)
  if (found.user.mustChangePassword && !endpoint.beforeSetup) throw refused('请先修改初始密码')
  if (endpoint.access !== 'session' && !found.user.can(endpoint.access)) throw forbidden()
  return found.user
}

/** The header `ownerId` is a hint: it must agree with the session, which alone decides. */
function assertOwner(request: FastifyRequest, user: User) {
  const owner = request.headers.ownerid
  if (owner === undefined || owner === '') return
  if (String(owner) !== String(user.tenantId ?? '')) {
    request.log.warn(
      { account: user.account, ownerId: String(owner).slice(0, 20) },
      'ownerId does not match the session',
    )
    throw barred('所属客户与登录信息不一致，请重新登录')
  }
}

/** Every session within the general limit, and the call's own limit beside it. */
export function assertRate(kernel: Kernel, request: FastifyRequest, endpoint: Endpoint, user: User | null) {
  const who = user ? `s:${user.sessionId}` : `i:${request.ip}`
  if (endpoint.body !== 'binary') kernel.rate.take(who, user ? kernel.config.rate.api : kernel.config.rate.api * 4)
  const own = ownLimit(kernel, endpoint)
  if (own) kernel.rate.take(`${who} ${endpoint.method} ${endpoint.path}`, own)
}

function ownLimit({ config }: Kernel, { access, body, kind, perMinute }: Endpoint) {
  if (perMinute) return access === 'public' ? Math.max(perMinute, config.rate.login) : perMinute
  if (body === 'multipart') return config.rate.upload
  return kind === 'export' ? config.rate.export : undefined
}
