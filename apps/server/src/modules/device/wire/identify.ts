import { hash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { type BlockList, isIP } from 'node:net'
import { DeviceInput } from '@oms/contract/device/device-row.ts'
import { and, eq } from 'drizzle-orm'
import type { Config } from '#core/config/config.ts'
import { createNetList, familyOf } from '#core/config/nets.ts'
import type { Services } from '#core/services.ts'
import { notDeleted } from '#core/tenancy/tenancy.ts'
import { lockDeviceQuota } from '../device-quota.ts'
import type { Fleet } from '../fleet/fleet.ts'
import { SLOT_FLAG } from '../fleet/slots.ts'
import type { DeviceAccessSettings } from '../fleet/state.ts'
import { devices } from '../schema.ts'
import { type RefusalReason, unauthorized } from './response.ts'

const MAX_SN = 64
const MAX_TOKEN = 256

interface Credential {
  readonly kind: 'target' | 'gateway'
  readonly token: string
}

/** Parses `TargetToken …` and `GatewayToken …` of hawkBit clients. */
export function parseCredential(header: string | undefined): Credential | undefined {
  if (header === undefined || header.length > MAX_TOKEN) return undefined
  const [, kind, token = ''] = /^(target|gateway)token (.*)$/i.exec(header) ?? []
  if (kind === undefined) return undefined
  return { kind: kind.toLowerCase() as Credential['kind'], token: token.trim() }
}

interface Named {
  readonly id: number
  readonly isDefault: boolean
}

/** Returns the tenant of a URL: a tenant number, or the platform for `DEFAULT`. */
export function requireNamedTenant({ fleet }: Services, name: string): Named {
  if (name.length === 7 && name.toUpperCase() === 'DEFAULT') return { id: 1, isDefault: true }
  const id = fleet.state.tenantIds.get(name)
  if (id === undefined) throw unauthorized('unknown tenant')
  return { id, isDefault: false }
}

export const isDeviceEnabled = ({ fleet }: Services, slot: number) =>
  (fleet.slots.flags[slot]! & SLOT_FLAG.enabled) !== 0 && !fleet.state.closedTenants.has(fleet.slots.tenants[slot]!)

/** True when this is the device's token. Compares in constant time. */
export function hasDeviceToken({ fleet }: Services, slot: number, token: string): boolean {
  if ((fleet.slots.flags[slot]! & SLOT_FLAG.token) === 0 || token.length === 0) return false
  // The hash is a text, because a buffer for each poll would cost three times as much as the hash.
  return fleet.slots.isToken(slot, hash('sha256', token, 'binary'))
}

function isGateway({ fleet }: Services, tenantId: number, token: string): boolean {
  return token.length > 0 && fits(fleet.accessOf(tenantId), hash('sha256', token, 'buffer'))
}

const fits = ({ gatewayToken, gatewayTokenHash }: DeviceAccessSettings, given: Buffer) =>
  gatewayToken && gatewayTokenHash?.length === given.length && timingSafeEqual(given, gatewayTokenHash)

/** Returns the tenant of a gateway token, for devices that name no tenant or only `DEFAULT`. */
export function findTenantOfGateway({ fleet }: Services, token: string): number | undefined {
  if (token.length === 0) return undefined
  const given = hash('sha256', token, 'buffer')
  for (const [tenantId, access] of fleet.state.access) if (fits(access, given)) return tenantId
  return undefined
}

/** Returns the tenant in which this credential may register an unknown serial. */
export function findRegistrationTenant(
  services: Services,
  tenant: Named,
  given: Credential | CertifiedDevice | undefined,
) {
  if (given?.kind !== 'gateway') return undefined
  if (tenant.isDefault) return findTenantOfGateway(services, given.token)
  return isGateway(services, tenant.id, given.token) ? tenant.id : undefined
}

/**
 * Returns the slot of the calling device, or -1 for an unknown serial that the gateway token may register. `DEFAULT`
 * means the device's tenant, because some clients can send nothing else.
 */
export function identifyDevice(
  services: Services,
  tenant: Named,
  sn: string,
  given: Credential | CertifiedDevice | undefined,
) {
  const { slots } = services.fleet
  if (!given) throw unauthorized('no credential')
  if (sn.length === 0 || sn.length > MAX_SN) throw unauthorized('bad serial')
  const slot = slots.find(sn)
  if (slot < 0) {
    if (findRegistrationTenant(services, tenant, given) !== undefined) return -1
    throw unauthorized(given.kind === 'gateway' ? 'wrong gateway token' : 'unknown serial')
  }
  const tenantId = slots.tenants[slot]!
  if (!tenant.isDefault && tenantId !== tenant.id) throw unauthorized('serial of another tenant')
  const wrong = credentialProblem(services, slot, sn, given)
  if (wrong) throw unauthorized(wrong)
  if (!isDeviceEnabled(services, slot)) throw unauthorized(disabledReason(services, tenantId))
  return slot
}

const disabledReason = ({ fleet }: Services, tenantId: number): RefusalReason =>
  fleet.state.closedTenants.has(tenantId) ? 'tenant disabled' : 'device disabled'

/** Returns the reason why the credential is not valid for the device; undefined when valid. */
function credentialProblem(
  services: Services,
  slot: number,
  sn: string,
  given: Credential | CertifiedDevice,
): RefusalReason | undefined {
  const tenantId = services.fleet.slots.tenants[slot]!
  if (given.kind === 'certificate')
    return given.name === sn && given.isTrusted(tenantId) ? undefined : 'wrong certificate'
  if (given.kind === 'gateway') return isGateway(services, tenantId, given.token) ? undefined : 'wrong gateway token'
  if (!services.fleet.accessOf(tenantId).targetToken) return 'device tokens switched off'
  return hasDeviceToken(services, slot, given.token) ? undefined : 'wrong device token'
}

/** Registers a device with an unknown serial and returns its slot. Two simultaneous calls create one device. */
export async function registerDevice(
  services: Services,
  tenantId: number,
  sn: string,
  modelCode?: string,
): Promise<number> {
  const { fleet, database } = services
  if (fleet.state.closedTenants.has(tenantId)) throw unauthorized('tenant disabled')
  const modelId = modelFor(services, tenantId, modelCode)
  if (modelId === undefined) throw unauthorized('no model for registration')
  // Applies the rule of the console form. Otherwise the console would refuse to save changes of the device.
  if (!DeviceInput.shape.sn.safeParse(sn).success) throw unauthorized('bad serial')
  await database.db.transaction(async (db) => {
    const { left } = await lockDeviceQuota(db, tenantId)
    const made = { tenantId, modelId, sn, remark: '凭网关令牌自动登记' }
    const isFull = left < 1 && (await db.$count(devices, and(eq(devices.sn, sn), notDeleted(devices)))) === 0
    if (isFull) throw unauthorized('device quota reached')
    if (left >= 1) await db.insert(devices).values(made).onConflictDoNothing()
  })
  await fleet.sync()
  const slot = fleet.slots.find(sn)
  if (slot < 0) throw unauthorized('serial in another case')
  if (fleet.slots.tenants[slot] !== tenantId) throw unauthorized('serial of another tenant')
  return slot
}

function modelFor({ fleet }: Services, tenantId: number, code?: string) {
  const { autoModelId } = fleet.accessOf(tenantId)
  if (autoModelId === null) return undefined
  if (code === undefined) return fleet.state.models.get(autoModelId)?.isEnabled ? autoModelId : undefined
  return [...fleet.state.models].find(([, model]) => model.isEnabled && model.code === code)?.[0]
}

/** Certificate data from a trusted proxy that has verified the certificate. */
interface CertifiedDevice {
  readonly kind: 'certificate'
  /** Common name of the certificate, which is the device's serial. */
  readonly name: string
  /** True when this tenant trusts the certificate's authority. */
  readonly isTrusted: (tenantId: number) => boolean
}

const CLIENT = ['x-ssl-client-cn', 'x-controller-id'] as const
/** Header names of hawkBit, old and new. A certificate chain uses several headers. */
const ISSUER = /^(?:x-ssl-issuer-hash-\d{1,2}|x-authority(?:-\d{1,2})?)$/
const MAX_NAME = 64

const hashOf = (text: string) => text.toLowerCase().replaceAll(/[:\s]/g, '')

/** Authenticates devices by client certificates that the proxy verified. Active only when configured. */
export class Certificates {
  readonly #proxies: BlockList
  readonly #issuers: Config['deviceCertificates']['issuers']
  readonly #fleet: Fleet

  constructor({ proxies, issuers }: Config['deviceCertificates'], fleet: Fleet) {
    this.#proxies = createNetList(proxies)
    this.#issuers = issuers
    this.#fleet = fleet
  }

  /** Returns undefined for requests without a certificate or from an untrusted address, whose headers are ignored. */
  of({ socket, headers }: IncomingMessage): CertifiedDevice | undefined {
    const peer = (socket.remoteAddress ?? '').replace(/^::ffff:/, '')
    if (!isIP(peer) || !this.#proxies.check(peer, familyOf(peer))) return undefined
    const names = CLIENT.flatMap((name) => headers[name] ?? [])
    const [name = ''] = names
    // With two names, the device itself sent one of the headers.
    if (names.length !== 1 || name === '' || name.length > MAX_NAME) return undefined
    const hashes = new Set<string>()
    for (const [header, value] of Object.entries(headers))
      if (typeof value === 'string' && ISSUER.test(header)) hashes.add(hashOf(value))
    return { kind: 'certificate', name, isTrusted: (tenantId) => this.#trusts(tenantId, hashes) }
  }

  #trusts(tenantId: number, hashes: ReadonlySet<string>) {
    return this.#issuers.some(
      ({ tenant, hash }) => hashes.has(hash) && (tenant === undefined || this.#tenant(tenant) === tenantId),
    )
  }

  #tenant(name: string) {
    return name.toUpperCase() === 'DEFAULT' ? 1 : this.#fleet.state.tenantIds.get(name)
  }
}
