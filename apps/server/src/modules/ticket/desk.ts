import type { ticketDesk } from '@oms/contract/ticket/ticket-desk.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, asc, eq, ne, or, sql, desc, type SQL } from 'drizzle-orm'
import { tickets, ticketTemplates, ticketViewers } from './schema.ts'
import type { Ctx, User } from '#core/http/context.ts'
import { forbidden, invalid, notFound } from '#core/http/api-error.ts'
import { contains } from '#core/database/lists/list-query.ts'
import { checkRevision, updateColumns } from '#core/database/optimistic-lock.ts'
import { saveSetting } from '#core/database/setting-store.ts'
import { notDeleted } from '#core/tenancy/tenancy.ts'
import { formatLocalDay } from '#core/time/zone.ts'
import { findMissingYear } from './business-clock.ts'
import { SLA_SETTINGS_KEY, readRevisedSlaSettings } from './sla.ts'
import { toUniqueViolation } from '#core/database/error-codes.ts'
import { formatAccountName, requireTicket } from './ticket-change.ts'
import { assertDeskPermission, assertTicketReader, visibleTickets } from './ticket.ts'
import type { PgColumn } from 'drizzle-orm/pg-core'
import { accounts } from '#core/schema/account.ts'
import { deviceModels } from '#modules/device/schema.ts'
import { otaVersions } from '#modules/upgrade/index.ts'

const TEMPLATE = 'ticketTemplate'
const own = (user: User) =>
  and(notDeleted(ticketTemplates), user.tenantId === null ? sql`false` : eq(ticketTemplates.tenantId, user.tenantId))

export async function listReplyTemplates({ db, user }: Ctx, { keyword }: ParsedOf<typeof ticketDesk.templates>) {
  assertDeskPermission(user)
  return db
    .select()
    .from(ticketTemplates)
    .where(and(own(user), or(contains(ticketTemplates.title, keyword), contains(ticketTemplates.content, keyword))))
    .orderBy(asc(ticketTemplates.sort), asc(ticketTemplates.id))
    .limit(200)
}

const titleTaken = (error: unknown): never => {
  throw toUniqueViolation(error, { ticket_templates_title: ['模板标题已存在', 'title'] }) ?? error
}

export async function createTemplate(ctx: Ctx, input: ParsedOf<typeof ticketDesk.addTemplate>) {
  const { db, user } = ctx
  if (user.tenantId === null) throw forbidden()
  const [made] = await db
    .insert(ticketTemplates)
    .values({ ...input, tenantId: user.tenantId, createBy: user.uid, updateBy: user.uid })
    .returning({ id: ticketTemplates.id })
    .catch(titleTaken)
  ctx.audit({ bizType: TEMPLATE, bizId: made!.id, action: `新增备注模板「${input.title}」` })
  return { id: made!.id }
}

async function lockTemplate({ db, user }: Ctx, id: number) {
  const [found] = await db
    .select()
    .from(ticketTemplates)
    .where(and(eq(ticketTemplates.id, id), own(user)))
    .for('update')
  if (!found) throw notFound('备注模板')
  return found
}

export async function updateTemplate(ctx: Ctx, { id, rev, ...input }: ParsedOf<typeof ticketDesk.updateTemplate>) {
  const { db, user, now } = ctx
  const stored = await lockTemplate(ctx, id)
  await checkRevision(db, stored, rev)
  const change = updateColumns(stored, user.uid, now)
  await db
    .update(ticketTemplates)
    .set({ ...input, ...change })
    .where(eq(ticketTemplates.id, id))
    .catch(titleTaken)
  ctx.audit({ bizType: TEMPLATE, bizId: id, action: `修改备注模板「${input.title}」` })
  return { rev: change.rev }
}

export async function removeTemplate(ctx: Ctx, { id }: ParsedOf<typeof ticketDesk.removeTemplate>) {
  const stored = await lockTemplate(ctx, id)
  await ctx.db.update(ticketTemplates).set({ deletedAt: ctx.now.toISOString() }).where(eq(ticketTemplates.id, id))
  ctx.audit({ bizType: TEMPLATE, bizId: id, action: `删除备注模板「${stored.title}」` })
  return null
}

export async function getSlaSettings({ db, user, now, services }: Ctx) {
  assertDeskPermission(user)
  const { value, rev } = await readRevisedSlaSettings(db)
  const today = formatLocalDay(now, services.config.timeZone)
  return { ...value, rev, missingYear: findMissingYear(value.calendar, today) ?? 0 }
}

/**
 * Saves the SLA settings. One calendar applies to the installation, so only the platform changes it. The scheduled
 * job recalculates open tickets.
 */
