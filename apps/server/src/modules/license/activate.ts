import { listUidSpellings } from '@oms/contract/license/license-uid.ts'
import { and, eq, getTableColumns, inArray, ne, sql, asc } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { among } from '#core/database/lists/list-query.ts'
import type { Services } from '#core/services.ts'
import { notDeleted } from '#core/tenancy/tenancy.ts'
import { deviceModels, devices } from '#modules/device/schema.ts'
import type { PlainResponse, PlainCall } from '#modules/device/wire/request.ts'
import { sanitizeDeviceText, badRequest } from '#modules/device/wire/response.ts'
import { type StepContext, type StoredLicense, applyDeviceStep } from './license-step.ts'
import { licenses } from './schema.ts'

/** Data that a device sends about itself and its certificate. */
interface ActivationRequest {
  readonly uid: string
  readonly sn: string
  /** Code of the device's model; not compared when absent or empty. */
  readonly model?: string
  readonly mac?: string
  /** Id of an authenticated device; otherwise the device is found by `sn`. */
  readonly deviceId?: number
}
interface ActivationResult {
  /**
   * 200 activated now or before; 404 certificate or device unknown or of another tenant; 409 certificate of another
   * device, or device with another certificate; 410 scrapped or expired; 422 of another model; 423 suspended.
   */
  readonly status: 200 | 404 | 409 | 410 | 422 | 423
  /** State of the certificate after the call; null when the caller may not know the state. */
  readonly state: number | null
  readonly msg: string
}
type Device = Pick<typeof devices.$inferSelect, 'id' | 'sn' | 'tenantId' | 'modelId' | 'uid'> & { modelCode: string }

const ALLOTTED = 1
const ACTIVATED = 3
const SUSPENDED = 4
const answer = (status: ActivationResult['status'], state: number | null, msg: string): ActivationResult => ({
  status,
  state,
  msg,
})

/**
 * Activates the certificate that a device presents: the bound certificate, or a free certificate of its tenant,
 * which is then bound. A repeated call changes nothing. Of two devices that present one certificate, the first gets
 * it.
 */
export async function activateLicense(
  services: Pick<Services, 'database' | 'events' | 'now'>,
  input: ActivationRequest,
): Promise<ActivationResult> {
  const { db } = services.database
  // Devices repeat the call after every start. The repetition costs two reads.
  const device = await deviceOf(db, input)
  const seen = await licenseOf(db, input.uid, services.now())
  if (device && seen && isAlreadyActive(seen, device)) return answer(200, ACTIVATED, 'activated')
  return db.transaction((tx) => underLock(services, tx, input))
}

async function underLock(
  services: Pick<Services, 'events' | 'now'>,
  db: Db,
  input: ActivationRequest,
): Promise<ActivationResult> {
  const now = services.now()
  const license = await licenseOf(db, input.uid, now, true)
  if (!license || license.state === 0) return answer(404, null, 'unknown uid')
  const device = await deviceOf(db, input, true)
  if (!device) return answer(404, null, 'unknown device')
  if (license.tenantId !== device.tenantId) return answer(404, null, 'unknown uid')
  const refusal = refusalOf(license, device, input)
  if (refusal) return refusal
  if (license.state === ACTIVATED) return answer(200, ACTIVATED, 'activated')
  const reason = `设备激活${input.mac ? `，MAC ${input.mac}` : ''}`
  const stepContext: StepContext = { db, now, uid: null, operName: '设备', reason }
  if (license.state === ALLOTTED) await applyDeviceStep(stepContext, 'bind', license, device)
  await applyDeviceStep(stepContext, 'activate', license, device)
  await services.events.publish(db, 'changed', { resource: 'license', tenantId: license.tenantId })
  return answer(200, ACTIVATED, 'activated')
}

/** A certificate with the result of the check whether its end date has passed. */
type Presented = StoredLicense & { readonly past: boolean }

const isAlreadyActive = (license: Presented, device: Device) =>
  license.state === ACTIVATED && license.deviceId === device.id && !license.past

