import type { programChecks as calls } from '@oms/contract/advertise/program-check.ts'
import { PROGRAM_STATUS } from '@oms/contract/advertise/program-words.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, eq, type SQL, sql } from 'drizzle-orm'
import { among } from '#core/database/lists/list-query.ts'
import type { Ctx } from '#core/http/context.ts'
import { selectPublishedPrograms } from '../manifests/manifest-of.ts'
import { HAS_SCREEN_CONDITION } from '../targets.ts'
import { visiblePrograms } from '../visible-programs.ts'
import { visibleDevices } from '#modules/device/fleet/device-filter.ts'
import { adPrograms } from '../schema.ts'
import { buildTargetCondition } from '../programs/targets.ts'

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
