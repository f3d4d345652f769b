import {
  type FleetState,
  MAX_DISTRIBUTION_LINES,
  type DistributionKind,
  type DistributionData,
} from '@oms/contract/home/home.ts'
import { sql, and, eq, isNull, or, type SQL } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import type { Ctx, User } from '#core/http/context.ts'
import { appAccounts, tenants } from '#core/schema/tenant.ts'
import { notDeleted, PLATFORM_TENANT_ID, scoped, worksInPlatform } from '#core/tenancy/tenancy.ts'
import { expiresWithinDays, TENANT_EXPIRED_CONDITION } from '#core/tenancy/tenant-state.ts'
import { addDays, formatLocalDay } from '#core/time/zone.ts'
import { readCachedDeviceStatistic, formatScopeKey, selectDeviceCounts } from '#modules/device/fleet/fleet-counts.ts'
import { visibleDevices } from '#modules/device/device-filter.ts'
import { tickets, isTicketOpen as openTickets, visibleTickets } from '#modules/ticket/index.ts'
import { type BlockSource, omitZeros, canSeeTickets } from './block.ts'
import { readGrowth, selectCreatedByDay } from './growth.ts'

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

const today = sql`date_trunc('day', now())`
const todayOf = ({ now, services }: Ctx) => formatLocalDay(now, services.config.timeZone)

const readDeviceGrowth = (ctx: Ctx, total: number) =>
  readCachedDeviceStatistic(ctx.services, `growth ${formatScopeKey(ctx.user)}`, async () => {
    const changes = selectCreatedByDay(sql`devices`, sql`create_time`, visibleDevices(ctx.user))
    return { rows: total, ...(await readGrowth(ctx.db, total, changes)) }
  }).then(({ rows: _rows, ...growth }) => growth)

export const devicesBlock: BlockSource = {
  title: '设备',
  resources: ['device'],
  may: canSeeDevices,
  async load(ctx) {
    const { state } = await readFleetCounts(ctx)
    return {
      value: state.devices,
      delta: state.createdToday,
      ...(await readDeviceGrowth(ctx, state.devices)),
      detail: `今日激活 ${state.activatedToday} 台`,
      figures: omitZeros([{ title: '停用', value: state.disabled, url: '/device/apkManage?status=0' }]),
      parts: [
        { title: '在线', value: state.online, tone: 'good', url: '/device/apkManage?online=1' },
        { title: '离线', value: state.offline, tone: 'calm', url: '/device/apkManage?online=0&activated=1' },
        { title: '未激活', value: state.inactive, tone: 'quiet', url: '/device/apkManage?online=0&activated=0' },
      ],
      url: '/device/apkManage',
    }
  },
}

const TENANTS = '/tenantManage/tenant'

/** Counts tenants without the platform. */
export const tenantsBlock: BlockSource = {
  title: '客户',
  resources: ['tenant'],
  may: canSeeTenants,
  async load({ db, user }) {
    const isCustomer = sql`${tenants.id} <> ${PLATFORM_TENANT_ID}`
    const seen = and(notDeleted(tenants), isCustomer, scoped(user, { tenant: tenants.id }))
    const [sums] = await db
      .select({
        value: sql<number>`count(*)::int`,
        today: sql<number>`count(*) filter (where create_time >= ${today})::int`,
        due: sql<number>`count(*) filter (where ${expiresWithinDays(30)})::int`,
        // The list shows an expired tenant as expired, also when it is disabled.
        off: sql<number>`count(*) filter (where status = 0 and not ${TENANT_EXPIRED_CONDITION})::int`,
        expired: sql<number>`count(*) filter (where ${TENANT_EXPIRED_CONDITION})::int`,
      })
      .from(tenants)
      .where(seen)
    const { due = 0, off = 0, expired = 0 } = sums ?? {}
    const figures = omitZeros([
      { title: '30 天内到期', value: due, url: `${TENANTS}?expiresWithin=30` },
      { title: '停用', value: off, url: `${TENANTS}?status=0` },
      { title: '已过期', value: expired, url: `${TENANTS}?status=3` },
    ])
    return {
      value: sums?.value ?? 0,
      delta: sums?.today ?? 0,
      better: 'up',
      ...(await readGrowth(db, sums?.value ?? 0, selectCreatedByDay(sql`tenants`, sql`create_time`, seen))),
      ...(figures.length > 0 ? { figures } : { detail: '全部正常' }),
      url: TENANTS,
    }
  },
}

const APP_USERS = '/AccountAdministration/accountList'
/** An App user is active when the last activity was within this number of days, including today. */
const ACTIVE_DAYS = 7

