import type { Endpoint } from '@oms/contract/core/endpoint.ts'
import { RESPONSE_CODE, type Envelope } from '@oms/contract/core/envelope.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Db } from '#core/database/client.ts'
import { authenticate, SESSION_COOKIE } from '#core/auth/authenticate.ts'
import { writeLateOperation } from '#core/audit/late-operation.ts'
import { isLogged, writeOperation } from '#core/audit/operation-log.ts'
import { limitOperation } from './limits/call-limits.ts'
import type { AuditNote, Ctx, IncomingFile, RequestFacts, User } from './context.ts'
import { computeIncomingDigest, hashIncoming, readIncomingFile } from './files/incoming-file.ts'
import {
  assertSameFile,
  claimKey,
  claimKeyOutsideTransaction,
  type IdempotentCall,
  readIdempotentCall,
  type StoredResponse,
  releaseKey,
  storeResponse,
} from './idempotency.ts'
import type { Module, StreamResponse } from './implement.ts'
import { parseInput } from './parse-input.ts'
import type { Services } from '#core/services.ts'
import { compressResponse, createSerializer } from './serialize.ts'
import { readScheme } from './forwarded.ts'
import { ApiError, HttpError, StaleError } from './api-error.ts'
import { inTransaction, hasRowSecurity } from '#core/tenancy/tenancy.ts'

type Handler = (ctx: Ctx, input: unknown) => unknown

/** One entry of a contract with its handler and schemas. */
interface Entry {
  readonly name: string
  readonly endpoint: Endpoint
  readonly handler: Handler
  readonly outside: boolean
  readonly limit: <T>(task: () => Promise<T>) => Promise<T>
  readonly serialize: (envelope: Envelope) => string
}

/** One running call. */
interface Call {
  readonly request: FastifyRequest
  readonly facts: RequestFacts
  readonly user: User | null
  readonly input: unknown
  readonly incoming: IncomingFile | null
  readonly note: AuditNote
  readonly after: (() => Promise<void> | void)[]
  readonly reply: { cookie?: string | null; msg?: string; isRecorded?: boolean }
  readonly startedAt: number
}

/** Serves a module. Steps of each entry: session, permission, limits, input, transaction, service, log, response. */
export function mountModule(
  app: FastifyInstance,
  services: Services,
  { contract, handlers, outsideTransaction, limits }: Module,
) {
  for (const [name, endpoint] of Object.entries(contract)) {
    const entry: Entry = {
      name,
      endpoint,
      handler: handlers[name] as unknown as Handler,
      outside: outsideTransaction.has(name),
      limit: limits.get(name) ?? ((task) => task()),
      serialize: createSerializer(endpoint),
    }
    app.route({
      method: endpoint.method,
      url: endpoint.path,
      ...(endpoint.maxBody !== undefined && { bodyLimit: endpoint.maxBody }),
      ...(endpoint.stream === 'download' && endpoint.method === 'GET' && { exposeHeadRoute: true }),
      handler: (request, reply) => serve(services, entry, request, reply),
    })
  }
}

async function serve(services: Services, entry: Entry, request: FastifyRequest, reply: FastifyReply) {
  const { endpoint } = entry
  const startedAt = performance.now()
  request.operation = entry.endpoint.title ?? `${entry.endpoint.method} ${entry.endpoint.path}`
  const user = await authenticate(services, request, endpoint).catch(async (error: unknown) => {
    await logRefusal(services, entry, callWithoutInput(services, request, startedAt), error)
    throw error
  })
  request.caller = user
  limitOperation(services, request, endpoint, user)
  const call = await read(services, entry, request, startedAt)
  try {
    const task = () => run(services, entry, call)
    // Calls that wait for the limit of their operation take no slot of the account.
    const response = await entry.limit(() => (user ? services.accountSlots.run(user.uid, task) : task()))
    // Clears the local name cache so that the caller reads its own write before the NOTIFY arrives.
    if (endpoint.method !== 'GET') services.names.forget()
    for (const task of call.after)
      await Promise.resolve(task()).catch((err: unknown) => request.log.error({ err }, 'after commit'))
    if (endpoint.stream) return await (response as StreamResponse)(request, reply)
    if (call.reply.cookie !== undefined) setSessionCookie(services, request, reply, call.reply.cookie)
    request.bodyCode = (response as Envelope).code
    reply
      .header('content-type', 'application/json; charset=utf-8')
      .header('x-perm-version', services.permissionVersion.current)
    return reply.send(await compressResponse(request, reply, entry.serialize(response as Envelope)))
  } catch (error) {
    await logRefusal(services, entry, call, error)
    throw error
  }
}

