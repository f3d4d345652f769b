import type { feedbackStat } from '@oms/contract/ticket/ticket-statistics.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, between, eq, gt, inArray, isNotNull, sql, Subquery } from 'drizzle-orm'
import { deviceModels, devices, deviceTypes, fleetCounts } from '#modules/device/schema.ts'
import { ticketFacts } from './schema.ts'
import type { Db } from '#core/database/client.ts'
import type { Ctx, User } from '#core/http/context.ts'
import { scoped, transact } from '#core/tenancy/tenancy.ts'
import { visibleDevices } from '#modules/device/device-filter.ts'
import {
  FACT_DIMENSION,
  selectFactSource,
  buildFactFilter,
  type TicketStatQuery,
  getBacklogAges,
  getHandlerStatistic,
  getProblemStatistic,
  getTicketSummary,
  getTicketTrend,
} from './statistics.ts'
import { forEachIsolated } from '#core/jobs/isolated.ts'
import type { Services } from '#core/services.ts'
import { PROBLEM_PART, PROBLEM_TYPE, type ProblemPart } from '@oms/contract/ticket/ticket-rows.ts'
import { DICT_SEED } from '@oms/contract/system/dict-seed.ts'
import type { ExportFormat } from '@oms/contract/core/transfer.ts'
import type { StreamResponse } from '#core/http/implement.ts'
import { sendTable } from '#core/spreadsheet/transfer-jobs.ts'

const MODELS = 30
const VERSIONS = 12

/** Returns tickets per 1,000 active devices with two decimals. */
const rateOf = (tickets: number, devices: number) =>
  devices > 0 ? Math.round((tickets / devices) * 100_000) / 100 : null

interface Cell {
  readonly modelId: number
  readonly verCode: number | null
  readonly tickets: number
  readonly devices: number
  readonly osVer: string
}

/** Returns defects by model and firmware: tickets of the period relative to devices that run the firmware now. */
export async function getModelStatistic(ctx: Ctx, input: ParsedOf<typeof feedbackStat.model>) {
  const { cells, countTime } = await cellsOf(ctx, input)
  const ids = [...new Set(cells.map(({ modelId }) => modelId))]
  const named = await modelsOf(ctx, ids)
  const sum = (list: readonly Cell[], key: 'tickets' | 'devices') => list.reduce((all, cell) => all + cell[key], 0)
  const top = named
    .map((one) => {
      const own = cells.filter(({ modelId }) => modelId === one.modelId)
      return { ...one, own, tickets: sum(own, 'tickets'), devices: sum(own, 'devices') }
    })
    .sort((a, b) => b.tickets - a.tickets || b.devices - a.devices)
  const shown = top.filter(({ tickets }) => tickets > 0).slice(0, MODELS)
  const names = await versionsOf(
    ctx,
    shown.map(({ modelId }) => modelId),
  )
  const types = [...new Set(named.map(({ typeId }) => typeId))].map((typeId) => {
    const own = top.filter((one) => one.typeId === typeId)
    const typeName = own[0]?.typeName ?? ''
    const add = (key: 'tickets' | 'devices') => own.reduce((all, one) => all + one[key], 0)
    return { typeId, typeName, tickets: add('tickets'), devices: add('devices') }
  })
  return {
    types: types.filter(({ tickets }) => tickets > 0).sort((a, b) => b.tickets - a.tickets),
    models: shown.map(({ own, typeId: _t, ...one }) => ({
      ...one,
      rate: rateOf(one.tickets, one.devices),
      versions: own
        .toSorted((a, b) => (b.verCode ?? -1) - (a.verCode ?? -1))
        .slice(0, VERSIONS)
        .map((cell) => ({ ...names.of(cell), ...cell, rate: rateOf(cell.tickets, cell.devices) })),
    })),
    countTime,
  }
}

/**
 * Returns the source of the device counts. The source is always named `fleet_counts`, for the reason given at
 * `selectFactSource`.
 */
const fleetSource = (user: User) =>
  (user.scope.ownOnly
    ? new Subquery(
        sql`select ${devices.tenantId}, ${devices.modelId}, coalesce(${devices.verCode}, 0) as ver_code,
          max(${devices.osVer}) as os_ver, count(*)::int as activated, now() as count_time
          from ${devices} where ${and(visibleDevices(user), isNotNull(devices.activateTime)) ?? sql`true`} group by 1, 2, 3`,
        {},
        'fleet_counts',
      )
    : fleetCounts) as unknown as typeof fleetCounts

