import { MAX_EVENT_BYTES } from '@oms/contract/storage/hook-event.ts'
import { and, eq } from 'drizzle-orm'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ossHooks } from '../schema-sales.ts'
import { decrypt } from '#core/crypto/keys.ts'
import { HttpError } from '#core/http/api-error.ts'
import { limitConcurrency } from '#core/process/concurrency.ts'
import type { Services } from '#core/services.ts'
import { parseEvent, receiveEvent } from './hook-events.ts'
import { isSignedBy } from './hook-signature.ts'
import type { Webhook } from './hook-user.ts'

/** Factor for the limit by address: all events of a shop come from few addresses. */
const ADDRESS_FACTOR = 4

async function hookOf({ database }: Services, id: string): Promise<Webhook | undefined> {
  if (!/^\d{1,9}$/.test(id)) return undefined
  const [hook] = await database.db
    .select()
    .from(ossHooks)
    .where(and(eq(ossHooks.id, Number(id)), eq(ossHooks.status, 1)))
  return hook
}

const secretsOf = ({ config }: Services, { secretEncrypted, previousEncrypted }: Webhook) =>
  [secretEncrypted, previousEncrypted].filter(Boolean).map((encrypted) => decrypt(config.secretKey, encrypted))

const send = (reply: FastifyReply, status: number, msg: string) =>
  reply
    .code(status)
    .header('content-type', 'application/json; charset=utf-8')
    .send(JSON.stringify({ code: status, msg, data: null }))

/** Processes few events at once: a burst of a shop must not take the database connections of the console. */
const limitEvents = limitConcurrency(4, 1000, () => new Error('too many events wait'))

async function receive(services: Services, request: FastifyRequest, reply: FastifyReply) {
  services.rate.take(`hook:${request.clientAddress}`, services.config.rate.api * ADDRESS_FACTOR)
  const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
  const hook = await hookOf(services, (request.params as { hookId: string }).hookId)
  const header = request.headers['x-oms-signature']
  const isSigned =
    hook !== undefined &&
    isSignedBy(secretsOf(services, hook), typeof header === 'string' ? header : undefined, body, services.now())
  if (!isSigned) return send(reply, 401, '签名不正确或已过期')
  const text = body.toString('utf8')
  const event = parseEvent(text)
  if (!event || text.includes('\u0000') || text.includes(String.raw`\u0000`))
    return send(reply, 400, '请求内容格式不正确')
  const { isDone, message } = await limitEvents(() => receiveEvent(services, hook, event, text, request.clientAddress))
  return send(reply, isDone ? 200 : 409, message || 'ok')
}

/**
 * Serves `POST /api/v1/oss/hook/:hookId` outside the middleware of the console: the signature covers the raw body, and
 * shops have no session. Every failure of the server is 503, so that the shop sends the event again.
 */
export function serveStorageHook(app: FastifyInstance, services: Services) {
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: MAX_EVENT_BYTES }, (_request, body, done) =>
      done(null, body),
    )
    scope.post('/api/v1/oss/hook/:hookId', { bodyLimit: MAX_EVENT_BYTES }, async (request, reply) =>
      receive(services, request, reply).catch((error: unknown) => {
        if (error instanceof HttpError) throw error
        request.log.error({ err: error }, 'storage hook')
        return send(reply, 503, '服务暂时不可用，请重试')
      }),
    )
  })
}
