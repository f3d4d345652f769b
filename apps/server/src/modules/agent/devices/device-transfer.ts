import { AGENT_EVENT_KIND } from '@oms/contract/agent/devices/device-event.ts'
import { AgentDeviceRow, BindLine, agentDevices as calls } from '@oms/contract/agent/devices/device.ts'
import { OPERATION } from '@oms/contract/core/endpoint.ts'
import { and, eq, inArray, or, sql } from 'drizzle-orm'
import { insertOperation, type OperationRow } from '#core/audit/operation-log.ts'
import { decrypt, encrypt } from '#core/crypto/keys.ts'
import { among } from '#core/database/lists/list-query.ts'
import { invalid, type ApiError, conflict } from '#core/http/api-error.ts'
import type { User } from '#core/http/context.ts'
import { defineExport } from '#core/spreadsheet/export.ts'
import { defineImport } from '#core/spreadsheet/import/import.ts'
import { EXAMPLE_MARK, type ImportCtx, type LineOutcome } from '#core/spreadsheet/import/lines.ts'
import { notDeleted, withoutRowSecurity } from '#core/tenancy/tenancy.ts'
import { findReceivingTenantProblem } from '#core/tenancy/tenant-state.ts'
import { DeviceQuotaCounter, QuotaConflict } from '#modules/device/device-quota.ts'
import { devices } from '#modules/device/schema.ts'
import { visibleAgents } from '../agents/agent.ts'
import { readLimitModes, addPackages } from '../orders/device-packages.ts'
import { agentDevices, agentCodes, agentIdentityKeys } from '../schema/agent-device.ts'
import { agents } from '../schema/agent.ts'
import {
  type Binding,
  BOUND_MESSAGE,
  chooseSerial,
  createSerialTakenError,
  createSeveralMatchesError,
} from './device-bind.ts'
import { addEvents } from './device-events.ts'
import { readSessionWindow, buildBindingCondition, buildBindingSort, selectBindings } from './device.ts'
import { ensureVoiceModelIn } from './voice-model.ts'

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

interface KnownDevice {
  /** Negative for a device that the import creates. */
  readonly id: number
  readonly tenantId: number
  readonly sn: string
  readonly mac: string
}
interface Accepted {
  readonly binding: Binding
  readonly device: KnownDevice
  readonly key: ChipKey | undefined
}

/**
 * Binds the devices of a file like `bindDevice`, with a fixed number of statements for many lines. Remembers the accepted
 * bindings, because later lines of the file must not contradict them. A dry run only finds the problems.
 */
class FileBindings {
  readonly #room: DeviceQuotaCounter
  readonly #bySerial = new Map<string, KnownDevice>()
  /** Serial numbers in lower case, because two devices must not differ only in case. */
  readonly #takenSerials = new Set<string>()
  readonly #byMac = new Map<string, Set<KnownDevice>>()
  readonly #boundIds = new Set<number>()
  readonly #boundMacs = new Set<string>()
  /** Stored keys by serial number. */
  readonly #stored = new Map<string, typeof agentIdentityKeys.$inferSelect>()
  /** Accepted keys by serial number. */
  readonly #keys = new Map<string, ChipKey>()
  #created = 0
  #accepted: Accepted[] = []

  constructor(room: DeviceQuotaCounter) {
    this.#room = room
  }

