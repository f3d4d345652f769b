import type { AgentDeviceRow, agentDevices as calls } from '@oms/contract/agent/devices/device.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, asc, eq, ilike, type SQL, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { contains, buildSort, paginate, byName } from '#core/database/lists/list-query.ts'
import { notFound } from '#core/http/api-error.ts'
import type { Ctx, User } from '#core/http/context.ts'
import { notDeleted } from '#core/tenancy/tenancy.ts'
import { HAS_OTHER_IDENTITY_SQL, readSessionWindow, computeDeviceState, visibleBindings } from './device-state.ts'
import { visibleAgents } from '../agents/visible-agents.ts'
import type { PackConsumer } from '../orders/open-packs.ts'
import { hasLimit, readLimitModes } from '../orders/device-limits.ts'
import { readUsageLimit } from '../usage/usage-limit.ts'
import { hasPackageState, addPackages } from '../orders/device-packages.ts'
import { agents } from '../schema/agent.ts'
import { agentDevices } from '../schema/agent-device.ts'
import { deviceModels, devices } from '#modules/device/schema.ts'
import { tenants } from '#core/schema/tenant.ts'

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
