import { and, asc, eq, isNotNull, lte, notInArray, type SQL, sql } from 'drizzle-orm'
import { ticketRecords, tickets } from './schema.ts'
import type { Db } from '#core/database/client.ts'
import { forEachIsolated, runSteps } from '#core/jobs/isolated.ts'
import type { Services } from '#core/services.ts'
import { sendMessage } from '#modules/system/index.ts'
import { TICKET_RECORD_KIND } from './create-ticket.ts'
import { SLA_STATE, computeSla, readSlaSettings } from './sla.ts'
import { toSlaFacts } from './ticket-change.ts'
import type { StoredTicket } from './ticket.ts'

const BATCH = 200

/** Registers the scheduled job that checks limits and reminders every minute. */
export function registerTicketSchedule(services: Services) {
  services.jobs.schedule('ticket-clock', () => runTicketSchedule(services), {
    title: '工单时限与提醒',
    cron: '10 * * * * *',
  })
}

type Parts = Pick<Services, 'database' | 'events' | 'config' | 'now' | 'log'>

/** Updates every ticket whose time limit or reminder is due. One batch per transaction keeps locks short. */
export async function runTicketSchedule(services: Parts) {
  const done = { moved: 0, reminded: 0, failedItems: 0 }
  const run = async (step: 'moved' | 'reminded', batch: Batch) => {
    const result = await inBatches(services, batch)
    done[step] = result.done
    done.failedItems += result.failed
  }
  const failedSteps = await runSteps(
    { log: services.log, kind: 'ticket-clock' },
    { moved: () => run('moved', moveDue), reminded: () => run('reminded', remindDue) },
  )
  return { ...done, failedItems: done.failedItems + failedSteps }
}

/** Processes one batch and returns its tickets. The next batch excludes failed tickets. */
type Batch = (services: Parts, db: Db, without: readonly number[]) => Promise<Handled>
interface Handled {
  readonly done: number
  readonly failed: readonly StoredTicket[]
}

async function inBatches(services: Parts, batch: Batch) {
  const failed: number[] = []
  let done = 0
  for (let more = true; more; ) {
    const handled = await services.database.db.transaction((db) => batch(services, db, failed))
    done += handled.done
    failed.push(...handled.failed.map(({ id }) => id))
    more = handled.done + handled.failed.length === BATCH
  }
  return { done, failed: failed.length }
}

function lockDue(
  db: Db,
  due: SQL | undefined,
  time: typeof tickets.slaNextTime | typeof tickets.suspendUntil,
  without: readonly number[],
) {
  return db
    .select()
    .from(tickets)
    .where(and(due, without.length > 0 ? notInArray(tickets.id, [...without]) : undefined))
    .orderBy(asc(time))
    .limit(BATCH)
    .for('update', { skipLocked: true })
}

const isolationOf = ({ log }: Parts) => ({
  log,
  kind: 'ticket-clock',
  name: ({ id, feedbackNo }: StoredTicket) => ({ ticketId: id, feedbackNo }),
})

async function moveDue(services: Parts, db: Db, without: readonly number[]): Promise<Handled> {
  const now = services.now()
  const isDue = and(isNotNull(tickets.slaNextTime), lte(tickets.slaNextTime, now.toISOString()))
  const due = await lockDue(db, isDue, tickets.slaNextTime, without)
  if (due.length === 0) return { done: 0, failed: [] }
  const sla = await readSlaSettings(db)
  // Runs each ticket in a savepoint: a failed ticket is rolled back alone.
  const handled = await forEachIsolated(due, isolationOf(services), (ticket) =>
    db.transaction((tx) => moveTicket(services, tx, ticket, { sla, now })),
  )
  await services.events.publish(db, 'changed', { resource: 'feedback', tenantId: null })
  return handled
}

interface SlaContext {
  readonly sla: Awaited<ReturnType<typeof readSlaSettings>>
  readonly now: Date
}

async function moveTicket(services: Parts, db: Db, ticket: StoredTicket, { sla, now }: SlaContext) {
  const zone = services.config.timeZone
  const next = computeSla(sla, zone, toSlaFacts(ticket, zone), now)
  await db.update(tickets).set(next).where(eq(tickets.id, ticket.id))
  if (next.slaState > ticket.slaState && next.slaState >= SLA_STATE.near)
    await notifyTimeLimit(services, db, ticket, next.slaState)
}

/**
 * Notifies the handler about a limit. For an unassigned ticket nobody is notified; the list shows the ticket in red.
 */
async function notifyTimeLimit(services: Parts, db: Db, ticket: StoredTicket, state: number) {
  const late = state === SLA_STATE.breached
  const what = ticket.firstRespondTime === null ? '首次响应' : '解决'
  const detail = late ? `${what}已超时` : `${what}即将超时`
  await db.insert(ticketRecords).values({ ...recordOf(ticket), kind: TICKET_RECORD_KIND.sla, detail })
  if (ticket.handlerId === null) return
  await sendMessage(services, db, {
    topic: 'ticket',
    title: `工单 ${ticket.feedbackNo} ${late ? '已超时' : '即将超时'}`,
    text: `${detail}，请尽快处理：${ticket.content.slice(0, 120)}`,
    uids: [ticket.handlerId],
    priority: late ? 3 : 2,
  })
}

async function remindDue(services: Parts, db: Db, without: readonly number[]): Promise<Handled> {
  const isDue = and(isNotNull(tickets.suspendUntil), lte(tickets.suspendUntil, services.now().toISOString()))
  const due = await lockDue(db, isDue, tickets.suspendUntil, without)
  const handled = await forEachIsolated(due, isolationOf(services), (ticket) =>
    db.transaction((tx) => remindOf(services, tx, ticket)),
  )
  if (due.length > 0) await services.events.publish(db, 'changed', { resource: 'feedback', tenantId: null })
  return handled
}

async function remindOf(services: Parts, db: Db, ticket: StoredTicket) {
  await db.update(tickets).set({ suspendUntil: null }).where(eq(tickets.id, ticket.id))
  await db
    .insert(ticketRecords)
    .values({ ...recordOf(ticket), kind: TICKET_RECORD_KIND.reminder, detail: '挂起到期，请继续处理' })
  const uid = ticket.handlerId ?? ticket.lastHandlerId
  if (uid === null) return
  await sendMessage(services, db, {
    topic: 'ticket',
    title: `工单 ${ticket.feedbackNo} 挂起到期`,
    text: `挂起的工单到了提醒时间，请继续处理：${ticket.content.slice(0, 120)}`,
    uids: [uid],
  })
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
