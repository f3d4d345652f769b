import { hash, timingSafeEqual } from 'node:crypto'
import type { Kernel } from '#kernel/kernel.ts'
import { FLAG } from '#kernel/fleet/slots.ts'
import type { Access } from '#kernel/fleet/state.ts'
import { unauthorized } from './answer.ts'
import type { Certified } from './certificates.ts'

const MAX_SN = 64
const MAX_TOKEN = 256

export interface Credential {
  readonly kind: 'target' | 'gateway'
  readonly token: string
}

/** `TargetToken …` and `GatewayToken …` as hawkBit's clients send them. */
export function credentialOf(header: string | undefined): Credential | undefined {
  if (header === undefined || header.length > MAX_TOKEN) return undefined
  if (header.startsWith('TargetToken ')) return { kind: 'target', token: header.slice(12).trim() }
  if (header.startsWith('GatewayToken ')) return { kind: 'gateway', token: header.slice(13).trim() }
  return undefined
}

interface Named {
  readonly id: number
  readonly isDefault: boolean
}

/** The tenant an address names: its number, or the platform for `DEFAULT`. */
export function tenantOf({ fleet }: Kernel, name: string): Named {
  if (name.length === 7 && name.toUpperCase() === 'DEFAULT') return { id: 1, isDefault: true }
  const id = fleet.state.tenantIds.get(name)
  if (id === undefined) throw unauthorized()
  return { id, isDefault: false }
}

export const isEnabled = ({ fleet }: Kernel, slot: number) => (fleet.slots.flags[slot]! & FLAG.enabled) !== 0

/** Is this the device's own token? Takes as long whatever differs. */
export function hasToken({ fleet }: Kernel, slot: number, token: string): boolean {
  if ((fleet.slots.flags[slot]! & FLAG.token) === 0 || token.length === 0) return false
  // As text: a buffer for each poll would cost three times the hash.
  return fleet.slots.isToken(slot, hash('sha256', token, 'binary'))
}

function isGateway({ fleet }: Kernel, tenantId: number, token: string): boolean {
  return token.length > 0 && fits(fleet.accessOf(tenantId), hash('sha256', token, 'buffer'))
}

const fits = ({ gatewayToken, gatewayTokenHash }: Access, given: Buffer) =>
  gatewayToken && gatewayTokenHash?.length === given.length && timingSafeEqual(given, gatewayTokenHash)

/** Whose gateway token this is: for devices that do not say, or can say nothing but `DEFAULT`. */
export function tenantOfGateway({ fleet }: Kernel, token: string): number | undefined {
  if (token.length === 0) return undefined
  const given = hash('sha256', token, 'buffer')
  for (const [tenantId, access] of fleet.state.access) if (fits(access, given)) return tenantId
  return undefined
}

/** The tenant an unknown serial is registered for, if this credential may do so. */
export function registrarOf(kernel: Kernel, tenant: Named, given: Credential | Certified | undefined) {
  if (given?.kind !== 'gateway') return undefined
  if (tenant.isDefault) return tenantOfGateway(kernel, given.token)
  return isGateway(kernel, tenant.id, given.token) ? tenant.id : undefined
}

/**
 * The slot of the device that calls, or -1 for an unknown serial that the gateway token may register. `DEFAULT` stands
 * for whatever tenant the device is of: some clients can say nothing else.
 */
export function identify(kernel: Kernel, tenant: Named, sn: string, given: Credential | Certified | undefined) {
  const { slots } = kernel.fleet
  if (!given || sn.length === 0 || sn.length > MAX_SN) throw unauthorized()
  const slot = slots.find(sn)
  if (slot < 0) {
    if (registrarOf(kernel, tenant, given) !== undefined) return -1
    throw unauthorized()
  }
  const tenantId = slots.tenants[slot]!
  if ((!tenant.isDefault && tenantId !== tenant.id) || !isEnabled(kernel, slot)) throw unauthorized()
  const isRight =
    given.kind === 'certificate'
      ? given.name === sn && given.isTrusted(tenantId)
      : given.kind === 'target'
        ? kernel.fleet.accessOf(tenantId).targetToken && hasToken(kernel, slot, given.token)
        : isGateway(kernel, tenantId, given.token)
  if (!isRight) throw unauthorized()
  return slot
}

/** Makes a device of an unknown serial; two calls at once make one. Answers its slot. */
export async function register(kernel: Kernel, tenantId: number, sn: string, modelCode?: string): Promise<number> {
  const { fleet, database } = kernel
  const modelId = modelFor(kernel, tenantId, modelCode)
  if (modelId === undefined) throw unauthorized()
  // A letter the list cannot show is no serial.
  if (!/^[\p{L}\p{N}._:-]{1,64}$/u.test(sn)) throw unauthorized()
  await database.pool.query(
    `insert into devices (tenant_id, model_id, sn, remark)
     select $1, $2, $3, '凭网关令牌自动登记' from tenants t where t.id = $1 and (t.device_quota < 0
       or t.device_quota > (select count(*) from devices d where d.tenant_id = $1 and d.deleted_at is null))
     on conflict (sn) where deleted_at is null do nothing`,
    [tenantId, modelId, sn],
  )
  await fleet.sync()
  const slot = fleet.slots.find(sn)
  if (slot < 0 || fleet.slots.tenants[slot] !== tenantId) throw unauthorized()
  return slot
}

function modelFor({ fleet }: Kernel, tenantId: number, code?: string) {
  const { autoModelId } = fleet.accessOf(tenantId)
  if (autoModelId === null) return undefined
  if (code === undefined) return fleet.state.models.get(autoModelId)?.inUse ? autoModelId : undefined
  return [...fleet.state.models].find(([, model]) => model.inUse && model.code === code)?.[0]
}
