import { MESSAGES } from '@oms/contract/core/envelope.ts'
import type { ConsoleEvent, ConsoleEventData } from '@oms/contract/system/events.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { readSessionTicket } from '#core/auth/authenticate.ts'
import { openStreams } from '#core/events/events.ts'
import { HttpError } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import type { StreamResponse } from '#core/http/implement.ts'
import type { Services } from '#core/services.ts'
import { isTenantInScope } from '#core/tenancy/tenancy.ts'
import { countUnread } from './inbox.ts'

/** Messages for sessions that ended for a reason other than a person's action. */
const END_WORDS: Readonly<Record<string, string>> = { tenant: '所属客户已停用或到期，请联系管理员' }
const HEARTBEAT_MS = 20_000
const RETRY_MS = 2_000
export const UNREAD_SPREAD_MS = 5000

/** An open console stream, which receives events until the client disconnects or the session ends. */
interface Connection {
  send<K extends ConsoleEvent>(event: K, data: ConsoleEventData<K>): void
  end(): void
}

/** Keeps the response open and sends the account's events. Events of any process reach every process. */
export function streamEvents({ user, services }: Ctx): StreamResponse {
  return async (request: FastifyRequest, reply: FastifyReply) => {
    if (services.shutdown.hasBegun) throw new HttpError(503, MESSAGES.unavailable, 1)
    const release = services.streams.open(user)
    const connection = open(reply)
    openStreams.add(connection)
    const stop = follow(services, user, connection)
    const stopListening = services.shutdown.onBegin(() => endForRestart(reply))
    // A session that expires publishes no event, so the heartbeat checks the session.
    const beat = setInterval(() => void keepAlive(services, request, reply, connection), HEARTBEAT_MS).unref()
    reply.raw.once('close', () => {
      clearInterval(beat)
      openStreams.delete(connection)
      stopListening()
      stop()
      release()
    })
    if (reply.raw.destroyed) return release()
    // Permissions may have changed between the page's first requests and this connection.
    connection.send('perms', { version: services.permissionVersion.current })
    await sendUnread(services, user, connection)
  }
}

function open(reply: FastifyReply): Connection {
  reply.hijack()
  reply.raw.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
    'x-content-type-options': 'nosniff',
  })
  reply.raw.write('retry: 3000\n\n')
  return {
    send(event, data) {
      if (!reply.raw.writableEnded) reply.raw.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
    },
    end: () => void reply.raw.end(),
  }
}

/**
 * Asks the client to reconnect after a random delay, so that not all consoles reconnect to another process
 * simultaneously.
 */
function endForRestart(reply: FastifyReply) {
  reply.raw.end(`retry: ${RETRY_MS + Math.floor(Math.random() * RETRY_MS)}\n\n`)
}

async function keepAlive(services: Services, request: FastifyRequest, reply: FastifyReply, connection: Connection) {
  reply.raw.write(': \n\n')
  const { oms_session: cookie } = request.cookies
  const { user } = await services.sessions.peek(readSessionTicket(request), cookie).catch(() => ({ user: true }))
  if (user) return
  connection.send('sessionEnd', { msg: '登录状态已过期，请重新登录' })
  connection.end()
}

/** Subscribes a console to its events. Returns a function that unsubscribes. */
function follow(services: Services, user: Ctx['user'], { send, end }: Connection): () => void {
  const { events } = services
  const unread = unreadSender(() => sendUnread(services, user, { send, end }))
  const stops = [
    events.on('rights', ({ version, uids }) => {
      if (!uids || uids.includes(user.uid)) send('perms', { version })
    }),
    events.on('dict', ({ type }) => send('dict', { type })),
    events.on('changed', ({ resource, tenantId }) => {
      if (tenantId === null || isTenantInScope(user, tenantId)) send('changed', { resource })
    }),
    events.on('job', ({ jobId, uid, state, percent }) => {
      if (uid === user.uid) send('job', { jobId, state, percent })
    }),
    events.on('notice', ({ uids, noticeId, title }) => {
      if (uids && !uids.includes(user.uid)) return
      if (noticeId && title) send('notice', { noticeId, title })
      unread.request(uids === undefined)
    }),
    events.on('session', ({ ids, reason }) => {
      if (!ids.includes(user.sessionId)) return
      if (reason !== 'logout') send('sessionEnd', { msg: END_WORDS[reason] ?? '你已被登出，请重新登录' })
      end()
    }),
  ]
  return () => {
    for (const stop of stops) stop()
    unread.stop()
  }
}

/**
 * Sends the unread count at once when a message addresses selected accounts. For a message to all accounts, streams
 * delay their counts by random seconds. Requests during a delay share one count.
 */
function unreadSender(sendCount: () => Promise<void>) {
  let timer: NodeJS.Timeout | undefined
  const now = () => {
    clearTimeout(timer)
    timer = undefined
    void sendCount()
  }
  return {
    request(isForEverybody: boolean) {
      if (!isForEverybody) return now()
      timer ??= setTimeout(now, Math.random() * UNREAD_SPREAD_MS).unref()
    },
    stop: () => clearTimeout(timer),
  }
}

/** Counts with the current permissions, so that a newly assigned role brings its messages immediately. */
async function sendUnread(services: Services, user: Ctx['user'], { send }: Connection) {
  try {
    const rights = await services.sessions.rightsOf(user.uid)
    const who = { uid: user.uid, homeTenantId: user.homeTenantId, roleIds: rights?.roleIds ?? user.roleIds }
    send('unread', { count: await countUnread(services.database.db, who) })
  } catch (err) {
    services.log.warn({ err }, 'unread count')
  }
}
