import type { ticketDesk } from '@oms/contract/ticket/ticket-desk.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, desc, eq, type SQL, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import type { Ctx } from '#core/http/context.ts'
import { accounts } from '#core/schema/account.ts'
import { deviceModels } from '#modules/device/schema.ts'
import { otaVersions } from '#modules/upgrade/schema-ota.ts'
import { tickets } from './schema.ts'
import { assertDeskPermission, visibleTickets } from './ticket-rows.ts'

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
