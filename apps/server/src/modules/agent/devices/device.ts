import type { AgentDeviceRow, agentDevices as calls } from '@oms/contract/agent/devices/device.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { formatMac } from '@oms/contract/device/device-fields.ts'
import { and, asc, eq, ilike, type SQL, sql, inArray } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { among, contains, buildSort, paginate, byName } from '#core/database/lists/list-query.ts'
import { notFound } from '#core/http/api-error.ts'
import type { Ctx, User } from '#core/http/context.ts'
import { tenants } from '#core/schema/tenant.ts'
import type { Services } from '#core/services.ts'
import { notDeleted, scoped, transact, PLATFORM_TENANT_ID } from '#core/tenancy/tenancy.ts'
import { blocksDeviceDeletion } from '#modules/device/device-references.ts'
import { deviceModels, devices } from '#modules/device/schema.ts'
import { visibleAgents } from '../agents/agent.ts'
import { hasLimit, readLimitModes, hasPackageState, addPackages } from '../orders/device-packages.ts'
import type { PackConsumer } from '../orders/open-packs.ts'
import { agentDevices } from '../schema/agent-device.ts'
import { agents } from '../schema/agent.ts'
import { readUsageLimit } from '../usage/usage-limit.ts'

/** Name of a bound device on screens: its alias, else the name of the device. */
export const BINDING_NAME = sql<string>`coalesce(nullif(${agentDevices.alias}, ''), nullif(${devices.devName}, ''), ${devices.sn})`

/**
 * Selects bound devices with the columns of lists and details. `window`: seconds without a turn after which a session
 * counts as closed.
 */
export const selectBindings = (db: Db, window: SQL) =>
  db
    .select({
      id: agentDevices.deviceId,
      sn: devices.sn,
      name: BINDING_NAME.as('shown_name'),
      alias: agentDevices.alias,
      mac: sql<string>`${agentDevices.mac}::macaddr::text`.as('shown_mac'),
      board: agentDevices.board,
      modelName: sql<string>`coalesce(${deviceModels.modelName}, '')`.as('model_name'),
      appVersion: agentDevices.appVersion,
      agentId: agentDevices.agentId,
      agentName: sql<string>`coalesce(${agents.agentName}, '')`.as('agent_name'),
      agentCode: sql<string>`coalesce(${agents.agentCode}, '')`.as('agent_code'),
      tenantId: agentDevices.tenantId,
      tenantName: sql<string>`coalesce(${tenants.name}, '')`.as('tenant_name'),
      state: computeDeviceState(window).as('state'),
      bootTime: agentDevices.bootTime,
      sessionTime: agentDevices.sessionTime,
      turnTime: agentDevices.turnTime,
      autoUpdate: agentDevices.autoUpdate,
      clientId: agentDevices.clientId,
      otherClientId: agentDevices.otherClientId,
      otherClientTime: agentDevices.otherClientTime,
      identity: HAS_OTHER_IDENTITY_SQL.as('identity'),
      status: devices.status,
      createTime: agentDevices.createTime,
      rev: agentDevices.rev,
    })
    .from(agentDevices)
    .innerJoin(devices, eq(devices.id, agentDevices.deviceId))
    .leftJoin(deviceModels, eq(deviceModels.id, devices.modelId))
    .leftJoin(agents, eq(agents.id, agentDevices.agentId))
    .leftJoin(tenants, eq(tenants.id, agentDevices.tenantId))

type Filter = Omit<ParsedOf<typeof calls.list>, 'pageNum' | 'pageSize'>

/** Values besides the account on which the conditions of a filter depend. */
interface View {
  /** Seconds without a turn after which a session counts as closed. */
  readonly window: SQL
  readonly ofMode: Awaited<ReturnType<typeof readLimitModes>>
}