/** Parses the input of an authorised call. Invalid input writes a log row like any refused mutation. */
async function read(services: Services, entry: Entry, request: FastifyRequest, startedAt: number): Promise<Call> {
  const bare = callWithoutInput(services, request, startedAt)
  try {
    const { incoming, fields } = await readIncomingFile(entry.endpoint, request)
    if (fields) request.query = { ...(request.query as object), ...fields }
    return { ...bare, incoming, input: parseInput(entry.endpoint, request) }
  } catch (error) {
    await logRefusal(services, entry, bare, error)
    throw error
  }
}

/**
 * Sets the session cookie. `SameSite=Strict`: other sites cannot make a browser send it. Its lifetime is the longest
 * lifetime of a session.
 */
function setSessionCookie({ config }: Services, request: FastifyRequest, reply: FastifyReply, value: string | null) {
  const secure = readScheme(request.raw, config.trustProxy) === 'https'
  const options = { path: '/', httpOnly: true, sameSite: 'strict', secure } as const
  if (value === null) reply.clearCookie(SESSION_COOKIE, options)
  else reply.setCookie(SESSION_COOKIE, value, { ...options, maxAge: config.session.hours * 3600 })
}

async function run(services: Services, entry: Entry, call: Call): Promise<unknown> {
  const { endpoint } = entry
  const reads = endpoint.method === 'GET' && !isLogged(endpoint)
  if (entry.outside || endpoint.stream) return runOutside(services, entry, call)
  if (reads && !hasRowSecurity(call.user)) return work(services, entry, call, services.database.db)
  return inTransaction(services.database, call.user, (db) =>
    reads ? work(services, entry, call, db) : write(services, entry, call, db),
  )
}

/** Runs a mutation or a logged read. Idempotency key, change and operation-log row commit together or not at all. */
async function write(services: Services, entry: Entry, call: Call, db: Db): Promise<unknown> {
  const { endpoint } = entry
  const repeat = idempotencyOf(services, entry, call)
  const earlier = repeat && (await claimKey(db, repeat))
  if (earlier) return repeatResponse(call, earlier)
  const response = await work(services, entry, call, db)
  if (isLogged(endpoint)) await recordSuccess(entry, call, db)
  if (repeat) await storeResponse(db, repeat, storedResponseOf(repeat, call, response))
  return response
}

/**
 * Runs a call that opens its own transactions. Its idempotency key is claimed first and released when the call fails.
 */
async function runOutside(services: Services, entry: Entry, call: Call): Promise<unknown> {
  const { db } = services.database
  const repeat = idempotencyOf(services, entry, call)
  const earlier = repeat && (await claimKeyOutsideTransaction(db, repeat))
  if (earlier) {
    assertSameFile(earlier, call.incoming ? await computeIncomingDigest(call.incoming) : undefined)
    return repeatResponse(call, earlier)
  }
  const file = repeat && call.incoming ? hashIncoming(call.incoming) : undefined
  const response = await work(services, entry, file ? { ...call, incoming: file.incoming } : call, db).catch(
    async (error: unknown) => {
      if (repeat) await releaseKey(db, repeat)
      throw error
    },
  )
  if (repeat) await storeResponse(db, repeat, storedResponseOf(repeat, call, response, file?.digest()))
  if (isLogged(entry.endpoint) && call.reply.isRecorded !== true)
    await writeLateOperation(
      { db, log: call.request.log },
      { ...entry, ...callForLog(call) },
      succeeded(entry.endpoint),
    )
  return response
}

