import {
  type FleetState,
  MAX_DISTRIBUTION_LINES,
  type DistributionKind,
  type DistributionData,
} from '@oms/contract/home/home.ts'
import { sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import type { Ctx, User } from '#core/http/context.ts'
import { readCachedDeviceStatistic, formatScopeKey, selectDeviceCounts } from '#modules/device/fleet/fleet-counts.ts'

export const canSeeDevices = (user: User) => user.can('device:apkManage:list')
/** True when the account sees several tenants. A comparison of tenants is useless for one tenant. */
export const canSeeTenants = (user: User) => user.isPlatform && user.can('tenantManage:tenant:list')

interface Line {
  readonly key: string
  readonly modelId: number | null
  readonly tenantId: number | null
  readonly region: string | null
  readonly verCode: number | null
  readonly devices: number
  readonly online: number
}
interface Fleet {
  readonly rows: number
  readonly state: FleetState
  readonly by: Readonly<Record<'model' | 'version' | 'region' | 'tenant', readonly Line[]>>
}

/** Counts the devices by every grouping with one query. Large counts are cached for a minute. */
export const readFleetCounts = ({ services, db, user }: Ctx): Promise<Fleet> =>
  readCachedDeviceStatistic(services, `fleet ${formatScopeKey(user)}`, () => countFleet(db, user))

/**
 * Maps `grouping(model_id, tenant_id, region, ver_code)` to the grouping of the row: one bit for each omitted
 * column.
 */
const KINDS = { 15: 'all', 7: 'model', 11: 'tenant', 13: 'region', 6: 'version' } as const

type Counted = Line & Omit<FleetState, 'offline'> & { kind: keyof typeof KINDS } & Record<string, unknown>

async function countFleet(db: Db, user: User): Promise<Fleet> {
  const { rows } = await db.execute<Counted>(sql`
    select grouping(model_id, tenant_id, region, ver_code) as kind,
      model_id as "modelId", tenant_id as "tenantId", region, nullif(ver_code, 0) as "verCode",
      coalesce(sum(devices), 0)::int as devices, coalesce(sum(online), 0)::int as online,
      coalesce(sum(inactive), 0)::int as inactive, coalesce(sum(disabled), 0)::int as disabled,
      coalesce(sum(activated_today), 0)::int as "activatedToday", coalesce(sum(created_today), 0)::int as "createdToday"
    from (${await selectDeviceCounts(db, user)}) d
    group by grouping sets ((), (model_id), (tenant_id), (region), (model_id, ver_code))`)
  const of = (kind: (typeof KINDS)[keyof typeof KINDS]) => rows.filter((row) => KINDS[row.kind] === kind)
  const largest = (kind: 'model' | 'version' | 'region' | 'tenant') =>
    of(kind).sort((a, b) => b.devices - a.devices || a.online - b.online)
  const {
    devices = 0,
    online = 0,
    inactive = 0,
    disabled = 0,
    activatedToday = 0,
    createdToday = 0,
  } = of('all')[0] ?? {}
  return {
    rows: devices,
    state: { devices, online, offline: devices - online - inactive, inactive, disabled, activatedToday, createdToday },
    by: { model: largest('model'), version: largest('version'), region: largest('region'), tenant: largest('tenant') },
  }
}

/** Returns the largest groups by name with links to their device lists. */
export async function readDeviceDistribution(ctx: Ctx, by: DistributionKind): Promise<DistributionData> {
  const fleet = await readFleetCounts(ctx)
  const may = canSeeDevices(ctx.user)
  const link = (query: string) => (may ? `/device/apkManage?${query}` : '')
  const total = fleet.state.devices
  if (by === 'type') return cut(total, await byType(ctx, fleet, link))
  const shown = fleet.by[by].slice(0, MAX_DISTRIBUTION_LINES)
  if (by === 'region')
    return cut(
      total,
      shown.map(({ region, devices, online }) => ({ name: region || '未知地区', value: devices, online, url: '' })),
    )
  const lines = by === 'tenant' ? byTenant(ctx, shown, link) : byModel(ctx, shown, { by, link })
  return cut(total, await lines)
}

const cut = (total: number, list: DistributionData['list']): DistributionData => {
  const shown = list.slice(0, MAX_DISTRIBUTION_LINES)
  return { total, others: total - shown.reduce((sum, { value }) => sum + value, 0), list: shown }
}

type Link = (query: string) => string

async function byTenant({ db }: Ctx, shown: readonly Line[], link: Link) {
  const ids = shown.map(({ tenantId }) => tenantId ?? 0)
  const names = await namesOf(db, 'tenants', ids)
  return shown.map(({ tenantId, devices, online }) => ({
    name: names.get(tenantId ?? 0) ?? '',
    value: devices,
    online,
    url: link(`tenantId=${tenantId}`),
  }))
}

/** Presents the groups by model, or by model and version. */
async function byModel({ db }: Ctx, shown: readonly Line[], { by, link }: { by: 'model' | 'version'; link: Link }) {
  const ids = shown.map(({ modelId }) => modelId ?? 0)
  const names = await namesOf(db, 'device_models', ids)
  return shown.map(({ modelId, verCode, devices, online }) => {
    const model = names.get(modelId ?? 0) ?? ''
    if (by === 'model') return { name: model, value: devices, online, url: link(`modelId=${modelId}`) }
    const name = `${model} ${verCode ?? '未上报'}`
    const query = `modelId=${modelId}&verCodeMin=${verCode}&verCodeMax=${verCode}`
    return { name, value: devices, online, url: verCode === null ? '' : link(query) }
  })
}

async function byType({ db }: Ctx, fleet: Fleet, link: Link) {
  const ids = fleet.by.model.map(({ modelId }) => modelId)
  const { rows } = await db.execute<{ modelId: number; typeId: number; name: string }>(sql`
    select m.id as "modelId", t.id as "typeId", t.type_name as name from device_models m
    join device_types t on t.id = m.type_id where m.id = any(${sql.param(ids)}::int[])`)
  const typeOf = new Map(rows.map((row) => [row.modelId, row]))
  const sums = new Map<number, DistributionData['list'][number]>()
  for (const { modelId, devices, online } of fleet.by.model) {
    const { typeId = 0, name = '未知类型' } = typeOf.get(modelId ?? 0) ?? {}
    const sum = sums.get(typeId) ?? { name, value: 0, online: 0, url: link(`typeId=${typeId}`) }
    sums.set(typeId, { ...sum, value: sum.value + devices, online: sum.online + online })
  }
  return [...sums.values()].sort((a, b) => b.value - a.value)
}

const NAMES = { tenants: sql`tenants`, device_models: sql`device_models` }
const NAME = { tenants: sql`name`, device_models: sql`model_name` }

async function namesOf(db: Db, table: 'tenants' | 'device_models', ids: readonly number[]) {
  const { rows } = await db.execute<{ id: number; name: string }>(
    sql`select id, ${NAME[table]} as name from ${NAMES[table]} where id = any(${sql.param(ids)}::int[])`,
  )
  return new Map(rows.map(({ id, name }) => [id, name]))
}
