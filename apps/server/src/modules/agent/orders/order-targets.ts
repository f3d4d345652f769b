import { MAX_TARGETS, splitSerials } from '@oms/contract/agent/orders/order-entities.ts'
import type { agentOrders as calls } from '@oms/contract/agent/orders/order.ts'
import { formatAllowance } from '@oms/contract/agent/packages/package-terms.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, asc, eq, or, sql, inArray, type SQL } from 'drizzle-orm'
import { contains, among } from '#core/database/lists/list-query.ts'
import { invalid } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import { notDeleted, PLATFORM_TENANT_ID, scoped } from '#core/tenancy/tenancy.ts'
import { buildGroupCondition } from '#modules/device/device-filter.ts'
import { deviceGroups, devices } from '#modules/device/schema.ts'
import { visibleAgents } from '../agents/agent.ts'
import { visibleBindings, BINDING_NAME } from '../devices/device.ts'
import { agentDevices } from '../schema/agent-device.ts'
import { agentProducts, agentProductVersions } from '../schema/agent-orders.ts'
import { agents } from '../schema/agent.ts'

const MAX_OPTIONS = 100

export async function listOrderPackages({ db }: Ctx, { keyword, tenantId }: ParsedOf<typeof calls.packages>) {
  const rows = await db
    .select({
      id: agentProducts.id,
      name: agentProducts.packageName,
      packageCode: agentProducts.packageCode,
      allowances: agentProductVersions.allowances,
      scope: agentProductVersions.scope,
      price: agentProductVersions.price,
      isTrial: agentProductVersions.isTrial,
    })
    .from(agentProducts)
    .innerJoin(
      agentProductVersions,
      and(
        eq(agentProductVersions.packageId, agentProducts.id),
        eq(agentProductVersions.version, agentProducts.currentVersion),
      ),
    )
    .where(
      and(
        notDeleted(agentProducts),
        eq(agentProducts.status, 1),
        or(contains(agentProducts.packageName, keyword), contains(agentProducts.packageCode, keyword)),
        tenantId === undefined
          ? undefined
          : sql`(${agentProductVersions.tenantIds} = '{}' or ${tenantId} = any(${agentProductVersions.tenantIds}))`,
      ),
    )
    .orderBy(asc(agentProducts.sort), asc(agentProducts.id))
    .limit(MAX_OPTIONS)
  return {
    list: rows.map(({ allowances, ...row }) => ({ ...row, content: allowances.map(formatAllowance).join('、') })),
  }
}

export async function listOrderDevices({ db, user }: Ctx, { keyword, tenantId }: ParsedOf<typeof calls.devices>) {
  const list = await db
    .select({
      id: devices.id,
      name: sql<string>`${devices.sn}`.as('shown_sn'),
      agentName: sql<string>`coalesce(${agents.agentName}, '')`.as('agent_name'),
    })
    .from(agentDevices)
    .innerJoin(devices, eq(devices.id, agentDevices.deviceId))
    .leftJoin(agents, eq(agents.id, agentDevices.agentId))
    .where(
      and(
        visibleBindings(user),
        notDeleted(devices),
        tenantId === undefined ? undefined : eq(agentDevices.tenantId, tenantId),
        or(contains(devices.sn, keyword), contains(BINDING_NAME, keyword), contains(agentDevices.mac, keyword)),
      ),
    )
    .orderBy(asc(devices.id))
    .limit(MAX_OPTIONS)
  return { list }
}

export async function listOrderAgents({ db, user }: Ctx, { keyword, tenantId }: ParsedOf<typeof calls.agents>) {
  const list = await db
    .select({ id: agents.id, name: agents.agentName })
    .from(agents)
    .where(
      and(
        visibleAgents(user),
        tenantId === undefined ? undefined : eq(agents.tenantId, tenantId),
        contains(agents.agentName, keyword),
      ),
    )
    .orderBy(asc(agents.id))
    .limit(MAX_OPTIONS)
  return { list }
}

/** Lists device groups of the tenant and of the vendor. */
export async function listOrderGroups({ db, user }: Ctx, { keyword, tenantId }: ParsedOf<typeof calls.groups>) {
  const isOffered =
    tenantId === undefined
      ? undefined
      : or(eq(deviceGroups.tenantId, tenantId), eq(deviceGroups.tenantId, PLATFORM_TENANT_ID))
  const list = await db
    .select({ id: deviceGroups.id, name: deviceGroups.groupName })
    .from(deviceGroups)
    .where(
      and(
        notDeleted(deviceGroups),
        scoped(user, { tenant: deviceGroups.tenantId }),
        isOffered,
        contains(deviceGroups.groupName, keyword),
      ),
    )
    .orderBy(asc(deviceGroups.id))
    .limit(MAX_OPTIONS)
  return { list }
}

