import type { agentOrders as calls } from '@oms/contract/agent/orders/order.ts'
import { formatAllowance } from '@oms/contract/agent/packages/package-terms.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, asc, eq, or, sql } from 'drizzle-orm'
import { contains } from '#core/database/lists/list-query.ts'
import type { Ctx } from '#core/http/context.ts'
import { notDeleted, PLATFORM_TENANT_ID, scoped } from '#core/tenancy/tenancy.ts'
import { visibleBindings } from '../devices/device-state.ts'
import { agents } from '../schema/agent.ts'
import { agentDevices } from '../schema/agent-device.ts'
import { agentProducts, agentProductVersions } from '../schema/agent-sales.ts'
import { deviceGroups, devices } from '#modules/device/schema.ts'
import { visibleAgents } from '../agents/visible-agents.ts'
import { BINDING_NAME } from '../devices/device-rows.ts'

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