function refusalOf(license: Presented, device: Device, { model }: ActivationRequest): ActivationResult | undefined {
  const { state, deviceId } = license
  if (state === 6) return answer(410, state, 'scrapped')
  if (state === 5 || license.past) return answer(410, 5, 'expired')
  if (deviceId !== null && deviceId !== device.id) return answer(409, state, 'bound to another device')
  if (state === SUSPENDED) return answer(423, state, 'suspended')
  if (deviceId === null && device.uid !== '') return answer(409, state, 'device carries another uid')
  const said = model ? model.toLowerCase() !== device.modelCode.toLowerCase() : false
  if (said || (license.modelId !== null && license.modelId !== device.modelId))
    return answer(422, state, 'another model')
  return undefined
}

/** Returns the certificate whose UID is one of the spellings of `uid`. At most one spelling exists. */
async function licenseOf(db: Db, uid: string, now: Date, locked = false): Promise<Presented | undefined> {
  const query = db
    .select({
      ...getTableColumns(licenses),
      past: sql<boolean>`coalesce(${licenses.expireTime} <= ${now.toISOString()}::timestamptz, false)`,
    })
    .from(licenses)
    .where(inArray(licenses.uid, listUidSpellings(uid.slice(0, 100))))
    .orderBy(licenses.id)
    .limit(1)
  const [found] = await (locked ? query.for('update') : query)
  return found
}

async function deviceOf(db: Db, { deviceId, sn }: ActivationRequest, locked = false): Promise<Device | undefined> {
  const { id, tenantId, modelId, uid } = devices
  const query = db
    .select({ id, sn: devices.sn, tenantId, modelId, uid, modelCode: deviceModels.modelCode })
    .from(devices)
    .innerJoin(deviceModels, eq(deviceModels.id, devices.modelId))
    .where(
      and(
        notDeleted(devices),
        ne(devices.status, 0),
        deviceId === undefined ? eq(devices.sn, sn) : and(eq(id, deviceId), eq(devices.sn, sn)),
      ),
    )
  const [found] = await (locked ? query.for('update', { of: devices }) : query)
  return found
}

/*
 * Lock order: certificates before the devices that carry them. Binding, activating, unbinding and scrapping start
 * from the certificate. Code that starts from devices and also changes certificates must use these two functions.
 */

/** Locks the certificates of these devices. Must run before the devices are locked. */
export async function lockCertificatesOfDevices(db: Db, deviceIds: readonly number[]) {
  await db
    .select({ id: licenses.id })
    .from(licenses)
    .where(among(licenses.deviceId, deviceIds))
    .orderBy(asc(licenses.id))
    .for('update')
}

/**
 * Returns the locked devices whose certificate another transaction holds. Such a certificate was bound between the
 * two locks; waiting here could deadlock.
 */
export async function listConcurrentlyBoundDevices(db: Db, deviceIds: readonly number[]): Promise<ReadonlySet<number>> {
  const carried = among(licenses.deviceId, deviceIds)
  const all = await db.select({ deviceId: licenses.deviceId }).from(licenses).where(carried)
  const held = await db
    .select({ deviceId: licenses.deviceId })
    .from(licenses)
    .where(carried)
    .orderBy(asc(licenses.id))
    .for('update', { skipLocked: true })
  const mine = new Set(held.map(({ deviceId }) => deviceId))
  return new Set(all.flatMap(({ deviceId }) => (deviceId === null || mine.has(deviceId) ? [] : [deviceId])))
}

/** Handles `activate`: binds the certificate that a device presents. A repeated call changes nothing. */
export async function handleActivation({ side, body, sn, deviceId }: PlainCall): Promise<PlainResponse> {
  const uid = sanitizeDeviceText(body.uid, 64)
  if (uid === '') throw badRequest('uid is missing')
  const said = sanitizeDeviceText(body.mac, 32)
  const mac = said.toLowerCase().replaceAll(/[:.\s-]/g, '')
  if (said !== '' && !/^[0-9a-f]{12}$/.test(mac)) throw badRequest('mac must be 12 hex digits')
  const { status, state, msg } = await activateLicense(side.services, { uid, sn, deviceId, ...(mac && { mac }) })
  return { status, body: { uid, state, message: msg } }
}
