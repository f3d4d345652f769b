import type { ConsoleEvent, ConsoleEventData } from '@oms/contract/events.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ticketOf } from '#kernel/admit.ts'
import type { Ctx } from '#kernel/context.ts'
import { unreadCount } from '#kernel/inbox.ts'
import type { StreamAnswer } from '#kernel/implement.ts'
import type { Kernel } from '#kernel/kernel.ts'
import { reaches } from '#kernel/tenancy.ts'

/** What a console is told where the reason is not a person's doing. */
const END_WORDS: Readonly<Record<string, string>> = { tenant: '所属客户已停用或到期，请联系管理员' }
const HEARTBEAT_MS = 20_000

/** One open console: writes events to it until it goes away or its session ends. */
interface Connection {
  send<K extends ConsoleEvent>(event: K, data: ConsoleEventData<K>): void
  end(): void
}

/** Keeps the answer open and sends the account's events; everything a process announces arrives on every process. */
export function stream({ user, kernel }: Ctx): StreamAnswer {
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const connection = open(reply)
    const stop = follow(kernel, user, connection)
    // A session that expires by itself announces nothing: the beat looks.
    const beat = setInterval(() => void keepAlive(kernel, request, reply, connection), HEARTBEAT_MS).unref()
    reply.raw.once('close', () => {
      clearInterval(beat)
      stop()
    })
    // Rights may have changed between the page's first calls and this connection.
    connection.send('perms', { version: kernel.permVersion.current })
    await sendUnread(kernel, user, connection)
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

async function keepAlive(kernel: Kernel, request: FastifyRequest, reply: FastifyReply, connection: Connection) {
  reply.raw.write(': \n\n')
  const { oms_session: cookie } = request.cookies
  const { user } = await kernel.sessions.peek(ticketOf(request), cookie).catch(() => ({ user: true }))
  if (user) return
  connection.send('sessionEnd', { msg: '登录状态已过期，请重新登录' })
  connection.end()
}

/** Subscribes one console to what concerns it; answers how to stop. */
function follow(kernel: Kernel, user: Ctx['user'], { send, end }: Connection): () => void {
  const { events } = kernel
  const stops = [
    events.on('rights', ({ version, uids }) => {
      if (!uids || uids.includes(user.uid)) send('perms', { version })
    }),
    events.on('dict', ({ type }) => send('dict', { type })),
    events.on('changed', ({ resource, tenantId }) => {
      if (tenantId === null || reaches(user, tenantId)) send('changed', { resource })
    }),
    events.on('job', ({ jobId, uid, state, percent }) => {
      if (uid === user.uid) send('job', { jobId, state, percent })
    }),
    events.on('notice', ({ uids, noticeId, title }) => {
      if (uids && !uids.includes(user.uid)) return
      if (noticeId && title) send('notice', { noticeId, title })
      void sendUnread(kernel, user, { send, end })
    }),
    events.on('session', ({ ids, reason }) => {
      if (!ids.includes(user.sessionId)) return
      if (reason !== 'logout') send('sessionEnd', { msg: END_WORDS[reason] ?? '你已被登出，请重新登录' })
      end()
    }),
  ]
  return () => {
    for (const stop of stops) stop()
  }
}

/** Counted with the rights of the moment: a role given today brings its messages today. */
async function sendUnread(kernel: Kernel, user: Ctx['user'], { send }: Connection) {
  try {
    const rights = await kernel.sessions.rightsOf(user.uid)
    const who = { uid: user.uid, homeTenantId: user.homeTenantId, roleIds: rights?.roleIds ?? user.roleIds }
    send('unread', { count: await unreadCount(kernel.database.db, who) })
  } catch (err) {
    kernel.log.warn({ err }, 'unread count')
  }
}
