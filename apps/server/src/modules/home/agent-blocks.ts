import { AGENT_DEVICE_STATE } from '@oms/contract/agent/devices/device.ts'
import type { HomeBlockData } from '@oms/contract/home/home.ts'
import { and, eq, sql } from 'drizzle-orm'
import type { Ctx } from '#core/http/context.ts'
import { notDeleted, scoped } from '#core/tenancy/tenancy.ts'
import { visibleSessions } from '#modules/agent/agents/visible-agents.ts'
import { readSessionWindow, computeDeviceState, visibleBindings } from '#modules/agent/devices/device-state.ts'
import { agentDevices } from '#modules/agent/schema/agent-device.ts'
import { agentSessions } from '#modules/agent/schema/agent-history.ts'
import { agentTryDays } from '#modules/agent/schema/agent-try.ts'
import { devices } from '#modules/device/schema.ts'
import type { BlockSource } from './block.ts'

const LIST = '/agent/device'

/** States of voice devices in the order of the bar. */
const STATES = [
  { state: 2, tone: 'good' },
  { state: 1, tone: 'calm' },
  { state: 3, tone: 'bad' },
  { state: 0, tone: 'quiet' },
] as const

/** Counts voice devices by state, with the conversations of today. */
export const agentDevicesBlock: BlockSource = {
  title: '语音设备',
  resources: ['agent'],
  may: (user) => user.can('agent:device:list'),
  async load(ctx) {
    const parts = await byState(ctx)
    return {
      value: parts.reduce((sum, { value }) => sum + value, 0),
      detail: await talksToday(ctx),
      parts,
      url: LIST,
    }
  },
}

async function byState(ctx: Ctx): Promise<NonNullable<HomeBlockData['parts']>> {
  const { db, user } = ctx
  const state = computeDeviceState(await readSessionWindow(ctx.services))
  const rows = await db
    .select({ state, value: sql<number>`count(*)::int` })
    .from(agentDevices)
    .innerJoin(devices, eq(devices.id, agentDevices.deviceId))
    .where(and(visibleBindings(user), notDeleted(devices)))
    .groupBy(sql`1`)
  const counts = new Map(rows.map((row) => [row.state, row.value]))
  return STATES.map(({ state: key, tone }) => ({
    title: AGENT_DEVICE_STATE[key],
    value: counts.get(key) ?? 0,
    tone,
    url: `${LIST}?state=${key}`,
  }))
}

/** Returns the conversations of devices and the tokens of try-outs since midnight as text. */
async function talksToday({ db, user }: Ctx) {
  const [talks] = await db
    .select({ sessions: sql<number>`count(*)::int`, turns: sql<number>`coalesce(sum(turns), 0)::int` })
    .from(agentSessions)
    .where(and(sql`${agentSessions.lastTime} >= date_trunc('day', now())`, visibleSessions(user)))
  const [tries] = await db
    .select({ tokens: sql<number>`coalesce(sum(tokens_in::int8 + tokens_out), 0)::float8` })
    .from(agentTryDays)
    .where(and(sql`${agentTryDays.day} = current_date`, scoped(user, { tenant: agentTryDays.tenantId })))
  const words = `今日 ${talks?.sessions ?? 0} 次对话，${talks?.turns ?? 0} 轮`
  return tries && tries.tokens > 0 ? `${words}，试用 ${tries.tokens} tokens` : words
}
