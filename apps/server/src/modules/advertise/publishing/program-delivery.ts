import type { programChecks as calls } from '@oms/contract/advertise/program-check.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, eq, type SQL, sql } from 'drizzle-orm'
import { among, computePageOffset } from '#core/database/lists/list-query.ts'
import type { Ctx } from '#core/http/context.ts'
import { visibleDevices } from '#modules/device/fleet/device-filter.ts'
import { adScreens } from '../schema-screen.ts'
import { deviceModels, devices } from '#modules/device/schema.ts'
import { tenants } from '#core/schema/tenant.ts'
import { readProgramContent } from '../programs/program-content.ts'
import { readProgram } from '../programs/program-rows.ts'
import { countStates, readScreenStates } from '../screens/screen-states.ts'
import { buildTargetCondition } from '../programs/targets.ts'

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