export interface Target {
  readonly id: number
  readonly name: string
}
interface Problem {
  readonly name: string
  readonly msg: string
  /** MAC of a known device, in 12 hex digits. */
  readonly mac?: string
}
export interface Targets {
  readonly targets: readonly Target[]
  readonly problems: readonly Problem[]
}

/** Fields of the order form that name the targets. */
interface Asked {
  readonly deviceIds: readonly number[]
  readonly groupId?: number | undefined
  readonly serials: string
  readonly agentIds: readonly number[]
}
interface Buyer {
  readonly id: number
  readonly name: string
}

const DEVICE = 1
const AGENT = 2
const normalizeSerial = (serial: string) => serial.toLowerCase().replaceAll(/[:-]/g, '')

/** Returns the targets of an order according to the scope of the package, and each refused target with the reason. */
export async function resolveTargets(ctx: Ctx, asked: Asked, terms: OrderTerms, buyer: Buyer): Promise<Targets> {
  const found =
    terms.scope === DEVICE
      ? await devicesOf(ctx, asked, terms, buyer)
      : terms.scope === AGENT
        ? await agentsOf(ctx, asked, buyer)
        : { targets: [{ id: buyer.id, name: buyer.name }], problems: [] }
  if (found.targets.length > MAX_TARGETS) throw invalid(`一个订单最多${MAX_TARGETS}个使用对象`, findTargetField(asked))
  return found
}

/** Returns the form field at which refused targets are reported. */
export const findTargetField = ({ serials, groupId, agentIds }: Asked) =>
  agentIds.length > 0 ? 'agentIds' : serials !== '' ? 'serials' : groupId === undefined ? 'deviceIds' : 'groupId'

const selectDevices = ({ db, user }: Ctx, where: SQL | undefined) =>
  db
    .select({
      id: devices.id,
      sn: devices.sn,
      mac: agentDevices.mac,
      modelId: devices.modelId,
      tenantId: agentDevices.tenantId,
    })
    .from(agentDevices)
    .innerJoin(devices, eq(devices.id, agentDevices.deviceId))
    .where(and(visibleBindings(user), notDeleted(devices), where))
    .orderBy(asc(devices.id))
    .limit(MAX_TARGETS + 1)

type Found = Awaited<ReturnType<typeof selectDevices>>[number]

async function devicesOf(ctx: Ctx, asked: Asked, terms: OrderTerms, buyer: Buyer): Promise<Targets> {
  const { deviceIds, groupId } = asked
  const serials = splitSerials(asked.serials)
  if (deviceIds.length === 0 && groupId === undefined && serials.length === 0) throw invalid('请选择设备', 'deviceIds')
  const chosen = await selectDevices(ctx, among(devices.id, deviceIds))
  const named = await namedDevices(ctx, serials)
  const grouped = groupId === undefined ? [] : await groupedDevices(ctx, groupId, buyer)
  const ids = new Set(chosen.map(({ id }) => id))
  const unknown = deviceIds
    .filter((id) => !ids.has(id))
    .map((id) => ({ name: String(id), msg: '设备不存在或未绑定智能体' }))
  const all = [...new Map([...chosen, ...named.found, ...grouped].map((row) => [row.id, row])).values()]
  const trials = await trialDevices(ctx, terms, all)
  const problemOf = (row: Found) =>
    deviceProblem(row, terms, buyer) ?? (trials.has(row.id) ? '该设备已领取过试用' : undefined)
  const refused = all.flatMap((row) => {
    const msg = problemOf(row)
    return msg ? [{ name: row.sn, msg, mac: row.mac }] : []
  })
  return {
    targets: all.filter((row) => !problemOf(row)).map(({ id, sn }) => ({ id, name: sn })),
    problems: [...unknown, ...named.problems, ...refused],
  }
}

function deviceProblem({ modelId, tenantId }: Found, terms: OrderTerms, buyer: Buyer) {
  if (tenantId !== buyer.id) return '设备不属于该客户'
  if (terms.modelIds.length > 0 && !terms.modelIds.includes(modelId)) return '该套餐不适用于此型号'
  return undefined
}