/** Returns the condition of a filter. */
export const buildBindingCondition = (user: User, filter: Partial<Filter>, { window, ofMode }: View): SQL | undefined =>
  and(
    visibleBindings(user),
    notDeleted(devices),
    filter.deviceId === undefined ? undefined : eq(agentDevices.deviceId, filter.deviceId),
    contains(BINDING_NAME, filter.name),
    filter.mac ? ilike(agentDevices.mac, `${filter.mac.toLowerCase().replaceAll(/[^0-9a-f]/g, '')}%`) : undefined,
    contains(agentDevices.board, filter.board),
    filter.agentId === undefined ? undefined : eq(agentDevices.agentId, filter.agentId),
    filter.tenantId === undefined ? undefined : eq(agentDevices.tenantId, filter.tenantId),
    filter.state === undefined ? undefined : sql`${computeDeviceState(window)} = ${filter.state}`,
    filter.identity === undefined ? undefined : sql`${HAS_OTHER_IDENTITY_SQL} = ${filter.identity}`,
    filter.packageState === undefined ? undefined : hasPackageState(filter.packageState),
    filter.limit === undefined ? undefined : hasLimit(filter.limit, ofMode),
  )

/** Returns the order of the list: newest binding first unless a column is given. */
export const buildBindingSort = (input: Pick<Filter, 'orderByColumn' | 'isAsc'>) =>
  buildSort(
    input,
    { createTime: agentDevices.createTime, bootTime: agentDevices.bootTime, turnTime: agentDevices.turnTime },
    agentDevices.deviceId,
  )

export async function listBindings(ctx: Ctx, input: ParsedOf<typeof calls.list>) {
  const { db, user, services } = ctx
  const view = { window: await readSessionWindow(services), ofMode: await readLimitModes(services) }
  const rows = selectBindings(db, view.window).where(buildBindingCondition(user, input, view))
  const page = await paginate(db, rows.$dynamic(), input, buildBindingSort(input))
  const list = await addPackages(db, page.list)
  return { ...page, list: await Promise.all(list.map((row) => withLimit(ctx, row))) }
}

/**
 * Adds the state of the limit to a device that the account may see. Parallel calls for the devices of a page share one
 * statement.
 */
async function withLimit<T extends { id: number; agentId: number; tenantId: number }>(ctx: Ctx, row: T) {
  const { state } = await readBindingLimit(ctx, { ...row, deviceId: row.id })
  return { ...row, limit: state }
}

/** Returns the usage limit of a device that the account may see. */
export async function readBindingLimit({ services, now }: Pick<Ctx, 'services' | 'now'>, device: PackConsumer) {
  const { agentParameters, voiceServers } = services
  const params = await agentParameters.of(device.tenantId)
  return readUsageLimit({ reads: voiceServers.reads, params, now: now.getTime() }, device)
}

export async function getBinding(ctx: Ctx, { id }: ParsedOf<typeof calls.get>): Promise<AgentDeviceRow> {
  const { db, user } = ctx
  const rows = selectBindings(db, await readSessionWindow(ctx.services))
  const [found] = await rows.where(and(eq(agentDevices.deviceId, id), visibleBindings(user), notDeleted(devices)))
  if (!found) throw notFound('语音设备')
  const [row] = await addPackages(db, [found])
  return withLimit(ctx, row!)
}

const MAX_OPTIONS = 100

/** Returns the agents that a device can be bound to. */
export async function listAgentOptions({ db, user }: Ctx, { keyword }: ParsedOf<typeof calls.agents>) {
  const list = await db
    .select({
      id: agents.id,
      name: agents.agentName,
      tenantName: sql<string>`coalesce(${tenants.name}, '')`.as('tenant_name'),
    })
    .from(agents)
    .leftJoin(tenants, eq(tenants.id, agents.tenantId))
    .where(and(visibleAgents(user), contains(agents.agentName, keyword)))
    .orderBy(asc(byName(agents.agentName)), asc(agents.id))
    .limit(MAX_OPTIONS)
  return { list }
}

/** Returns the condition for the bound devices in the data scope of an account. */
export const visibleBindings = (user: User) =>
  scoped(user, { tenant: agentDevices.tenantId, creator: agentDevices.createBy })

const lastSign = sql`greatest(${agentDevices.bootTime}, ${agentDevices.sessionTime}, ${agentDevices.turnTime})`

/** Returns the SQL of the state of a device: 0 never booted, 1 booted, 2 talking, 3 silent for a day. */
export const computeDeviceState = (window: SQL) => sql<number>`case
  when ${lastSign} is null then 0 when ${hasOpenSession(window)} then 2
  when ${lastSign} > now() - interval '24 hours' then 1 else 3 end`

/** SQL of a flag: 1 while another Client-Id uses the MAC of the device, else 0. */
const HAS_OTHER_IDENTITY_SQL = sql<number>`case when ${agentDevices.otherClientId} <> '' then 1 else 0 end`

