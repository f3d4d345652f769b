import type { programChecks as calls } from '@oms/contract/advertise/program-check.ts'
import { PROGRAM_STATUS } from '@oms/contract/advertise/program-words.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, eq, type SQL, sql } from 'drizzle-orm'
import { among, computePageOffset } from '#core/database/lists/list-query.ts'
import type { Ctx } from '#core/http/context.ts'
import { tenants } from '#core/schema/tenant.ts'
import { visibleDevices } from '#modules/device/device-filter.ts'
import { deviceModels, devices } from '#modules/device/schema.ts'
import { selectPublishedPrograms } from '../manifests/manifest.ts'
import { adScreens } from '../schema-screen.ts'
import { adPrograms } from '../schema.ts'
import { visiblePrograms } from '../scope.ts'
import { countStates, readScreenStates } from '../screens/screen-states.ts'
import { buildTargetCondition, HAS_SCREEN_CONDITION } from './program-targets.ts'
import { readProgramContent, readProgram } from './program.ts'

const MAX_REASONS = 20

/** Returns the delivery of the version in force, otherwise of the edited content, to its screens. */
export async function listDelivery(ctx: Ctx, { id, state, ...page }: ParsedOf<typeof calls.delivery>) {
  const { db, user, now, services } = ctx
  const program = await readProgram(ctx, id)
  const content = program.publishedVer > 0 ? await readProgramContent(db, program, program.publishedVer) : program
  const where = and(visibleDevices(user), await buildTargetCondition(db, content)) as SQL
  const states = await readScreenStates(services, db, where, now)
  const matching = state === undefined ? states : states.filter((each) => each.state === state)
  const offset = computePageOffset(page)
  const shown = matching.slice(offset, offset + page.pageSize)
  const facts = await readScreenNames(
    ctx,
    shown.map((each) => each.id),
  )
  const list = shown.flatMap((each) => {
    const row = facts.get(each.id)
    const { readyFiles, totalFiles, failed } = each
    return row ? [{ ...row, state: each.state, readyFiles, totalFiles, reason: failed[0]?.reason ?? '' }] : []
  })
  const failures = Map.groupBy(
    states.flatMap(({ failed }) => [...new Set(failed.map(({ reason }) => reason))]),
    (reason) => reason,
  )
  return {
    list,
    total: matching.length,
    states: countStates(states),
    failures: [...failures]
      .map(([reason, each]) => ({ reason, count: each.length }))
      .sort((a, b) => b.count - a.count)
      .slice(0, MAX_REASONS),
  }
}

/** Reads names of screens by device. */
export async function readScreenNames({ db }: Pick<Ctx, 'db'>, ids: readonly number[]) {
  if (ids.length === 0) return new Map<number, never>()
  const rows = await db
    .select({
      id: devices.id,
      sn: devices.sn,
      devName: devices.devName,
      tenantName: sql<string>`coalesce(${tenants.name}, '')`,
      modelName: sql<string>`coalesce(${deviceModels.modelName}, '')`,
      lastReportTime: adScreens.lastReportTime,
    })
    .from(devices)
    .innerJoin(adScreens, eq(adScreens.deviceId, devices.id))
    .leftJoin(tenants, eq(tenants.id, devices.tenantId))
    .leftJoin(deviceModels, eq(deviceModels.id, devices.modelId))
    .where(among(devices.id, ids))
  return new Map(rows.map((row) => [row.id, row]))
}

const HAS_ALL_FILES_SQL = sql`s.failed = '[]'::jsonb and s.ready_files >= s.total_files`

/**
 * Counts, for each program in force, its visible screens and its visible screens that have a present manifest with the
 * program and all files. Counts the screens of all programs with one statement.
 */
export async function countDeliveries(ctx: Ctx, { ids }: ParsedOf<typeof calls.deliveryCounts>) {
  const { db, user, services } = ctx
  const programs = await readProgramsInForce(ctx, ids)
  if (programs.length === 0) return { list: [] }
  await services.fleet.ready()
  const targets: SQL[] = []
  const counts: SQL[] = []
  for (const program of programs) {
    const isTarget = (await buildTargetCondition(db, program)) ?? sql`true`
    const etags = services.adDelivery.index.listEtagsOfProgram(program.id)
    const isReady = sql`s.applied_etag = any(${sql.param(etags)}::text[]) and ${HAS_ALL_FILES_SQL}`
    targets.push(isTarget)
    counts.push(sql`count(*) filter (where ${isTarget})`, sql`count(*) filter (where ${isTarget} and ${isReady})`)
  }
  const { rows } = await db.execute<{ counts: number[] }>(sql`
    select array[${sql.join(counts, sql`, `)}]::int[] as counts
    from devices join ad_screens s on s.device_id = devices.id
    where ${and(visibleDevices(user), HAS_SCREEN_CONDITION)} and (${sql.join(targets, sql` or `)})`)
  const values = rows[0]?.counts ?? []
  return { list: programs.map(({ id }, at) => ({ id, screens: values[at * 2] ?? 0, ready: values[at * 2 + 1] ?? 0 })) }
}

/** Returns the targets of the versions in force. Omits programs without a version in force. */
async function readProgramsInForce({ db, user }: Ctx, ids: readonly number[]) {
  const rows = await selectPublishedPrograms(db).where(
    and(among(adPrograms.id, ids), visiblePrograms(user), eq(adPrograms.status, PROGRAM_STATUS.delivering)),
  )
  return rows.map(({ body, ...program }) => ({ ...program, isDefault: body.fallback > 0 ? 1 : 0 }))
}
