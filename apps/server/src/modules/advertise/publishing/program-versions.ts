import type { programs } from '@oms/contract/advertise/program.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, desc, eq, getTableColumns, inArray, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import type { Db } from '#core/database/client.ts'
import { paginate } from '#core/database/lists/list-query.ts'
import type { Ctx, User } from '#core/http/context.ts'
import { buildOutOfScopeVersionCondition } from '../program-scope.ts'
import { toRuleColumns } from '../program-body.ts'
import { accounts } from '#core/schema/account.ts'
import { adProgramVersions } from '../schema.ts'
import { HIDDEN_AD_NAME, readAdNames, sumItemSeconds } from '../programs/program-items.ts'
import { readProgram } from '../programs/program-rows.ts'
import { readTargetNames } from '../programs/program-targets.ts'

const publisher = alias(accounts, 'publisher')
const auditor = alias(accounts, 'auditor')

const selectVersions = ({ db, user }: Pick<Ctx, 'db' | 'user'>) =>
  db
    .select({
      ...getTableColumns(adProgramVersions),
      isBeyondScope: buildOutOfScopeVersionCondition(user, adProgramVersions).as('is_beyond_scope'),
      publishByName: sql<string>`coalesce(${publisher.realname}, '')`.as('publish_by_name'),
      auditByName: sql<string>`coalesce(${auditor.realname}, '')`.as('audit_by_name'),
    })
    .from(adProgramVersions)
    .leftJoin(publisher, eq(publisher.uid, adProgramVersions.publishBy))
    .leftJoin(auditor, eq(auditor.uid, adProgramVersions.auditBy))
type SelectedVersion = Awaited<ReturnType<typeof selectVersions>>[number]

export async function listVersions(ctx: Ctx, { id, ...page }: ParsedOf<typeof programs.versions>) {
  await readProgram(ctx, id)
  const rows = selectVersions(ctx).where(eq(adProgramVersions.programId, id)).$dynamic()
  const found = await paginate(ctx.db, rows, page, [desc(adProgramVersions.verNo)])
  return { ...found, list: await presentVersions(ctx, found.list) }
}

/** Returns the versions with these numbers. Ignores numbers without a version. */
export const readVersions = (ctx: Pick<Ctx, 'db' | 'user'>, programId: number, verNos: readonly number[]) =>
  selectVersions(ctx).where(
    and(eq(adProgramVersions.programId, programId), inArray(adProgramVersions.verNo, [...verNos])),
  )

/** Serialises versions for the console. */
export async function presentVersions({ db, user }: Pick<Ctx, 'db' | 'user'>, versions: readonly SelectedVersion[]) {
  const adNames = await readAdNames(
    { db, user },
    versions.flatMap(({ body }) => body.items.map(({ adId }) => adId)),
  )
  const targets = await versionTargets(db, user, versions)
  return versions.map(({ body, targetIds, isBeyondScope, ...version }) => ({
    ...version,
    screens: isBeyondScope ? null : version.screens,
    ...toRuleColumns(body),
    itemCount: body.items.length,
    totalDuration: sumItemSeconds(body.items),
    adNames: body.items.map(({ adId }) => adNames.get(adId) ?? HIDDEN_AD_NAME),
    targets: targets({ ...version, targetIds }),
    targetCount: targetIds.length,
  }))
}

type StoredVersion = typeof adProgramVersions.$inferSelect

/** Reads the names of the targets of several versions, with one statement for each kind of target. */
async function versionTargets(db: Db, user: User, versions: readonly StoredVersion[]) {
  const names = new Map<string, string>()
  for (const [targetType, same] of Map.groupBy(versions, (version) => version.targetType)) {
    const targetIds = [...new Set(same.flatMap((version) => version.targetIds))]
    const found = await readTargetNames(db, user, { tenantId: same[0]?.tenantId ?? 0, targetType, targetIds })
    for (const { id, name } of found) names.set(`${targetType}.${id}`, name)
  }
  return ({ targetType, targetIds }: Pick<StoredVersion, 'targetType' | 'targetIds'>) =>
    targetIds.flatMap((id) => {
      const name = names.get(`${targetType}.${id}`)
      return name === undefined ? [] : [{ id, name }]
    })
}