async function namedDevices(ctx: Ctx, serials: readonly string[]) {
  if (serials.length === 0) return { found: [], problems: [] }
  const macs = serials.map(normalizeSerial)
  const found = await selectDevices(ctx, or(inArray(devices.sn, [...serials]), inArray(agentDevices.mac, macs)))
  const known = new Set(found.flatMap(({ sn, mac }) => [sn, mac]))
  const problems = serials
    .filter((serial) => !known.has(serial) && !known.has(normalizeSerial(serial)))
    .map((name) => ({ name, msg: '设备不存在或未绑定智能体' }))
  return { found, problems }
}

async function groupedDevices(ctx: Ctx, groupId: number, buyer: Buyer) {
  const found = await selectDevices(
    ctx,
    and(await buildGroupCondition(ctx.db, ctx.user, groupId), eq(agentDevices.tenantId, buyer.id)),
  )
  if (found.length === 0) throw invalid('分组中没有该客户绑定智能体的设备', 'groupId')
  return found
}

/** Returns the devices that received a trial, for a trial package. */
async function trialDevices(
  { db }: Ctx,
  { isTrial }: OrderTerms,
  rows: readonly Found[],
): Promise<ReadonlySet<number>> {
  if (isTrial === 0 || rows.length === 0) return new Set()
  const { rows: taken } = await db.execute<{ id: number }>(
    sql`select oms_devices_with_agent_trial(${sql.param(rows.map(({ id }) => id))}::int[]) as id`,
  )
  return new Set(taken.map(({ id }) => id))
}

async function agentsOf({ db, user }: Ctx, { agentIds }: Asked, buyer: Buyer): Promise<Targets> {
  if (agentIds.length === 0) throw invalid('请选择智能体', 'agentIds')
  const found = await db
    .select({ id: agents.id, name: agents.agentName, tenantId: agents.tenantId })
    .from(agents)
    .where(and(visibleAgents(user), among(agents.id, agentIds)))
    .orderBy(asc(agents.id))
  const ids = new Set(found.map(({ id }) => id))
  const problems = [...new Set(agentIds)]
    .filter((id) => !ids.has(id))
    .map((id) => ({ name: String(id), msg: '智能体不存在或已被删除' }))
  const foreign = found.filter(({ tenantId }) => tenantId !== buyer.id)
  return {
    targets: found.filter(({ tenantId }) => tenantId === buyer.id).map(({ id, name }) => ({ id, name })),
    problems: [...problems, ...foreign.map(({ name }) => ({ name, msg: '智能体不属于该客户' }))],
  }
}

/** The version of a package that an order refers to. */
export type OrderTerms = typeof agentProductVersions.$inferSelect & { readonly packageName: string }

/** Returns the current terms of a package that is offered to the tenant. */
export async function readTermsOnSale(
  { db }: Pick<Ctx, 'db'>,
  packageId: number,
  tenantId: number,
): Promise<OrderTerms> {
  const [found] = await db
    .select({ terms: agentProductVersions, packageName: agentProducts.packageName, status: agentProducts.status })
    .from(agentProducts)
    .innerJoin(
      agentProductVersions,
      and(
        eq(agentProductVersions.packageId, agentProducts.id),
        eq(agentProductVersions.version, agentProducts.currentVersion),
      ),
    )
    .where(and(eq(agentProducts.id, packageId), notDeleted(agentProducts)))
  if (!found) throw invalid('套餐不存在或已被删除', 'packageId')
  if (found.status !== 1) throw invalid('套餐已停用', 'packageId')
  const { tenantIds } = found.terms
  if (tenantIds.length > 0 && !tenantIds.includes(tenantId)) throw invalid('该套餐不适用于此客户', 'packageId')
  return { ...found.terms, packageName: found.packageName }
}

/** Marks the current terms of a package as sold and returns them. Sold terms never change. */
export async function lockPackageTerms(ctx: Pick<Ctx, 'db'>, packageId: number, tenantId: number): Promise<OrderTerms> {
  const { db } = ctx
  const terms = await readTermsOnSale(ctx, packageId, tenantId)
  if (terms.isSold === 1) return terms
  await db.execute(sql`select oms_mark_agent_versions_sold(array[${terms.id}]::int[])`)
  // An edit that was committed before the mark may have changed the terms in place.
  const [sold] = await db.select().from(agentProductVersions).where(eq(agentProductVersions.id, terms.id))
  return { ...sold!, packageName: terms.packageName }
}
