import { and, asc, eq, isNotNull, lte, sql } from 'drizzle-orm'
import { ticketRecords, tickets } from '#db/schema/ticket.ts'
import type { Db } from '#db/client.ts'
import type { Kernel } from '#kernel/kernel.ts'
import { sendMessage } from '#kernel/message.ts'
import { RECORD } from '#kernel/tickets/create-ticket.ts'
import { SLA, slaOf, slaSettings } from '#kernel/tickets/sla.ts'
import { timed } from './ticket-change.ts'
import type { StoredTicket } from './ticket-rows.ts'

const MINUTE_MS = 60_000
const BATCH = 200

/** Registers the minute's look at limits and reminders. */
export function registerTicketClock(kernel: Kernel) {
  kernel.jobs.register('ticket-clock', () => turnTicketClock(kernel), { everyMs: MINUTE_MS })
}

type Parts = Pick<Kernel, 'database' | 'events' | 'config' | 'now'>

/** Moves every ticket whose limit or reminder has come; a batch a transaction, so nobody waits long. */
export async function turnTicketClock(kernel: Parts) {
  const done = { moved: 0, reminded: 0 }
  for (let more = true; more; ) {
    const moved = await kernel.database.db.transaction((db) => moveDue(kernel, db))
    done.moved += moved
    more = moved === BATCH
  }
  for (let more = true; more; ) {
    const reminded = await kernel.database.db.transaction((db) => remindDue(kernel, db))
    done.reminded += reminded
    more = reminded === BATCH
  }
  return done
}

async function moveDue(kernel: Parts, db: Db) {
  const now = kernel.now()
  const zone = kernel.config.timeZone
  const due = await db
    .select()
    .from(tickets)
    .where(and(isNotNull(tickets.slaNextTime), lte(tickets.slaNextTime, now.toISOString())))
    .orderBy(asc(tickets.slaNextTime))
    .limit(BATCH)
    .for('update', { skipLocked: true })
  if (due.length === 0) return 0
  const sla = await slaSettings(db)
  for (const ticket of due) {
    const next = slaOf(sla, zone, timed(ticket, zone), now)
    await db.update(tickets).set(next).where(eq(tickets.id, ticket.id))
    if (next.slaState > ticket.slaState && next.slaState >= SLA.near) await tellLimit(kernel, db, ticket, next.slaState)
  }
  await kernel.events.publish(db, 'changed', { resource: 'feedback', tenantId: null })
  return due.length
}

/** The handler hears of it; of a ticket nobody has, nobody in particular: the list shows it red. */
async function tellLimit(kernel: Parts, db: Db, ticket: StoredTicket, state: number) {
  const late = state === SLA.breached
  const what = ticket.firstRespondTime === null ? '首次应答' : '解决'
  const detail = late ? `${what}已超时` : `${what}即将超时`
  await db.insert(ticketRecords).values({ ...recordOf(ticket), kind: RECORD.sla, detail })
  if (ticket.handlerId === null) return
  await sendMessage(kernel, db, {
    title: `工单 ${ticket.feedbackNo} ${late ? '已超时' : '即将超时'}`,
    text: `${detail}，请尽快处理：${ticket.content.slice(0, 120)}`,
    uids: [ticket.handlerId],
    priority: late ? 3 : 2,
  })
}

async function remindDue(kernel: Parts, db: Db) {
  const due = await db
    .select()
    .from(tickets)
    .where(and(isNotNull(tickets.suspendUntil), lte(tickets.suspendUntil, kernel.now().toISOString())))
    .orderBy(asc(tickets.suspendUntil))
    .limit(BATCH)
    .for('update', { skipLocked: true })
  for (const ticket of due) {
    await db.update(tickets).set({ suspendUntil: null }).where(eq(tickets.id, ticket.id))
    await db
      .insert(ticketRecords)
      .values({ ...recordOf(ticket), kind: RECORD.reminder, detail: '挂起到期，请继续处理' })
    const uid = ticket.handlerId ?? ticket.lastHandlerId
    if (uid !== null)
      await sendMessage(kernel, db, {
        title: `工单 ${ticket.feedbackNo} 挂起到期`,
        text: `挂起的工单到了提醒时间，请继续处理：${ticket.content.slice(0, 120)}`,
        uids: [uid],
      })
  }
  if (due.length > 0) await kernel.events.publish(db, 'changed', { resource: 'feedback', tenantId: null })
  return due.length
}

const recordOf = ({ id, status, handler, handlerId }: StoredTicket) => ({
  ticketId: id,
  realname: '系统',
  status,
  fromStatus: status,
  handler,
  handlerId,
  createTime: sql`clock_timestamp()` as unknown as string,
})
