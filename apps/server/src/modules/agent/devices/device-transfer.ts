import { AgentDeviceRow, agentDevices as calls, MAX_BIND_ROWS, BindLine } from '@oms/contract/agent/devices/device.ts'
import { OPERATION } from '@oms/contract/core/endpoint.ts'
import { and, eq, type SQL } from 'drizzle-orm'
import { insertOperation, type OperationRow } from '#core/audit/operation-log.ts'
import { decrypt, encrypt } from '#core/crypto/encrypted-value.ts'
import { among } from '#core/database/lists/list-query.ts'
import { invalid } from '#core/http/api-error.ts'
import { defineExport } from '#core/spreadsheet/export/export.ts'
import { defineImport } from '#core/spreadsheet/import/import.ts'
import type { ImportCtx } from '#core/spreadsheet/import/take-lines.ts'
import { notDeleted, scoped } from '#core/tenancy/tenancy.ts'
import { bindDevice } from './bind-device.ts'
import { ensureVoiceModel } from '#domain/agents/models/voice-model.ts'
import { readSessionWindow, visibleBindings } from '#domain/agents/devices/device-state.ts'
import { readLimitModes } from '#domain/agents/orders/device-limits.ts'
import { addPackages } from '#domain/agents/orders/device-packages.ts'
import { agents } from '#schema/agent/agent.ts'
import { agentDevices, agentIdentityKeys } from '#schema/agent/agent-device.ts'
import { devices } from '#schema/device.ts'
import { buildBindingCondition, buildBindingOrder, selectBindings } from './device-rows.ts'

const time = { type: 'dateTime', width: 20 } as const
/** Exports the filtered list in the order of the list. */
export const exportBindings = defineExport({
  kind: 'agentDevice',
  endpoint: calls.export,
  sheet: '语音设备',
  schema: AgentDeviceRow.omit({ limit: true }),
  columns: [
    ['name', { width: 20 }],
    ['mac', { width: 20 }],
    ['sn', { width: 24 }],
    ['board', { width: 24 }],
    'modelName',
    'appVersion',
    ['agentName', { width: 20 }],
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
  resolve: async (_db, user, input, services) => {
    const view = { window: await readSessionWindow(services), ofMode: await readLimitModes(services) }
    return { ...input, where: buildBindingCondition(user, input, view) }
  },
  keys: (db, _user, input) =>
    db
      .select({ id: agentDevices.deviceId })
      .from(agentDevices)
      .innerJoin(devices, eq(devices.id, agentDevices.deviceId))
      .where((input as { where?: SQL }).where)
      .$dynamic(),
  order: buildBindingOrder,
  load: async (db, user, keys, services) => {
    const window = await readSessionWindow(services)
    const rows = await selectBindings(db, window).where(and(visibleBindings(user), among(agentDevices.deviceId, keys)))
    return addPackages(db, rows)
  },
  keyOf: ({ id }) => id,
})

const UNKNOWN = { board: '', clientId: '', version: '', bootTime: null }

interface State {
  readonly fallbackModelId: number
  readonly agents: Map<string, { readonly id: number; readonly tenantId: number } | undefined>
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
  example: {
    mac: '00:1A:2B:3C:4D:5E',
    agentCode: 'AGT_1767225600000',
    alias: '示例行，导入前请删除',
    serial: '',
    hmacKey: '',
  },
  maxRows: MAX_BIND_ROWS,
  prepare: async ({ services }): Promise<State> => ({
    agents: new Map(),
    fallbackModelId: await ensureVoiceModel(services),
  }),
  async take(ctx, { mac, agentCode, alias, serial, hmacKey }, state) {
    const agent = await agentByCode(ctx, agentCode, state)
    if (hmacKey !== '' && serial === '') throw invalid('有 HMAC 密钥时请输入序列号', 'serial')
    const device = await bindDevice(ctx, {
      ...UNKNOWN,
      agent,
      mac,
      alias,
      serial,
      fallbackModelId: state.fallbackModelId,
    })
    if (hmacKey !== '') await storeKey(ctx, device, { serial, hmacKey, tenantId: agent.tenantId })
    return 'created'
  },
  finish: ({ services, db }) =>
    services.events.publish(db, 'changed', { resource: 'agent', tenantId: null }).then(() => undefined),
})

async function agentByCode({ db, user }: ImportCtx, code: string, state: State) {
  if (!state.agents.has(code)) {
    const [found] = await db
      .select({ id: agents.id, tenantId: agents.tenantId })
      .from(agents)
      .where(and(eq(agents.agentCode, code), notDeleted(agents), scoped(user, { tenant: agents.tenantId })))
    state.agents.set(code, found)
  }
  const agent = state.agents.get(code)
  if (!agent) throw invalid(`智能体编码「${code}」不存在`, 'agentCode')
  return agent
}

interface Key {
  readonly serial: string
  readonly hmacKey: string
  readonly tenantId: number
}

/** Stores the key of a chip encrypted. A serial number has one key: the same key is accepted again. */
async function storeKey(ctx: ImportCtx, device: { readonly id: number }, { serial, hmacKey, tenantId }: Key) {
  const { db, user, services } = ctx
  const { secretKey } = services.config
  const key = hmacKey.toLowerCase()
  const values = { serial, tenantId, keyEncrypted: encrypt(secretKey, key), createBy: user.uid }
  const stored = await db.insert(agentIdentityKeys).values(values).onConflictDoNothing()
  if (stored.rowCount) return
  const isOwn = and(eq(agentIdentityKeys.serial, serial), eq(agentIdentityKeys.tenantId, tenantId))
  const [known] = await db.select({ sealed: agentIdentityKeys.keyEncrypted }).from(agentIdentityKeys).where(isOwn)
  if (!known) throw invalid(`序列号「${serial}」已有密钥`, 'serial')
  if (isSameKey(secretKey, known.sealed, key)) return
  if (!user.can(calls.reset.access))
    throw invalid(`序列号「${serial}」已有另一个密钥，更换需要“重置身份”权限`, 'hmacKey')
  await db.update(agentIdentityKeys).set({ keyEncrypted: values.keyEncrypted, createBy: user.uid }).where(isOwn)
  await insertOperation(db, [replacementLog(ctx, device.id, serial)])
}

/** Returns false for a stored key that was encrypted with another key of the installation. Such a key may be replaced. */
function isSameKey(secretKey: Buffer, sealed: string, key: string): boolean {
  try {
    return decrypt(secretKey, sealed) === key
  } catch {
    return false
  }
}

/** Returns the log row of a replaced key. The import itself writes one row for the whole file. */
const replacementLog = ({ user }: ImportCtx, deviceId: number, serial: string): OperationRow => ({
  tenantId: user.tenantId,
  uid: user.uid,
  operName: user.account,
  title: '更换设备密钥',
  businessType: OPERATION.edit,
  bizType: 'agentDevice',
  bizId: String(deviceId),
  action: `导入时更换序列号「${serial}」的 HMAC 密钥`,
  requestMethod: calls.import.method,
  operUrl: calls.import.path,
  operIp: '',
})
