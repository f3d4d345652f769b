import { AgentDeviceRow, BindLine, agentDevices as calls } from '@oms/contract/agent/devices/device.ts'
import { and, eq } from 'drizzle-orm'
import { invalid } from '#core/http/api-error.ts'
import { defineExport } from '#core/spreadsheet/export.ts'
import { EXAMPLE_MARK, type ImportCtx, type LineOutcome } from '#core/spreadsheet/import/lines.ts'
import { defineImport } from '#core/spreadsheet/import/import.ts'
import { visibleAgents } from '../agents/visible-agents.ts'
import { readSessionWindow } from './device-state.ts'
import { ensureVoiceModelIn } from '../models/voice-model.ts'
import { readLimitModes } from '../orders/device-limits.ts'
import { addPackages } from '../orders/device-packages.ts'
import { DeviceQuotaCounter } from '#modules/device/device-quota.ts'
import { findReceivingTenantProblem } from '#core/tenancy/tenant-state.ts'
import { agents } from '../schema/agent.ts'
import { agentDevices } from '../schema/agent-device.ts'
import { devices } from '#modules/device/schema.ts'
import { FileBindings } from './bind-many.ts'
import { buildBindingCondition, buildBindingSort, selectBindings } from './device-rows.ts'

const time = { type: 'dateTime', width: 20 } as const
/** Exports the filtered list in the order of the list. */
export const exportBindings = defineExport({
  kind: 'agentDevice',
  endpoint: calls.export,
  sheet: '语音设备',
  schema: AgentDeviceRow.omit({ limit: true }),
  columns: [
    ['name', { width: 20 }],
    ['mac', { width: 20, isAlwaysExported: true }],
    ['sn', { width: 24 }],
    ['board', { width: 24 }],
    'modelName',
    'appVersion',
    ['agentName', { width: 20 }],
    ['agentCode', { width: 24, isAlwaysExported: true }],
    'tenantName',
    ['state', { width: 10 }],
    ['turnTime', time],
    ['bootTime', time],
    ['autoUpdate', { width: 10 }],
    ['identity', { width: 10 }],
    ['packageName', { width: 20 }],
    ['packageState', { width: 10 }],
    ['packageEnd', time],
    ['createTime', time],
  ],
  key: agentDevices.deviceId,
  join: (query) => query.innerJoin(devices, eq(devices.id, agentDevices.deviceId)),
  where: async (user, input, { services }) =>
    buildBindingCondition(user, input, {
      window: await readSessionWindow(services),
      ofMode: await readLimitModes(services),
    }),
  order: buildBindingSort,
  load: async (db, _user, where, services) =>
    addPackages(db, await selectBindings(db, await readSessionWindow(services)).where(where)),
  keyOf: ({ id }) => id,
})

const UNKNOWN = { board: '', clientId: '', version: '', bootTime: null }

interface Agent {
  readonly id: number
  readonly tenantId: number
}

interface State {
  /** A dry run neither locks nor writes rows. */
  readonly isDryRun: boolean
  readonly bindings: FileBindings
  readonly room: DeviceQuotaCounter
  /** Model of new devices; 0 in a dry run, which creates no device. */
  readonly fallbackModelId: number
  /** Agents by code, or why no device can be bound: the agent is unknown, or its tenant receives nothing new. */
  readonly agents: Map<string, Agent | { readonly problem: string }>
}

/** Binds devices of a file, with the keys of their chips. */
export const importBindings = defineImport({
  kind: 'agentDevice',
  endpoint: calls.import,
  name: '设备绑定',
  schema: BindLine,
  columns: [
    ['mac', { width: 20 }],
    ['agentCode', { width: 24 }],
    ['alias', { width: 20 }],
    ['serial', { width: 34 }],
    ['hmacKey', { width: 66 }],
  ],
  tables: ['devices', 'agent_devices'],
  secret: ['hmacKey'],
  required: ['mac', 'agentCode'],
  exportedRow: AgentDeviceRow,
  example: {
    mac: '00:1A:2B:3C:4D:5E',
    agentCode: 'AGT_1767225600000',
    alias: EXAMPLE_MARK,
    serial: '',
    hmacKey: '',
  },
  async prepare(ctx, { dryRun }): Promise<State> {
    const isDryRun = Number(dryRun) === 1
    const room = new DeviceQuotaCounter()
    return {
      isDryRun,
      bindings: new FileBindings(room),
      room,
      agents: new Map(),
      fallbackModelId: isDryRun ? 0 : await ensureVoiceModelIn(ctx.db),
    }
  },
  load: (ctx, lines, { bindings }) => bindings.load(ctx, lines),
  async findProblems(ctx, { agentCode, serial, hmacKey }, state) {
    const isSerialMissing = hmacKey !== undefined && hmacKey !== '' && serial === ''
    const agent = agentCode === undefined ? undefined : await findAgent(ctx, agentCode, state)
    return [
      ...(agent && 'problem' in agent ? [invalid(agent.problem, 'agentCode')] : []),
      ...(isSerialMissing ? [invalid('有 HMAC 密钥时请输入序列号', 'serial')] : []),
    ]
  },
  async takeMany(ctx, lines, state) {
    const { fallbackModelId, bindings, isDryRun } = state
    const outcomes: LineOutcome[] = []
    for (const { input } of lines) {
      const { mac, agentCode, alias, serial, hmacKey } = input
      const agent = (await findAgent(ctx, agentCode, state)) as Agent
      const key = hmacKey === '' ? undefined : { serial, hmacKey, tenantId: agent.tenantId }
      const binding = { ...UNKNOWN, agent, mac, alias, serial, fallbackModelId }
      outcomes.push((await bindings.accept(ctx, binding, key)) ?? 'created')
    }
    if (!isDryRun) await bindings.write(ctx)
    return outcomes
  },
  async finish({ services, db }, { isDryRun, room }) {
    if (isDryRun) return
    await room.assertKept(db)
    await services.events.publish(db, 'changed', { resource: 'agent', tenantId: null })
  },
})

/** Returns the agent with this code, or the reason why no device can be bound to it. */
async function findAgent(
  { db, user }: ImportCtx,
  code: string,
  state: State,
): Promise<Agent | { readonly problem: string }> {
  if (!state.agents.has(code)) {
    const [found] = await db
      .select({ id: agents.id, tenantId: agents.tenantId })
      .from(agents)
      .where(and(eq(agents.agentCode, code), visibleAgents(user)))
    const problem = found ? await findReceivingTenantProblem(db, found.tenantId) : `智能体编码「${code}」不存在`
    state.agents.set(code, problem === undefined ? found! : { problem })
  }
  return state.agents.get(code)!
}
