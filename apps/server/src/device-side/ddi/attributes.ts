import { clean, sendEmpty, wrong } from '../answer.ts'
import { readObject } from '../read-body.ts'
import type { Call } from '../side.ts'
import { closeByVersion } from '../settle.ts'
import { reportVersion, versionFrom } from '../versions.ts'
import type { Querying } from '../writes.ts'

const MAX_KEYS = 100
const MAX_LENGTH = 128
const PRINTABLE = /^[\P{C}]*$/u
const MODES = ['merge', 'replace', 'remove'] as const
type Mode = (typeof MODES)[number]
type Attributes = Record<string, string>

/** Attributes that are columns of the device too, so that lists and groups can use them. */
const COLUMNS = { osVer: 'os_ver', appVer: 'app_ver', hwVer: 'hw_ver' } as const

/** The attributes a device tells of itself. `verCode` among them is the firmware it runs. */
export async function putConfigData(call: Call) {
  const { side, slot, request, response } = call
  const body = await readObject(request)
  const mode = (body.mode ?? 'merge') as Mode
  if (!MODES.includes(mode)) throw wrong('mode must be merge, replace or remove')
  const sent = checked(body.data)
  const deviceId = side.kernel.fleet.slots.ids[slot]!
  const verCode = versionFrom(sent.verCode)
  await side.tasks.writes.run(async (db) => {
    await store(db, deviceId, mode, sent)
    if (mode !== 'remove') await copyToColumns(db, deviceId, sent)
    await db.query('update devices set attributes_wanted = 0 where id = $1 and attributes_wanted = 1', [deviceId])
    if (mode !== 'remove' && verCode !== undefined) await reportVersion(db, deviceId, { verCode, source: 1 })
  })
  await side.tasks.caughtUp()
  if (mode !== 'remove' && verCode !== undefined) await closeByVersion(side, slot, '', verCode)
  sendEmpty(response)
}

function checked(data: unknown): Record<string, string | null> {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) throw wrong('data must be an object')
  const entries = Object.entries(data)
  if (entries.length > MAX_KEYS) throw wrong(`at most ${MAX_KEYS} attributes`)
  const sent: Record<string, string | null> = Object.create(null)
  for (const [key, value] of entries) {
    if (key === '' || key.length > MAX_LENGTH || !PRINTABLE.test(key)) throw wrong('an attribute has a bad name')
    if (value !== null && typeof value === 'object') throw wrong('attributes are texts')
    const text = value === null ? null : String(value)
    if (text !== null && (text.length > MAX_LENGTH || !PRINTABLE.test(text)))
      throw wrong(`a value is too long or not printable`)
    sent[key] = text
  }
  return sent
}

async function store(db: Querying, deviceId: number, mode: Mode, sent: Record<string, string | null>) {
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
  if (next.size > MAX_KEYS) throw wrong(`at most ${MAX_KEYS} attributes`)
  const after = JSON.stringify(Object.fromEntries(next))
  await db.query(
    'update device_attributes set data = $2, update_time = now() where device_id = $1 and data is distinct from $2::jsonb',
    [deviceId, after],
  )
}

async function copyToColumns(db: Querying, deviceId: number, sent: Record<string, string | null>) {
  for (const [key, column] of Object.entries(COLUMNS)) {
    const value = sent[key]
    if (value === undefined || value === null) continue
    await db.query(`update devices set ${column} = $2 where id = $1 and ${column} <> $2`, [deviceId, clean(value, 64)])
  }
}

/** The device says what it runs, by number or by the name of a version of its model. */
export async function putInstalled(call: Call) {
  const { side, slot, request, response } = call
  const { version } = await readObject(request)
  const { fleet, database } = side.kernel
  const deviceId = fleet.slots.ids[slot]!
  let verCode = versionFrom(version)
  if (verCode === undefined) {
    const { rows } = await database.pool.query<{ verCode: number }>(
      `select ver_code as "verCode" from ota_versions where model_id = $1 and ver_name = $2 and kind = 1 and deleted_at is null
         and tenant_id in (1, $3) order by status = 1 desc, ver_code desc limit 1`,
      [fleet.slots.models[slot], clean(version, 32), fleet.slots.tenants[slot]],
    )
    verCode = rows[0]?.verCode
  }
  if (verCode === undefined) throw wrong('version is neither a number nor the name of a version of this model')
  const known = verCode
  const isNew = await side.tasks.writes.run((db) => reportVersion(db, deviceId, { verCode: known, source: 1 }))
  await side.tasks.caughtUp()
  await closeByVersion(side, slot, '', known)
  sendEmpty(response, isNew ? 201 : 200)
}