/** Counts App users and the recently active App users. */
export const appAccountsBlock: BlockSource = {
  title: 'App账号',
  resources: ['account'],
  may: (user) => user.can('AccountAdministration:accountList:list'),
  async load(ctx) {
    const { db, user } = ctx
    const to = todayOf(ctx)
    const from = addDays(to, 1 - ACTIVE_DAYS)
    const own = scoped(user, { tenant: appAccounts.tenantId, creator: appAccounts.createBy })
    const seen = and(notDeleted(appAccounts), own)
    const [sums] = await db
      .select({
        value: sql<number>`count(*)::int`,
        today: sql<number>`count(*) filter (where register_time >= ${today})::int`,
        active: sql<number>`count(*) filter (where last_active_time >= ${from})::int`,
      })
      .from(appAccounts)
      .where(seen)
    return {
      value: sums?.value ?? 0,
      delta: sums?.today ?? 0,
      better: 'up',
      ...(await readGrowth(db, sums?.value ?? 0, selectCreatedByDay(sql`app_accounts`, sql`register_time`, seen))),
      figures: [
        {
          title: `近 ${ACTIVE_DAYS} 天活跃`,
          value: sums?.active ?? 0,
          url: `${APP_USERS}?activeBegin=${from}&activeEnd=${to}`,
        },
      ],
      url: APP_USERS,
    }
  },
}

const TICKETS = '/AfterService/Questions'

/** Selects the change of the number of open tickets on each of the last days. */
const selectBacklogChanges = (seen: SQL | undefined) => sql`
  select at, sum(n)::int as n from (
    ${selectCreatedByDay(sql`tickets`, sql`create_time`, seen)}
    union all select at, -n from (${selectCreatedByDay(sql`tickets`, sql`close_time`, seen)}) closed) changes group by 1`

/** Counts open tickets: all visible tickets, or the pending tickets for accounts with only the pending list. */
export const ticketsBlock: BlockSource = {
  title: '待处理工单',
  resources: ['feedback'],
  may: canSeeTickets,
  async load(ctx) {
    const { db, user } = ctx
    const seen = visibleTickets(user)
    const hasList = user.can('AfterService:Questions:list')
    const hasPending = user.can('AfterService:PendingList:list')
    const own = hasList || !hasPending ? undefined : or(eq(tickets.handlerId, user.uid), isNull(tickets.handlerId))
    const [open] = await db
      .select({
        value: sql<number>`count(*)::int`,
        free: sql<number>`count(*) filter (where ${isNull(tickets.handlerId)})::int`,
        late: sql<number>`count(*) filter (where sla_state = 3)::int`,
      })
      .from(tickets)
      .where(and(seen, openTickets, own))
    const created = await db.$count(tickets, and(seen, sql`${tickets.createTime} >= ${today}`))
    const { value = 0, free = 0, late = 0 } = open ?? {}
    const day = todayOf(ctx)
    return {
      value,
      better: 'down',
      ...(own ? {} : await readGrowth(db, value, selectBacklogChanges(seen))),
      // Accounts without the ticket list get no links, because no other page lists exactly these tickets.
      ...(hasList
        ? {
            figures: [
              { title: '今日新增', value: created, url: `${TICKETS}?beginTime=${day}&endTime=${day}` },
              { title: '未分派', value: free, url: `${TICKETS}?open=1&unassigned=1` },
              ...omitZeros([{ title: '超时', value: late, url: `${TICKETS}?open=1&slaState=3` }]),
            ],
          }
        : { detail: `今日新增 ${created} 个，未分派 ${free} 个${late > 0 ? `，超时 ${late} 个` : ''}` }),
      url: hasList ? `${TICKETS}?open=1` : hasPending ? '/AfterService/PendingList' : '/AfterService/StatisticAnalysis',
    }
  },
}

/**
 * Returns the condition on `license_counts` within the data scope. Tenant 0 is the vendor's stock, which is visible
 * with the platform in the scope.
 */
function countedLicenses({ scope: { tenants } }: User) {
  if (tenants === 'all') return sql`true`
  const stock = tenants.includes(PLATFORM_TENANT_ID) ? [0] : []
  return sql`tenant_id = any(${sql.param([...stock, ...tenants])}::int[])`
}

const urlOf = (state: number) => `/LicenseManage/Certificate?state=${state}`
const STATE = { stock: 0, allotted: 1, bound: 2, activated: 3 } as const

/** Counts available certificates: the vendor's stock, or a tenant's allotted and unused certificates. */
export const licensesBlock: BlockSource = {
  title: '剩余证书',
  resources: ['license'],
  may: (user) => user.can('LicenseManage:Certificate:list'),
  async load({ db, user }) {
    const isVendor = worksInPlatform(user)
    const own = isVendor ? countedLicenses(user) : sql`tenant_id = ${user.tenantId ?? 0}`
    const { rows } = await db.execute<{ state: number; n: number }>(
      sql`select state, sum(n)::int as n from license_counts where ${own} group by state`,
    )
    const held = new Map(rows.map(({ state, n }) => [state, n]))
    const of = (state: number) => held.get(state) ?? 0
    return {
      value: isVendor ? of(STATE.stock) : of(STATE.allotted),
      figures: [
        ...(isVendor ? [{ title: '已分配', value: of(STATE.allotted), url: urlOf(STATE.allotted) }] : []),
        { title: '已绑定', value: of(STATE.bound), url: urlOf(STATE.bound) },
        { title: '已激活', value: of(STATE.activated), url: urlOf(STATE.activated) },
      ],
      url: urlOf(isVendor ? STATE.stock : STATE.allotted),
    }
  },
}