/** Selects the activated devices by model and version. */
const fleetOf = (db: Db, user: User, { tenantId, typeId, modelId }: TicketStatQuery) =>
  db
    .select({
      modelId: fleetCounts.modelId,
      verCode: fleetCounts.verCode,
      osVer: sql<string>`max(${fleetCounts.osVer})`,
      devices: sql<number>`sum(${fleetCounts.activated})::int`,
      at: sql<string>`to_char(max(${fleetCounts.countTime}), 'YYYY-MM-DD HH24:MI:SS')`,
    })
    .from(fleetSource(user))
    .where(
      and(
        scoped(user, { tenant: fleetCounts.tenantId }),
        gt(fleetCounts.activated, 0),
        tenantId === undefined ? undefined : eq(fleetCounts.tenantId, tenantId),
        modelId === undefined ? undefined : eq(fleetCounts.modelId, modelId),
        typeId === undefined
          ? undefined
          : sql`${fleetCounts.modelId} in (select id from device_models where type_id = ${typeId}::int)`,
      ),
    )
    .groupBy(fleetCounts.modelId, fleetCounts.verCode)

async function cellsOf({ db, user }: Ctx, input: TicketStatQuery) {
  const counted = await db
    .select({ modelId: ticketFacts.modelId, key: ticketFacts.key, tickets: sql<number>`sum(${ticketFacts.n})::int` })
    .from(selectFactSource(user))
    .where(
      and(
        buildFactFilter(user, input, [FACT_DIMENSION.versions]),
        between(ticketFacts.day, input.startDate, input.endDate),
      ),
    )
    .groupBy(ticketFacts.modelId, ticketFacts.key)
    .having(sql`sum(${ticketFacts.n}) > 0`)
  const fleet = await fleetOf(db, user, input)
  const cells = new Map<string, Cell>()
  for (const { modelId, verCode, osVer, devices } of fleet)
    cells.set(`${modelId} ${verCode}`, { modelId, verCode: verCode || null, osVer, devices, tickets: 0 })
  for (const { modelId, key, tickets } of counted) {
    const place = `${modelId} ${Number(key)}`
    const known = cells.get(place) ?? { modelId, verCode: Number(key) || null, osVer: '', devices: 0 }
    cells.set(place, { ...known, tickets })
  }
  return { cells: [...cells.values()], countTime: fleet[0]?.at ?? null }
}

const modelsOf = async ({ db }: Ctx, ids: number[]) =>
  ids.length === 0
    ? []
    : db
        .select({
          modelId: deviceModels.id,
          modelName: deviceModels.modelName,
          typeId: deviceModels.typeId,
          typeName: sql<string>`coalesce(${deviceTypes.typeName}, '')`,
        })
        .from(deviceModels)
        .leftJoin(deviceTypes, eq(deviceTypes.id, deviceModels.typeId))
        .where(inArray(deviceModels.id, ids))

/** Returns the name and release time of each firmware version. */
async function versionsOf({ db }: Ctx, modelIds: number[]) {
  const { rows } = await db.execute<{
    modelId: number
    verCode: number
    verName: string
    releaseTime: string | null
  }>(sql`
    select distinct on (model_id, ver_code) model_id as "modelId", ver_code as "verCode", ver_name as "verName",
      to_char(coalesce(enable_time, release_date), 'YYYY-MM-DD HH24:MI:SS') as "releaseTime"
    from ota_versions where deleted_at is null and model_id = any(${sql.param(modelIds)}::int[])
    order by model_id, ver_code, ota_id desc`)
  const known = new Map(rows.map((row) => [`${row.modelId} ${row.verCode}`, row]))
  return {
    of: ({ modelId, verCode, osVer }: Cell) => {
      const found = known.get(`${modelId} ${verCode}`)
      const unnamed = osVer || (verCode === null ? '未上报版本' : String(verCode))
      return { verName: found?.verName ?? unnamed, releaseTime: found?.releaseTime ?? null }
    },
  }
}

/** All values of `dim` in the migration's function. With an explicit list the index finds the days of each value. */
const DIMS = '{1,2,3,4,5,6,7,8,9,11,12,13,14,15}'

/** Registers the scheduled job that merges the statistics increments. */
export function registerTicketRollups(services: Services) {
  services.jobs.schedule('ticket-rollup', () => rollUpTicketFacts(services), {
    title: '工单统计汇总',
    cron: '10 */15 * * * *',
  })
}

