import { FEEDBACK_CLOSED, SATISFACTION } from '@oms/contract/ticket/ticket-rows.ts'
import { and, desc, eq, isNull, or, sql } from 'drizzle-orm'
import { devices } from '#modules/device/schema.ts'
import type { PlainCall, PlainResponse } from '#modules/device/wire/request.ts'
import { badRequest, DeviceError, notFound } from '#modules/device/wire/response.ts'
import { TICKET_RECORD_KIND } from '../create-ticket.ts'
import { ticketRecords, tickets } from '../schema.ts'
import { isRatedByCustomer } from '../ticket-change.ts'
import { textOf } from './ticket.ts'

const MAX_LISTED = 50

/** Returns whether a ticket can be rated, as far as its state decides: closed, and not merged into another ticket. */
const isClosed = ({ status, mergedIntoId }: Pick<typeof tickets.$inferSelect, 'status' | 'mergedIntoId'>) =>
  status === FEEDBACK_CLOSED && mergedIntoId === null

/**
 * Returns the condition for the tickets that a device may see: tickets of the device and its present tenant. A ticket of
 * an App account is visible only while the device is bound to this account.
 */
const isVisibleToDevice = ({ deviceId, tenantId }: Pick<PlainCall, 'deviceId' | 'tenantId'>) =>
  and(
    eq(tickets.deviceId, deviceId),
    eq(tickets.tenantId, tenantId),
    or(
      isNull(tickets.appAccountId),
      sql`${tickets.appAccountId} = (select ${devices.appAccountId} from ${devices} where ${devices.id} = ${deviceId})`,
    ),
  )

/** Handles `ticket/list`: lists the newest tickets of the device. A closed ticket without a rating is ratable. */
export async function handleTicketList(call: PlainCall): Promise<PlainResponse> {
  const { db } = call.side.services.database
  const rows = await db
    .select({
      feedbackNo: tickets.feedbackNo,
      status: tickets.status,
      createTime: tickets.createTime,
      mergedIntoId: tickets.mergedIntoId,
      isRated: isRatedByCustomer,
    })
    .from(tickets)
    .where(isVisibleToDevice(call))
    .orderBy(desc(tickets.id))
    .limit(MAX_LISTED)
  const list = rows.map(({ mergedIntoId, isRated, ...row }) => ({
    ...row,
    ratable: isClosed({ ...row, mergedIntoId }) && !isRated,
  }))
  return { status: 200, body: { list } }
}

/**
 * Handles `ticket/rate`: stores the customer's rating of a closed ticket, `score` 1 to 5 and an optional `text`. One
 * rating is accepted for each closing. The same rating sent again is accepted, because the response may be lost.
 */
export async function handleTicketRating(call: PlainCall): Promise<PlainResponse> {
  const { side, body, sn } = call
  const { database, events } = side.services
  const score = body.score as keyof typeof SATISFACTION
  if (typeof score !== 'number' || !(score in SATISFACTION)) throw badRequest('score must be 1 to 5')
  const text = textOf(body.text, 200)
  const feedbackNo = textOf(body.feedbackNo, 20)
  await database.db.transaction(async (db) => {
    const own = and(eq(tickets.feedbackNo, feedbackNo), isVisibleToDevice(call))
    const [ticket] = await db.select().from(tickets).where(own).for('update')
    if (!ticket) throw notFound('ticket')
    if (!isClosed(ticket)) throw new DeviceError(409, 'only a closed ticket can be rated')
    if (await db.$count(tickets, and(eq(tickets.id, ticket.id), isRatedByCustomer))) {
      if (ticket.satisfaction === score && ticket.satisfactionRemark === text) return
      throw new DeviceError(409, 'this ticket has a rating already')
    }
    const at = side.services.now().toISOString()
    // The revision stays, so that a rating never makes a form invalid that is open in the console.
    const rating = { satisfaction: score, satisfactionRemark: text, updateTime: at }
    await db.update(tickets).set(rating).where(eq(tickets.id, ticket.id))
    await db.insert(ticketRecords).values({
      ticketId: ticket.id,
      kind: TICKET_RECORD_KIND.rated,
      realname: ticket.account || sn,
      status: ticket.status,
      fromStatus: ticket.status,
      detail: `满意度：${SATISFACTION[score]}（${score}）`,
      remark: text,
      createTime: at,
    })
    await events.publish(db, 'changed', { resource: 'feedback', tenantId: ticket.tenantId })
  })
  return { status: 200, body: { feedbackNo, score } }
}