/** Maximum seconds until a voice server reports the end of a session. */
const END_SECONDS = 60
const toWindow = (value: string) => Number(value) + END_SECONDS

/**
 * Returns the seconds without a turn after which a session counts as closed. `others` contains the tenants whose value
 * differs from `standard`.
 */
export async function readSessionWindows({ agentParameters }: Pick<Services, 'agentParameters'>) {
  const { standard, own } = await agentParameters.valuesOf('close_connection_no_voice_time')
  const others = [...own].filter(([, value]) => value !== standard)
  return { standard: toWindow(standard), others: others.map(([id, value]) => [id, toWindow(value)] as const) }
}

/** Returns the SQL of the seconds of `readSessionWindows` for the tenant of each bound device. */
export async function readSessionWindow(services: Pick<Services, 'agentParameters'>): Promise<SQL> {
  const { standard, others } = await readSessionWindows(services)
  if (others.length === 0) return sql`${standard}::int`
  const cases = others.map(([tenantId, seconds]) => sql`when ${tenantId}::int then ${seconds}::int`)
  return sql`case ${agentDevices.tenantId} ${sql.join(cases, sql` `)} else ${standard}::int end`
}

/**
 * Returns the condition for a device with an open conversation. Such a device took its configuration or talked within
 * `seconds`, and its session has no reported end. The condition is derived, because voice servers do not report the
 * state of devices.
 */
export function hasOpenSession(seconds: SQL) {
  const last = sql`greatest(${agentDevices.sessionTime}, ${agentDevices.turnTime})`
  return sql`coalesce(${last} > now() - make_interval(secs => ${seconds}) and ${last} > coalesce(${agentDevices.closeTime}, '-infinity'), false)`
}

/** Returns the connections of visible devices. Holds no database connection while it waits for a gateway. */
export async function listConnections(ctx: Ctx, { ids }: ParsedOf<typeof calls.connections>) {
  const { user, services } = ctx
  const found = await transact(ctx, (db) =>
    db
      .select({
        id: agentDevices.deviceId,
        tenantId: agentDevices.tenantId,
        mac: agentDevices.mac,
        board: agentDevices.board,
      })
      .from(agentDevices)
      .innerJoin(devices, eq(devices.id, agentDevices.deviceId))
      .where(and(inArray(agentDevices.deviceId, ids), visibleBindings(user), notDeleted(devices))),
  )
  const online = await services.voiceServers.gateways.read(found)
  return { list: [...online].map(([{ id }, isOnline]) => ({ id, connection: isOnline ? 1 : 0 })) }
}

/** Returns the OTA address that persons enter into devices of their tenant; empty: the address of the console. */
export async function getOtaAddress({ user, services }: Ctx) {
  const params = await services.agentParameters.of(user.tenantId ?? PLATFORM_TENANT_ID)
  return { address: params.text('server.ota') }
}

/** Kind of a voice device in the operation log. */
export const VOICE_DEVICE_LOG_KIND = { bizType: 'agentDevice' } as const

/** Returns the name and the MAC address of a voice device for the operation log: `客厅 00:1a:2b:3c:4d:5e`. */
export async function readLoggedDeviceName(db: Db, deviceId: number): Promise<string> {
  const [found] = await db
    .select({
      name: sql<string>`coalesce(${BINDING_NAME}, '')`,
      mac: agentDevices.mac,
    })
    .from(agentDevices)
    .leftJoin(devices, eq(devices.id, agentDevices.deviceId))
    .where(eq(agentDevices.deviceId, deviceId))
  return found ? `${found.name} ${formatMac(found.mac)}`.trim() : ''
}

const countBindings = (db: Db, deviceIds: readonly number[]) =>
  db
    .select({ deviceId: agentDevices.deviceId, n: sql<number>`1` })
    .from(agentDevices)
    .where(among(agentDevices.deviceId, deviceIds))

blocksDeviceDeletion('已绑定智能体', countBindings)

/** Returns the devices that are bound to an agent. */
export async function listDevicesBoundToAgents(db: Db, deviceIds: readonly number[]): Promise<ReadonlySet<number>> {
  const rows = await countBindings(db, deviceIds)
  return new Set(rows.map(({ deviceId }) => deviceId))
}