const recordSuccess = (entry: Entry, call: Call, db: Db) =>
  writeOperation(db, { ...entry, ...callForLog(call) }, succeeded(entry.endpoint))

/**
 * Returns the idempotency key of a mutation with a session. Downloads and calls that reveal a secret change nothing and
 * use no key.
 */
function idempotencyOf({ config }: Services, { endpoint }: Entry, { user, facts, input, incoming }: Call) {
  if (!user || endpoint.method === 'GET' || endpoint.stream || endpoint.revealsSecret) return undefined
  const { method, path } = endpoint
  const key = facts.header('idempotency-key')
  const what = { method, path, input, fileName: incoming?.name }
  return readIdempotentCall({ user, key, secretKey: config.secretKey }, what)
}

const storedResponseOf = (
  { scope }: IdempotentCall,
  { reply: { cookie } }: Call,
  response: unknown,
  fileHash?: string,
): StoredResponse => ({
  envelope: response as Envelope,
  scope,
  ...(cookie !== undefined && { cookie }),
  ...(fileHash !== undefined && { fileHash }),
})

function repeatResponse(call: Call, { envelope, cookie }: StoredResponse) {
  if (cookie !== undefined) call.reply.cookie = cookie
  return envelope
}

async function work(services: Services, entry: Entry, call: Call, db: Db): Promise<unknown> {
  const { endpoint, handler } = entry
  const ctx = {
    db,
    user: call.user,
    now: services.now(),
    request: call.facts,
    services,
    incoming: call.incoming,
    audit: (note: AuditNote) => void Object.assign(call.note, note),
    recordIn: async (own: Db) => {
      if (isLogged(endpoint)) await recordSuccess(entry, call, own)
      call.reply.isRecorded = true
    },
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
  return { code: RESPONSE_CODE.ok, msg: call.reply.msg ?? endpoint.done ?? 'ok', data } satisfies Envelope
}

const succeeded = (endpoint: Endpoint) => ({ ok: true, message: endpoint.done ?? 'ok' })
const callForLog = ({ facts, user, input, note, startedAt }: Call) => ({ request: facts, user, input, note, startedAt })

/**
 * Writes a log row for a refused or failed mutation, outside the rolled-back transaction. Rows of one account are
 * limited; the next row contains the number of omitted rows.
 */
async function logRefusal(services: Services, entry: Entry, call: Call, error: unknown) {
  const { endpoint } = entry
  // Calls above a rate limit or without a session only appear in the process log.
  if (!isLogged(endpoint) || endpoint.access === 'public' || !call.user || error instanceof HttpError) return
  const leftOut = services.refusals.tryTake(call.user.uid)
  if (leftOut === undefined) return
  const message = describeRefusal(error, call.user)
  const row = { ...entry, ...callForLog(call), user: call.user }
  const outcome = {
    ok: false,
    message: leftOut > 0 ? `${message}（此前另有${leftOut}次失败的操作未逐条记录）` : message,
  }
  await writeLateOperation({ db: services.database.db, log: call.request.log }, row, outcome)
}

/** Returns the message that the account received. */
function describeRefusal(error: unknown, user: User) {
  if (error instanceof StaleError) return error.responseFor(user).msg
  return error instanceof ApiError ? error.message : '服务器出错!'
}

function callWithoutInput(services: Services, request: FastifyRequest, startedAt: number): Call {
  const facts: RequestFacts = {
    id: request.id,
    ip: request.clientAddress,
    userAgent: request.headers['user-agent'] ?? '',
    method: request.method,
    url: request.url,
    receivedAt: new Date(services.now().getTime() - (performance.now() - startedAt)),
    header(name) {
      const value = request.headers[name]
      return typeof value === 'string' ? value : undefined
    },
  }
  return {
    request,
    facts,
    user: request.caller,
    input: null,
    incoming: null,
    note: {},
    after: [],
    reply: {},
    startedAt,
  }
}