export async function saveSlaSettings(ctx: Ctx, { rev, ...input }: ParsedOf<typeof ticketDesk.saveSla>) {
  const { db, user, now } = ctx
  if (!user.isPlatform) throw forbidden()
  const { holidays, workdays } = input.calendar
  const both = workdays.filter((day) => holidays.includes(day))
  if (both.length > 0) throw invalid(`${both.join('、')} 不能既是节假日又是调休上班日`, 'calendar.workdays')
  await saveSetting(ctx, SLA_SETTINGS_KEY, input, rev)
  await db.update(tickets).set({ slaNextTime: now.toISOString() }).where(ne(tickets.status, 5))
  ctx.audit({ bizType: SLA_SETTINGS_KEY, action: input.enabled ? '修改服务时限' : '停用服务时限' })
  return null
}

/** Time without a heartbeat after which a viewer is removed: two heartbeats and a reserve. */
const GONE = sql.raw(`interval '35 seconds'`)

export async function updateViewers({ db, user }: Ctx, { id, typing, leave }: ParsedOf<typeof ticketDesk.viewers>) {
  assertTicketReader(user)
  await requireTicket({ db, user }, id)
  const me = and(eq(ticketViewers.ticketId, id), eq(ticketViewers.uid, user.uid))
  if (leave === 1) {
    await db.delete(ticketViewers).where(me)
    return []
  }
  const seen = { realname: formatAccountName(user), typing, seenTime: sql`now()` as unknown as string }
  await db
    .insert(ticketViewers)
    .values({ ticketId: id, uid: user.uid, ...seen })
    .onConflictDoUpdate({ target: [ticketViewers.ticketId, ticketViewers.uid], set: seen })
  return db
    .select({ uid: ticketViewers.uid, realname: ticketViewers.realname, typing: ticketViewers.typing })
    .from(ticketViewers)
    .where(
      and(
        eq(ticketViewers.ticketId, id),
        ne(ticketViewers.uid, user.uid),
        sql`${ticketViewers.seenTime} > now() - ${GONE}`,
      ),
    )
    .orderBy(asc(ticketViewers.uid))
    .limit(20)
}

const MAX_TICKETS = 500

export async function listTicketTags({ db, user }: Ctx) {
  assertDeskPermission(user)
  // Reads tags of the newest tickets, which an index finds directly.
  const recent = db
    .select({ tags: tickets.tags })
    .from(tickets)
    .where(visibleTickets(user))
    .orderBy(sql`id desc`)
    .limit(MAX_TICKETS)
  const { rows } = await db.execute<{ tag: string }>(
    sql`select distinct unnest(tags) as tag from (${recent}) recent order by tag limit 100`,
  )
  return rows.map(({ tag }) => tag)
}

/** Returns the names of the ids in a ticket filter. Names only what a visible ticket contains. */
export async function nameTicketFilter(ctx: Ctx, input: ParsedOf<typeof ticketDesk.filterNames>) {
  assertDeskPermission(ctx.user)
  const { handlerId, lastHandlerId, modelId, verCode } = input
  return {
    handler: await findHandlerName(ctx, tickets.handlerId, handlerId),
    lastHandler: await findHandlerName(ctx, tickets.lastHandlerId, lastHandlerId),
    version: verCode ? await findVersionName(ctx, verCode, modelId) : '',
  }
}

const hasTicket = async ({ db, user }: Ctx, condition: SQL | undefined) => {
  const found = await db
    .select({ id: tickets.id })
    .from(tickets)
    .where(and(condition, visibleTickets(user)))
    .limit(1)
  return found.length > 0
}

async function findHandlerName(ctx: Ctx, column: PgColumn, uid: number | undefined) {
  if (uid === undefined || !(await hasTicket(ctx, eq(column, uid)))) return ''
  const [account] = await ctx.db
    .select({ name: sql<string>`coalesce(nullif(${accounts.realname}, ''), ${accounts.account})` })
    .from(accounts)
    .where(eq(accounts.uid, uid))
  return account?.name ?? ''
}

/** Returns the model and the version name; without a model, the name of the newest version with the number. */
async function findVersionName(ctx: Ctx, verCode: number, modelId: number | undefined) {
  const ofModel = modelId === undefined ? undefined : eq(tickets.modelId, modelId)
  if (!(await hasTicket(ctx, and(eq(tickets.verCode, verCode), ofModel)))) return ''
  const [version] = await ctx.db
    .select({ model: deviceModels.modelName, name: otaVersions.verName })
    .from(otaVersions)
    .innerJoin(deviceModels, eq(deviceModels.id, otaVersions.modelId))
    .where(and(eq(otaVersions.verCode, verCode), modelId === undefined ? undefined : eq(otaVersions.modelId, modelId)))
    .orderBy(desc(otaVersions.otaId))
    .limit(1)
  if (!version) return ''
  return modelId === undefined ? version.name : `${version.model} ${version.name}`
}
