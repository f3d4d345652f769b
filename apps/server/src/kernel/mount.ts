import type { Endpoint } from '@oms/contract/kernel/endpoint.ts'
import { CODE, type Envelope } from '@oms/contract/kernel/envelope.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Db } from '#db/client.ts'
import { admit, assertRate, SESSION_COOKIE } from './admit.ts'
import { isLogged, writeOperation } from './audit.ts'
import type { AuditNote, Ctx, Incoming, RequestFacts, User } from './context.ts'
import { claim, idempotentCall, remember } from './idempotency.ts'
import type { Module, StreamAnswer } from './implement.ts'
import { incomingOf } from './incoming.ts'
import { parseInput } from './input.ts'
import type { Kernel } from './kernel.ts'
import { packed } from './packed.ts'
import { Problem } from './problem.ts'
import { serializerOf } from './serialize.ts'
import { inTransaction, isWalled } from './tenancy.ts'

type Handler = (ctx: Ctx, input: unknown) => unknown

/** One entry of a contract with everything that serves it. */
interface Entry {
  readonly name: string
  readonly endpoint: Endpoint
  readonly handler: Handler
  readonly outside: boolean
  readonly serialize: (envelope: Envelope) => string
}

/** One call under way. */
interface Call {
  readonly request: FastifyRequest
  readonly facts: RequestFacts
  readonly user: User | null
  readonly input: unknown
  readonly incoming: Incoming | null
  readonly note: AuditNote
  readonly after: (() => Promise<void> | void)[]
  readonly reply: { cookie?: string | null; msg?: string }
  readonly startedAt: number
}

/** Serves a module. For each entry, in this order: session, permission, limits, input, transaction, service, log, answer. */
export function mount(app: FastifyInstance, kernel: Kernel, { contract, handlers, outsideTransaction }: Module) {
  for (const [name, endpoint] of Object.entries(contract)) {
    const entry: Entry = {
      name,
      endpoint,
      handler: handlers[name] as unknown as Handler,
      outside: outsideTransaction.has(name),
      serialize: serializerOf(endpoint),
    }
    app.route({
      method: endpoint.method,
      url: endpoint.path,
      ...(endpoint.stream === 'download' && endpoint.method === 'GET' && { exposeHeadRoute: true }),
      handler: (request, reply) => serve(kernel, entry, request, reply),
    })
  }
}

async function serve(kernel: Kernel, entry: Entry, request: FastifyRequest, reply: FastifyReply) {
  const { endpoint } = entry
  const startedAt = performance.now()
  request.operation = entry.endpoint.title ?? `${entry.endpoint.method} ${entry.endpoint.path}`
  const user = await admit(kernel, request, endpoint).catch(async (error: unknown) => {
    await logRefusal(kernel, entry, bareCall(request, startedAt), error)
    throw error
  })
  request.caller = user
  assertRate(kernel, request, endpoint, user)
  const { incoming, fields } = await incomingOf(endpoint, request)
  if (fields) request.query = { ...(request.query as object), ...fields }
  const call: Call = { ...bareCall(request, startedAt), user, incoming, input: parseInput(endpoint, request) }
  try {
    const answer = await run(kernel, entry, call)
    // Whoever has just renamed something sees it so, whichever comes first: the answer or the announcement.
    if (endpoint.method !== 'GET') kernel.names.forget()
    for (const task of call.after)
      await Promise.resolve(task()).catch((err: unknown) => request.log.error({ err }, 'after commit'))
    if (endpoint.stream) return await (answer as StreamAnswer)(request, reply)
    if (call.reply.cookie !== undefined) setSessionCookie(kernel, request, reply, call.reply.cookie)
    reply.header('content-type', 'application/json; charset=utf-8').header('x-perm-version', kernel.permVersion.current)
    return reply.send(await packed(request, reply, entry.serialize(answer as Envelope)))
  } catch (error) {
    await logRefusal(kernel, entry, call, error)
    throw error
  }
}