  /** Reads the devices, bindings and keys of the next lines, of all tenants. */
  async load(ctx: ImportCtx, lines: readonly { readonly mac?: string | undefined; readonly serial?: string }[]) {
    const macs = lines.flatMap(({ mac }) => mac ?? [])
    const serials = lines.flatMap(({ serial }) => serial || [])
    if (macs.length === 0) return
    await withoutRowSecurity(ctx, async (db) => {
      const { id, tenantId, sn, mac } = devices
      const isSame = or(
        inArray(mac, macs),
        inArray(sql`lower(${sn})`, [...macs, ...serials.map((serial) => serial.toLowerCase())]),
      )
      const found = await db
        .select({ id, tenantId, sn, mac })
        .from(devices)
        .where(and(notDeleted(devices), isSame))
      for (const device of found) if (!this.#bySerial.has(device.sn)) this.#add(device)
      const ids = found.map((device) => device.id)
      const bound = await db
        .select({ id: agentDevices.deviceId, mac: agentDevices.mac })
        .from(agentDevices)
        .where(or(inArray(agentDevices.mac, macs), among(agentDevices.deviceId, ids)))
      for (const each of bound) {
        this.#boundIds.add(each.id)
        this.#boundMacs.add(each.mac)
      }
      const keys = await db.select().from(agentIdentityKeys).where(inArray(agentIdentityKeys.serial, serials))
      for (const key of keys) this.#stored.set(key.serial, key)
    })
  }

  /** Returns the problem of a line, or accepts the line. */
  async accept(ctx: ImportCtx, binding: Binding, key: ChipKey | undefined): Promise<ApiError | undefined> {
    const { agent, mac, serial } = binding
    const matching = [...(this.#byMac.get(mac) ?? []), this.#bySerial.get(mac), this.#bySerial.get(serial)]
    const own = [...new Set(matching)].filter((device) => device !== undefined && device.tenantId === agent.tenantId)
    const [device, other] = own as KnownDevice[]
    if (other) return createSeveralMatchesError(own as KnownDevice[])
    const sn = chooseSerial(binding)
    if (!device) {
      const problem = await this.#room.findProblem(ctx.db, agent.tenantId)
      if (problem) return problem
      if (this.#takenSerials.has(sn.toLowerCase())) return createSerialTakenError(binding)
    }
    if (this.#boundMacs.has(mac) || (device && this.#boundIds.has(device.id))) return conflict(BOUND_MESSAGE, 'mac')
    const keyProblem = key && this.#findKeyProblem(ctx, key)
    if (keyProblem) return keyProblem
    const bound = device ?? { id: -1 - this.#created, tenantId: agent.tenantId, sn, mac }
    if (!device) {
      this.#created += 1
      this.#room.add(agent.tenantId)
      this.#add(bound)
    }
    this.#boundIds.add(bound.id)
    this.#boundMacs.add(mac)
    if (key) this.#keys.set(key.serial, key)
    this.#accepted.push({ binding, device: bound, key })
    return undefined
  }

  /** Writes the accepted bindings. Throws a transient error when another transaction has changed their devices. */
  async write(ctx: ImportCtx) {
    const { db, user } = ctx
    const accepted = this.#accepted.splice(0)
    if (accepted.length === 0) return
    const idBySerial = await insertNewDevices(
      ctx,
      accepted.filter(({ device }) => device.id < 0),
    )
    await lockKnownDevices(
      ctx,
      accepted.filter(({ device }) => device.id > 0),
    )
    const bindings = accepted.map(({ device, binding: { agent, version, mac, alias, board, serial, clientId } }) => ({
      mac,
      alias,
      board,
      serial,
      clientId,
      deviceId: device.id > 0 ? device.id : (idBySerial.get(device.sn) ?? 0),
      tenantId: agent.tenantId,
      agentId: agent.id,
      appVersion: version,
      createBy: user.uid,
      updateBy: user.uid,
    }))
    assertAll(await db.insert(agentDevices).values(bindings).onConflictDoNothing(), accepted)
    const macs = bindings.map(({ mac }) => mac)
    await db.delete(agentCodes).where(inArray(agentCodes.mac, macs))
    const kind = AGENT_EVENT_KIND.bound
    const { account } = user
    const events = bindings.map(({ mac, tenantId, agentId }) => ({ mac, tenantId, kind, detail: { agentId, account } }))
    await addEvents(db, events)
    const keys = accepted.flatMap(({ key }, at) => (key ? [{ key, deviceId: bindings[at]!.deviceId }] : []))
    await storeKeys(ctx, keys)
  }

  #add(device: KnownDevice) {
    this.#bySerial.set(device.sn, device)
    this.#takenSerials.add(device.sn.toLowerCase())
    const others = this.#byMac.get(device.mac) ?? new Set()
    this.#byMac.set(device.mac, others.add(device))
  }

  /** Returns the problem when another account or another line has set a different key for the chip. */
  #findKeyProblem({ user, services }: ImportCtx, key: ChipKey): ApiError | undefined {
    const accepted = this.#keys.get(key.serial)
    if (accepted?.tenantId === key.tenantId && accepted.hmacKey.toLowerCase() === key.hmacKey.toLowerCase())
      return undefined
    const stored = accepted ?? this.#stored.get(key.serial)
    if (!stored || ('keyEncrypted' in stored && isSameKey(services.config.secretKey, stored, key))) return undefined
    return findReplaceProblem(user, stored, key)
  }
}

function assertAll({ rowCount }: { readonly rowCount: number | null }, { length }: readonly Accepted[]) {
  if (rowCount !== length) throw new QuotaConflict('devices were changed during the import')
}

/** Creates devices and returns their ids by serial number. */
async function insertNewDevices({ db, user }: ImportCtx, made: readonly Accepted[]) {
  if (made.length === 0) return new Map<string, number>()
  const values = made.map(({ device: { sn, tenantId }, binding: { mac, alias, fallbackModelId: modelId } }) => ({
    sn,
    tenantId,
    mac,
    modelId,
    devName: alias,
    attributesWanted: 0,
    createBy: user.uid,
    updateBy: user.uid,
  }))
  const stored = await db
    .insert(devices)
    .values(values)
    .onConflictDoNothing()
    .returning({ id: devices.id, sn: devices.sn })
  assertAll({ rowCount: stored.length }, made)
  return new Map(stored.map(({ id, sn }) => [sn, id]))
}

/** Locks devices in the order of their ids, and stores the MAC of devices without one. */
async function lockKnownDevices({ db }: ImportCtx, known: readonly Accepted[]) {
  const ids = known.map(({ device }) => device.id)
  if (ids.length === 0) return
  const isKnown = and(notDeleted(devices), among(devices.id, ids))
  const locked = await db.select({ id: devices.id }).from(devices).where(isKnown).orderBy(devices.id).for('update')
  assertAll({ rowCount: locked.length }, known)
  const macs = known.flatMap(({ device, binding: { mac } }) => (device.mac === '' ? [{ id: device.id, mac }] : []))
  if (macs.length > 0)
    await db.execute(sql`update devices set mac = e.mac
      from json_to_recordset(${JSON.stringify(macs)}::json) as e (id int, mac varchar) where devices.id = e.id`)
}

/** Key of a chip in a line of an import. */
interface ChipKey {
  readonly serial: string
  readonly hmacKey: string
  readonly tenantId: number
}

/**
 * Encrypts and stores the keys of chips. Replaces different keys of the same tenant when the account has the
 * permission, and logs each replacement.
 */
async function storeKeys(ctx: ImportCtx, keys: readonly { readonly key: ChipKey; readonly deviceId: number }[]) {
  const { db, user, services } = ctx
  const { secretKey } = services.config
  const { serial, tenantId, keyEncrypted } = agentIdentityKeys
  if (keys.length === 0) return
  const values = keys.map(({ key }) => ({
    serial: key.serial,
    tenantId: key.tenantId,
    keyEncrypted: encrypt(secretKey, key.hmacKey.toLowerCase()),
    createBy: user.uid,
  }))
  const stored = await db.insert(agentIdentityKeys).values(values).onConflictDoNothing().returning({ serial })
  const added = new Set(stored.map((row) => row.serial))
  for (const [at, { key, deviceId }] of keys.entries()) {
    if (added.has(key.serial)) continue
    const isOwn = and(eq(serial, key.serial), eq(tenantId, key.tenantId))
    const [known] = await db.select({ tenantId, keyEncrypted }).from(agentIdentityKeys).where(isOwn)
    if (isSameKey(secretKey, known, key)) continue
    const problem = findReplaceProblem(user, known, key)
    if (problem) throw problem
    await db.update(agentIdentityKeys).set({ keyEncrypted: values[at]!.keyEncrypted, createBy: user.uid }).where(isOwn)
    await insertOperation(db, [replacementLog(ctx, deviceId, key.serial)])
  }
}

interface StoredKey {
  readonly tenantId: number
  readonly keyEncrypted: string
}

/**
 * Returns an API error when the account may not replace the stored key of the serial number. `known` is undefined when
 * the key belongs to another tenant.
 */
function findReplaceProblem(user: User, known: Pick<StoredKey, 'tenantId'> | undefined, { serial, tenantId }: ChipKey) {
  if (known?.tenantId !== tenantId) return invalid(`序列号「${serial}」已有密钥`, 'serial')
  if (user.can(calls.reset.access)) return undefined
  return invalid(`序列号「${serial}」已有另一个密钥，更换需要“重置身份”权限`, 'hmacKey')
}

/** True when the stored key equals the key. False also when the stored key cannot be decrypted with the secret key. */
function isSameKey(secretKey: Buffer, known: StoredKey | undefined, { hmacKey, tenantId }: ChipKey): boolean {
  if (known?.tenantId !== tenantId) return false
  try {
    return decrypt(secretKey, known.keyEncrypted) === hmacKey.toLowerCase()
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
