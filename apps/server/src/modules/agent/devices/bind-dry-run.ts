import { and, eq, or, sql } from 'drizzle-orm'
import { conflict } from '#core/http/api-error.ts'
import type { ImportCtx } from '#core/spreadsheet/import/definition.ts'
import { notDeleted, withoutRowSecurity } from '#core/tenancy/tenancy.ts'
import type { Binding } from '#domain/agents/devices/bind-device.ts'
import type { DeviceQuotaCounter } from '#domain/fleet/device-quota-counter.ts'
import { agentDevices, agentIdentityKeys } from '#schema/agent/agent-device.ts'
import { devices } from '#schema/device.ts'
import {
  BOUND_MESSAGE,
  selectMatchingDevices,
  chooseSerial,
  createSerialTakenError,
  createSeveralMatchesError,
} from './bind-device.ts'
import { assertMayReplace, type ChipKey, isSameKey } from './device-key.ts'

interface KnownDevice {
  /** Negative for a device that the import would create. */
  readonly id: number
  readonly sn: string
  readonly mac: string
}

/**
 * Checks bindings like `bindDevice` and `storeKey`, without locks and writes. Remembers the accepted bindings, because
 * later lines of the file must not contradict them.
 */
export class DryRunBindings {
  readonly #room: DeviceQuotaCounter
  /** Devices that accepted lines create or give a MAC, by tenant with MAC and by tenant with serial number. */
  readonly #changed = new Map<string, KnownDevice>()
  readonly #newSerials = new Set<string>()
  readonly #boundIds = new Set<number>()
  readonly #boundMacs = new Set<string>()
  /** Accepted keys by serial number. */
  readonly #keys = new Map<string, ChipKey>()

  constructor(room: DeviceQuotaCounter) {
    this.#room = room
  }

  /** Throws the problem of a line that the import would refuse. */
  async check(ctx: ImportCtx, binding: Binding, key: ChipKey | undefined) {
    const { tenantId } = binding.agent
    const device = (await this.#findDevice(ctx, binding)) ?? (await this.#planDevice(ctx, binding))
    await this.#assertUnbound(ctx, device.id, binding.mac)
    if (key) await this.#assertKey(ctx, key)
    if (device.id < 0) {
      this.#room.add(tenantId)
      this.#newSerials.add(device.sn.toLowerCase())
    }
    const changed = { ...device, mac: device.mac || binding.mac }
    this.#changed.set(`${tenantId} mac ${changed.mac}`, changed).set(`${tenantId} sn ${changed.sn}`, changed)
    this.#boundIds.add(device.id)
    this.#boundMacs.add(binding.mac)
    if (key) this.#keys.set(key.serial, key)
  }

  async #findDevice({ db }: ImportCtx, binding: Binding): Promise<KnownDevice | undefined> {
    const { agent, mac, serial } = binding
    const stored: KnownDevice[] = await selectMatchingDevices(db, binding)
    const changed = [`mac ${mac}`, `sn ${mac}`, `sn ${serial}`].flatMap(
      (which) => this.#changed.get(`${agent.tenantId} ${which}`) ?? [],
    )
    const found = [...new Map([...stored, ...changed].map((device) => [device.id, device])).values()]
    if (found.length > 1) throw createSeveralMatchesError(found)
    return found[0]
  }

  async #planDevice(ctx: ImportCtx, binding: Binding): Promise<KnownDevice> {
    const problem = await this.#room.findProblem(ctx.db, binding.agent.tenantId)
    if (problem) throw problem
    const sn = chooseSerial(binding)
    const isSame = and(sql`lower(${devices.sn}) = ${sn.toLowerCase()}`, notDeleted(devices))
    const taken = await withoutRowSecurity(ctx, (db) => db.$count(devices, isSame))
    if (taken > 0 || this.#newSerials.has(sn.toLowerCase())) throw createSerialTakenError(binding)
    return { id: -1 - this.#newSerials.size, sn, mac: binding.mac }
  }

  async #assertUnbound(ctx: ImportCtx, deviceId: number, mac: string) {
    const isSame = or(eq(agentDevices.deviceId, deviceId), eq(agentDevices.mac, mac))
    const bound = await withoutRowSecurity(ctx, (db) => db.$count(agentDevices, isSame))
    if (bound > 0 || this.#boundIds.has(deviceId) || this.#boundMacs.has(mac)) throw conflict(BOUND_MESSAGE, 'mac')
  }

  async #assertKey(ctx: ImportCtx, key: ChipKey) {
    const { user, services } = ctx
    const accepted = this.#keys.get(key.serial)
    if (accepted?.tenantId === key.tenantId && accepted.hmacKey.toLowerCase() === key.hmacKey.toLowerCase()) return
    const [stored] = await withoutRowSecurity(ctx, (db) =>
      db.select().from(agentIdentityKeys).where(eq(agentIdentityKeys.serial, key.serial)),
    )
    if (accepted) return assertMayReplace(user, { tenantId: accepted.tenantId }, key)
    if (stored && !isSameKey(services.config.secretKey, stored, key)) assertMayReplace(user, stored, key)
  }
}
