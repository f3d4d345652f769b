import { sanitizeDeviceText, sendEmpty, badRequest } from '#modules/device/wire/response.ts'
import { readObject } from '#modules/device/wire/request.ts'
import { formatJsonValue } from '../releases/report-words.ts'
import type { DdiCall } from '#main/devices/device-services.ts'
import { closeByVersion } from '../releases/close-by-version.ts'
import { storeReportedPackages, storeReportedVersion, resolveVersions } from '../releases/versions.ts'
import type { StatementClient } from '#modules/device/wire/write-queue.ts'

const MAX_KEYS = 100
const MAX_LENGTH = 128
const PRINTABLE = /^[\P{C}]*$/u
const MODES = ['merge', 'replace', 'remove'] as const
type Mode = (typeof MODES)[number]
type Attributes = Record<string, string>

/** Attributes that are also columns of the device, so that lists and groups can filter by them. */
const COLUMNS = { osVer: 'os_ver', appVer: 'app_ver', hwVer: 'hw_ver' } as const

/** Stores the attributes that a device reports. `verCode` is number or name of the installed firmware version. */
export async function putConfigData(call: DdiCall) {
  const { side, slot, request, response } = call
  const body = await readObject(request)
  const mode = (body.mode ?? 'merge') as Mode
  if (!MODES.includes(mode)) throw badRequest('mode must be merge, replace or remove')
  const sent = parseAttributes(body.data)
  const deviceId = side.services.fleet.slots.ids[slot]!
  const told = mode === 'remove' ? undefined : sent.verCode
  const [verCode] = await resolveVersions(side, slot, [{ name: '', version: told }])
  await side.tasks.writes.run(async (db) => {
    await store(db, deviceId, mode, sent)
    if (mode !== 'remove') await copyToColumns(db, deviceId, sent)
    await db.query('update devices set attributes_wanted = 0 where id = $1 and attributes_wanted = 1', [deviceId])
    if (verCode !== undefined) await storeReportedVersion(db, deviceId, { verCode, source: 1 })
  })
  await side.tasks.caughtUp()
  if (verCode !== undefined) await closeByVersion(side, slot, '', verCode)
  sendEmpty(response)
}

function parseAttributes(data: unknown): Record<string, string | null> {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) throw badRequest('data must be an object')
  const entries = Object.entries(data)
  if (entries.length > MAX_KEYS) throw badRequest(`at most ${MAX_KEYS} attributes`)
  const sent: Record<string, string | null> = Object.create(null)
  for (const [key, value] of entries) {
    if (key === '' || key.length > MAX_LENGTH || !PRINTABLE.test(key)) throw badRequest('an attribute has a bad name')
    if (value !== null && typeof value === 'object') throw badRequest('attributes are texts')
    const text = value === null ? null : String(value)
    if (text !== null && (text.length > MAX_LENGTH || !PRINTABLE.test(text)))
      throw badRequest(`a value is too long or not printable`)
    sent[key] = text
  }
  return sent
}

async function store(db: StatementClient, deviceId: number, mode: Mode, sent: Record<string, string | null>) {
  await db.query('insert into device_attributes (device_id) values ($1) on conflict do nothing', [deviceId])
  const { rows } = await db.query<{ data: Attributes }>(
    'select data from device_attributes where device_id = $1 for update',
    [deviceId],
  )
  const before = rows[0]?.data ?? {}
  const next = new Map(mode === 'replace' ? [] : Object.entries(before))
  for (const [key, value] of Object.entries(sent))
    if (mode === 'remove' || value === null) next.delete(key)
    else next.set(key, value)
  if (next.size > MAX_KEYS) throw badRequest(`at most ${MAX_KEYS} attributes`)
  const after = JSON.stringify(Object.fromEntries(next))
  await db.query(
    'update device_attributes set data = $2, update_time = now() where device_id = $1 and data is distinct from $2::jsonb',
    [deviceId, after],
  )
}

async function copyToColumns(db: StatementClient, deviceId: number, sent: Record<string, string | null>) {
  for (const [key, column] of Object.entries(COLUMNS)) {
    const value = sent[key]
    if (value === undefined || value === null) continue
    await db.query(`update devices set ${column} = $2 where id = $1 and ${column} <> $2`, [
      deviceId,
      sanitizeDeviceText(value, 64),
    ])
  }
}

/** Handles `PUT installedBase`: stores the installed firmware or package version, given as number or version name. */
export async function handleInstalledVersion(call: DdiCall) {
  const { side, slot, request, response } = call
  const { name, version } = await readObject(request)
  const { fleet } = side.services
  const deviceId = fleet.slots.ids[slot]!
  const packageName = await namedPackage(call, formatJsonValue(name).trim())
  const [verCode] = await resolveVersions(side, slot, [{ name: packageName, version }])
  if (verCode === undefined) throw badRequest('version is neither a number nor the name of a version of this model')
  const isNew = await side.tasks.writes.run((db) =>
    packageName
      ? storeReportedPackages(db, deviceId, [{ name: packageName, verCode }])
      : storeReportedVersion(db, deviceId, { verCode, source: 1 }),
  )
  await side.tasks.caughtUp()
  await closeByVersion(side, slot, packageName, verCode)
  sendEmpty(response, isNew ? 201 : 200)
}

/** Names that devices use for their firmware. */
const FIRMWARE = new Set(['', 'os', 'firmware', '固件'])

/** Returns the software package with this name, or an empty text for the firmware. Throws for other names. */
async function namedPackage({ side, slot }: DdiCall, name: string): Promise<string> {
  const { fleet, database } = side.services
  if (FIRMWARE.has(name.toLowerCase())) return ''
  const { rows } = await database.pool.query<{ packageName: string }>(
    `select package_name as "packageName" from ota_versions v where model_id = $1 and deleted_at is null and tenant_id in (1, $3)
       and (package_name = $2 or kind = 1 and (ver_name = $2 or exists
         (select from ota_components c where c.ota_id = v.ota_id and c.name = $2))) order by kind desc limit 1`,
    [fleet.slots.models[slot], sanitizeDeviceText(name, 64), fleet.slots.tenants[slot]],
  )
  if (!rows[0]) throw badRequest('name is neither os, firmware, nor a component or package of this model')
  return rows[0].packageName
}