/** Merges the increments of each day. Readers see a day either before or after its merge. */
export async function rollUpTicketFacts({ database: { db }, log }: Pick<Services, 'database' | 'log'>) {
  const { rows } = await db.execute<{ day: string }>(
    sql`select distinct day::text as day from ticket_facts where fresh order by day limit 1000`,
  )
  const isolation = { log, kind: 'ticket-rollup', name: ({ day }: { day: string }) => ({ day }) }
  const { done, failed } = await forEachIsolated(rows, isolation, ({ day }) =>
    db.execute(sql`
      with gone as (delete from ticket_facts where day = ${day}::date and dim = any (${DIMS}::smallint[])
        returning dim, day, tenant_id, model_id, key, n, total)
      insert into ticket_facts (dim, day, tenant_id, model_id, key, n, total, fresh)
      select dim, day, tenant_id, model_id, key, sum(n)::int, sum(total)::bigint, false from gone
      group by dim, day, tenant_id, model_id, key having sum(n) <> 0 or sum(total) <> 0`),
  )
  return { days: done, failedItems: failed.length }
}

const COLUMNS = [
  { key: 'part', title: '分类', width: 18 },
  { key: 'name', title: '项目', width: 30 },
  { key: 'value', title: '数值', width: 14, type: 'number' },
  { key: 'more', title: '说明', width: 50 },
] as const

type Line = { part: string; name: string; value: number | null; more: string }

/** Exports every figure of the page, one row each. */
export async function exportStat(ctx: Ctx, input: ParsedOf<typeof feedbackStat.export>): Promise<StreamResponse> {
  const { format = 'xlsx' } = input as { format?: ExportFormat }
  const rows = await transact(ctx, (db) => linesOf({ ...ctx, db }, input))
  ctx.audit({ bizType: 'ticket', action: `导出售后统计 ${input.startDate} 至 ${input.endDate}` })
  return (_request, reply) => sendTable(reply, { name: '售后统计', format, columns: COLUMNS, rows })
}

async function linesOf(ctx: Ctx, input: TicketStatQuery): Promise<Line[]> {
  const figures = await getTicketSummary(ctx, input)
  const line =
    (part: string) =>
    (name: string, value: number | null, more = '') => ({ part, name, value, more })
  const one = line('概览')
  const [{ days }, problems, { models }] = [
    await getTicketTrend(ctx, input),
    await getProblemStatistic(ctx, input),
    await getModelStatistic(ctx, input),
  ]
  return [
    one('新增', figures.created),
    one('关闭', figures.closed),
    one('未关闭', figures.backlog, '当前'),
    one('未分派', figures.unassigned, '当前'),
    one('已超时', figures.breached, '当前'),
    one('平均首次响应（分钟）', figures.respondMinutes),
    one('平均解决（分钟）', figures.solveMinutes),
    one('重新打开率（%）', figures.reopenRate),
    one('满意度', figures.satisfaction, `${figures.rated} 个评价`),
    one('按时完成率（%）', figures.hitRate),
    ...days.map(({ day, created, closed, backlog }) => line('每日')(day, created, `关闭 ${closed}，未关闭 ${backlog}`)),
    ...problems.types.map(({ key, count }) =>
      line('问题类型')(PROBLEM_TYPE[Number(key) as keyof typeof PROBLEM_TYPE] ?? key, count),
    ),
    ...(['hardware', 'software', 'structure'] as const).flatMap((part) =>
      problems[part].map(({ key, count }) => line(PROBLEM_PART[part])(optionName(part, key), count)),
    ),
    ...models.flatMap(({ modelName, versions }) =>
      versions.map(({ verName, tickets, devices, rate }) =>
        line('型号与固件')(`${modelName} ${verName}`, tickets, `${devices} 台，每千台 ${rate ?? '-'}`),
      ),
    ),
    ...(await getHandlerStatistic(ctx, input)).map(({ realname, open, closed, solveMinutes }) =>
      line('处理人员')(realname, closed, `处理中 ${open}，平均解决 ${solveMinutes ?? '-'} 分钟`),
    ),
    ...(await getBacklogAges(ctx, input)).map(({ label, count }) => line('未关闭时长')(label, count)),
  ]
}

const optionName = (part: ProblemPart, key: string) =>
  DICT_SEED.find(({ type }) => type === `feedback_${part}`)?.entries.find(([value]) => value === key)?.[1] ?? key