/** Strict: another site's link or form never carries it; it lives as long as the session may at most. */
function setSessionCookie({ config }: Kernel, request: FastifyRequest, reply: FastifyReply, value: string | null) {
  const options = { path: '/', httpOnly: true, sameSite: 'strict', secure: request.protocol === 'https' } as const
  if (value === null) reply.clearCookie(SESSION_COOKIE, options)
  else reply.setCookie(SESSION_COOKIE, value, { ...options, maxAge: config.session.hours * 3600 })
}

async function run(kernel: Kernel, entry: Entry, call: Call): Promise<unknown> {
  const { endpoint } = entry
  const reads = endpoint.method === 'GET'
  if (entry.outside || endpoint.stream) {
    const answer = await work(kernel, entry, call, kernel.database.db)
    if (isLogged(endpoint))
      await writeOperation(kernel.database.db, { ...entry, ...callForLog(call) }, succeeded(endpoint))
    return answer
  }
  if (reads && !isWalled(call.user)) return work(kernel, entry, call, kernel.database.db)
  return inTransaction(kernel.database, call.user, (db) =>
    reads ? work(kernel, entry, call, db) : write(kernel, entry, call, db),
  )
}

/** A mutation: its idempotency key, its change and its row in the operation log commit together or not at all. */
async function write(kernel: Kernel, entry: Entry, call: Call, db: Db): Promise<unknown> {
  const { endpoint } = entry
  const repeat =
    call.user &&
    idempotentCall(call.user.uid, call.facts.header('idempotency-key'), {
      method: endpoint.method,
      path: endpoint.path,
      input: call.input,
    })
  const earlier = repeat && (await claim(db, repeat))
  if (earlier) return earlier
  const answer = await work(kernel, entry, call, db)
  if (isLogged(endpoint)) await writeOperation(db, { ...entry, ...callForLog(call) }, succeeded(endpoint))
  if (repeat) await remember(db, repeat, answer as Envelope)
  return answer
}

async function work(kernel: Kernel, { endpoint, handler }: Entry, call: Call, db: Db): Promise<unknown> {
  const ctx = {
    db,
    user: call.user,
    now: kernel.now(),
    request: call.facts,
    kernel,
    incoming: call.incoming,
    audit: (note: AuditNote) => void Object.assign(call.note, note),
    say: (msg: string) => {
      call.reply.msg = msg
    },
    setSessionCookie: (value: string | null) => {
      call.reply.cookie = value
    },
    afterCommit: (task: () => Promise<void> | void) => void call.after.push(task),
  } as Ctx
  const data = await handler(ctx, call.input)
  if (endpoint.stream) return data
  return { code: CODE.ok, msg: call.reply.msg ?? endpoint.done ?? 'ok', data } satisfies Envelope
}

const succeeded = (endpoint: Endpoint) => ({ ok: true, message: endpoint.done ?? 'ok' })
const callForLog = ({ facts, user, input, note, startedAt }: Call) => ({ request: facts, user, input, note, startedAt })

/** A refused or failed write leaves its row too, outside the transaction that was rolled back. */
async function logRefusal(kernel: Kernel, entry: Entry, call: Call, error: unknown) {
  if (!isLogged(entry.endpoint) || entry.endpoint.access === 'public') return
  if (!call.user && !(error instanceof Problem && error.code === CODE.refused)) return
  const message = error instanceof Problem ? error.message : '服务器出错!'
  const row = { ...entry, ...callForLog(call), user: call.user }
  await writeOperation(kernel.database.db, row, { ok: false, message }).catch((err: unknown) =>
    call.request.log.error({ err }, 'operation log'),
  )
}

function bareCall(request: FastifyRequest, startedAt: number): Call {
  const facts: RequestFacts = {
    id: request.id,
    ip: request.ip,
    userAgent: request.headers['user-agent'] ?? '',
    method: request.method,
    url: request.url,
    header(name) {
      const value = request.headers[name]
      return typeof value === 'string' ? value : undefined
    },
  }
  return { request, facts, user: null, input: null, incoming: null, note: {}, after: [], reply: {}, startedAt }
}
