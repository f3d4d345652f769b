import { AGENT_EVENT_KIND } from '@oms/contract/agent/devices/device-event.ts'
import { and, inArray, or, sql } from 'drizzle-orm'
import { among } from '#core/database/lists/list-query.ts'
import { type ApiError, conflict } from '#core/http/api-error.ts'
import type { ImportCtx } from '#core/spreadsheet/import/lines.ts'
import { notDeleted, withoutRowSecurity } from '#core/tenancy/tenancy.ts'
import type { Binding } from './disabled-agent.ts'
import { addEvents } from './device-events.ts'
import { QuotaConflict, type DeviceQuotaCounter } from '#modules/device/device-quota.ts'
import { agentCodes, agentDevices, agentIdentityKeys } from '../schema/agent-device.ts'
import { devices } from '#modules/device/schema.ts'
import { BOUND_MESSAGE, chooseSerial, createSerialTakenError, createSeveralMatchesError } from './bind-device.ts'
import { findReplaceProblem, type ChipKey, isSameKey, storeKeys } from './device-key.ts'

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
export class FileBindings {
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
