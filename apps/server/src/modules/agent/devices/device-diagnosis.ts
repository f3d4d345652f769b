import type { agentDevices as calls } from '@oms/contract/agent/devices/device.ts'
import { LIMIT_STATE_CODE } from '@oms/contract/agent/usage/usage-limit.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { formatMac } from '@oms/contract/device/device-fields.ts'
import { and, eq } from 'drizzle-orm'
import type { Ctx } from '#core/http/context.ts'
import { notDeleted } from '#core/tenancy/tenancy.ts'
import { readSessionWindow, visibleBindings } from './device-state.ts'
import { hasOpenSession } from '../history/open-session.ts'
import type { UsageLimit } from '../usage/usage-limit.ts'
import { agents } from '../schema/agent.ts'
import { agentDevices } from '../schema/agent-device.ts'
import { devices } from '#modules/device/schema.ts'
import { tenants } from '#core/schema/tenant.ts'
import { readLastEvents } from './diagnosis-events.ts'
import { readBindingLimit } from './device-rows.ts'
import { type DiagnosedBinding, diagnoseBoundDevice, diagnoseUnboundDevice } from './diagnosis-steps.ts'

const MISSING = 0
const DONE = 1
const LATER = 2

/**
 * Returns the steps of a device from its boot to a conversation, and the first missing step. This step explains why the
 * device does not talk.
 */
export async function diagnose(ctx: Ctx, { mac }: ParsedOf<typeof calls.diagnose>) {
  const bound = await boundOf(ctx, mac)
  const limit = bound ? await readBindingLimit(ctx, bound.binding) : undefined
  const steps = bound ? await diagnoseBoundDevice(ctx, bound, limit) : await diagnoseUnboundDevice(ctx, mac)
  const first = steps.findIndex(({ isDone, isUnknown = false }) => !isDone && !isUnknown)
  return {
    mac: formatMac(mac),
    missing: first < 0 ? '' : steps[first]!.key,
    steps: steps.map(({ isDone, isUnknown: _unknown, ...step }, at) => ({
      ...step,
      state: isDone ? DONE : at === first ? MISSING : LATER,
    })),
    limit: limit ? { state: limit.state, reason: limit.reason, heard: heardOf(limit) } : null,
    events: await readLastEvents(ctx, mac, bound !== undefined),
  }
}

/** Describes the behaviour of a device at its limit, as a person notices it. Empty while the limit is not reached. */
function heardOf({ state, notice }: UsageLimit): string {
  if (state === LIMIT_STATE_CODE.normal) return ''
  if (state === LIMIT_STATE_CODE.exceeded) return '设备照常对话，超出的用量不扣套餐'
  return `设备不再对话，只播报：「${notice}」`
}

async function boundOf(ctx: Ctx, mac: string): Promise<DiagnosedBinding | undefined> {
  const { db, user } = ctx
  const [found] = await db
    .select({
      binding: agentDevices,
      agentName: agents.agentName,
      agentStatus: agents.status,
      agentDeleted: agents.deletedAt,
      deviceStatus: devices.status,
      tenantStatus: tenants.status,
      isOpen: hasOpenSession(await readSessionWindow(ctx.services)).as<boolean>('is_open'),
    })
    .from(agentDevices)
    .innerJoin(devices, eq(devices.id, agentDevices.deviceId))
    .leftJoin(agents, eq(agents.id, agentDevices.agentId))
    .leftJoin(tenants, eq(tenants.id, agentDevices.tenantId))
    .where(and(eq(agentDevices.mac, mac), visibleBindings(user), notDeleted(devices)))
  return found
}
