import type { agentDevices as calls } from '@oms/contract/agent/device.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, eq } from 'drizzle-orm'
import type { Ctx } from '#core/http/context.ts'
import { notDeleted } from '#core/tenancy/tenancy.ts'
import { sessionWindow, visibleBindings } from '#domain/agents/device-state.ts'
import { macWith } from '#domain/agents/mac.ts'
import { isOpenSession } from '#domain/agents/open-session.ts'
import { agents } from '#schema/agent.ts'
import { agentDevices } from '#schema/agent-device.ts'
import { devices } from '#schema/device.ts'
import { tenants } from '#schema/tenant.ts'
import { eventsOf } from './diagnosis-events.ts'
import { type Bound, stepsOfBound, stepsOfUnbound } from './diagnosis-steps.ts'

const MISSING = 0
const DONE = 1
const LATER = 2

/**
 * Returns the steps of a device from its boot to a conversation, and the first missing step, to explain why the device
 * does not talk.
 */
export async function diagnose(ctx: Ctx, { mac }: ParsedOf<typeof calls.diagnose>) {
  const bound = await boundOf(ctx, mac)
  const steps = bound ? await stepsOfBound(ctx, bound) : await stepsOfUnbound(ctx, mac)
  const first = steps.findIndex(({ isDone, isUnknown = false }) => !isDone && !isUnknown)
  return {
    mac: macWith(mac),
    missing: first < 0 ? '' : steps[first]!.key,
    steps: steps.map(({ isDone, isUnknown: _unknown, ...step }, at) => ({
      ...step,
      state: isDone ? DONE : at === first ? MISSING : LATER,
    })),
    events: await eventsOf(ctx, mac, bound !== undefined),
  }
}

async function boundOf(ctx: Ctx, mac: string): Promise<Bound | undefined> {
  const { db, user } = ctx
  const [found] = await db
    .select({
      binding: agentDevices,
      agentName: agents.agentName,
      agentStatus: agents.status,
      agentDeleted: agents.deletedAt,
      chatHistoryConf: agents.chatHistoryConf,
      deviceStatus: devices.status,
      tenantStatus: tenants.status,
      isOpen: isOpenSession(await sessionWindow(ctx)).as<boolean>('is_open'),
    })
    .from(agentDevices)
    .innerJoin(devices, eq(devices.id, agentDevices.deviceId))
    .leftJoin(agents, eq(agents.id, agentDevices.agentId))
    .leftJoin(tenants, eq(tenants.id, agentDevices.tenantId))
    .where(and(eq(agentDevices.mac, mac), visibleBindings(user), notDeleted(devices)))
  return found
}
