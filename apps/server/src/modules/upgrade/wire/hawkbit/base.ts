import { TASK_STATE_CODE } from '@oms/contract/upgrade/task-state.ts'
import type { DdiCall } from '#main/devices/device-services.ts'
import { SLOT_FLAG } from '#modules/device/fleet/slots.ts'
import type { OpenTask } from '#modules/device/fleet/state.ts'
import {
  computeBusyPollSeconds,
  computeFirstPollSeconds,
  computeIdlePollSeconds,
  computeClosedWindowSeconds,
  formatPollInterval,
  computeHeldPollSeconds,
} from '#modules/device/wire/pacing.ts'
import { readObject } from '#modules/device/wire/request.ts'
import { sendJson, sanitizeDeviceText, sendEmpty, badRequest } from '#modules/device/wire/response.ts'
import { formatJsonValue } from '../feedback.ts'
import { isReleasePaused, computeSecondsUntilOpen } from '../maintenance-window.ts'
import { closeByVersion, type StatementClient } from '../tasks.ts'
import { storeReportedPackages, storeReportedVersion, resolveVersions } from '../versions.ts'

interface Link {
  readonly href: string
}

const idleBodies = new Map<number, string>()

/** Returns the response body for an idle device as ASCII text, which can be sent together with the headers. */
export function buildIdleBody(seconds: number): string {
  let body = idleBodies.get(seconds)
  if (!body) {
    body = `{"config":{"polling":{"sleep":"${formatPollInterval(seconds)}"}}}`
    idleBodies.set(seconds, body)
  }
  return body
}

/** Returns the body for an idle device with an installed task. `base` must not need JSON escapes. */
export function buildInstalledBody(seconds: number, base: string, taskId: number): string {
  return `${buildIdleBody(seconds).slice(0, -1)},"_links":{"installedBase":{"href":"${base}/installedBase/${taskId}"}}}`
}

/** Returns the poll interval of an idle device in seconds. */
export function computeIdleInterval({ side, slot }: Pick<DdiCall, 'side' | 'slot'>) {
  const { slots } = side.services.fleet
  return computeIdlePollSeconds(slots.ids[slot]!, side.services.fleet.accessOf(slots.tenants[slot]!).pollSeconds)
}

/**
 * True when the response contains only the poll interval. Neither reads nor writes the database; most polls end
 * here.
 */
export function isIdle({ side, slot, now }: Pick<DdiCall, 'side' | 'slot' | 'now'>): boolean {
  const { fleet } = side.services
  const flags = fleet.slots.flags[slot]!
  if ((flags & (SLOT_FLAG.open | SLOT_FLAG.wanted)) !== 0) return false
  const rule = fleet.match(slot, fleet.moment(now))
  return !rule
}

/** Handles a poll: returns the links to the device's next actions. */
export async function handlePoll(call: DdiCall) {
  const { side, slot, now, base } = call
  const { fleet } = side.services
  const deviceId = fleet.slots.ids[slot]!
  const { pollSeconds } = fleet.accessOf(fleet.slots.tenants[slot]!)
  const { task, mustWait } = await nextTask(call)
  const links: Record<string, Link> = {}
  const shut = task && computeSecondsUntilOpen(call, task)
  if (task?.state === TASK_STATE_CODE.cancelling) links.cancelAction = { href: `${base}/cancelAction/${task.taskId}` }
  else if (task && isReleasePaused(call, task)) {
    // The response has no link: the release was paused before this device started.
  } else if (task?.state === TASK_STATE_CODE.confirming)
    links.confirmationBase = { href: `${base}/confirmationBase/${task.taskId}` }
  // No deployment link while the daily window is closed: SWUpdate closes a skipped task as a success.
  else if (task && shut === undefined && side.pacing.mayFetch(task, now))
    links.deploymentBase = { href: `${base}/deploymentBase/${task.taskId}?c=${task.otaId}` }
  if ((fleet.slots.flags[slot]! & SLOT_FLAG.wanted) !== 0) links.configData = { href: `${base}/configData` }
  const isHeld = mustWait || (task !== undefined && Object.keys(links).every((name) => name === 'configData'))
  const seconds = shut
    ? computeClosedWindowSeconds(deviceId, pollSeconds, shut)
    : isHeld
      ? computeHeldPollSeconds(deviceId)
      : isFirst(call)
        ? computeFirstPollSeconds(deviceId, pollSeconds)
        : task
          ? computeBusyPollSeconds(deviceId, pollSeconds)
          : computeIdlePollSeconds(deviceId, pollSeconds)
  const installed = fleet.slots.installed[slot]!
  if (installed > 0) links.installedBase = { href: `${base}/installedBase/${installed}` }
  const config = { polling: { sleep: formatPollInterval(seconds) } }
  sendJson(call.request, call.response, 200, Object.keys(links).length > 0 ? { config, _links: links } : { config })
}

/**
 * True for a device that was never seen and must send its attributes. The attributes, sent after this response, can
 * make a version match. SWUpdate starts nothing before it has sent the attributes.
 */
function isFirst({ side, slot }: DdiCall) {
  const { slots } = side.services.fleet
  return slots.saved[slot] === 0 && (slots.flags[slot]! & SLOT_FLAG.wanted) !== 0
}

interface Next {
  readonly task?: OpenTask | undefined
  readonly mustWait: boolean
}

/** Returns the open task, firmware before packages, or creates a task when a version matches. */
async function nextTask({ side, slot, now }: DdiCall): Promise<Next> {
  const { fleet } = side.services
  const open = fleet.state.openTasks(slot)
  const begun = open.find(({ packageName }) => packageName === '') ?? open[0]
  if (begun) return { task: begun, mustWait: false }
  const rule = fleet.match(slot, fleet.moment(now))
  if (!rule) return { mustWait: false }
  if (!side.pacing.mayOffer(rule, now)) return { mustWait: true }
  const task = await side.tasks.offer(slot, rule)
  if (task !== 'full') return { task, mustWait: false }
  side.pacing.full(rule, now)
  return { mustWait: true }
}

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
