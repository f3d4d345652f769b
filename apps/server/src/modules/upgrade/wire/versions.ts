import { TASK_STATE_CODE } from '@oms/contract/upgrade/task-state.ts'
import type { DeviceServices } from '#main/devices/device-services.ts'
import { sanitizeDeviceText } from '#modules/device/wire/response.ts'
import { formatJsonValue } from './feedback.ts'
import type { StatementClient } from './tasks.ts'

/** Maximum version number: nine digits. */
const MAX_VERSION = 999_999_999

/** Parses a version number or digits, also with leading zeros. Undefined when invalid. */
function parseVersion(value: unknown): number | undefined {
  if (typeof value === 'number')
    return Number.isInteger(value) && value >= 0 && value <= MAX_VERSION ? value : undefined
  if (typeof value !== 'string' || !/^\s*\d{1,18}\s*$/.test(value)) return undefined
  const number = Number(value)
  return number <= MAX_VERSION ? number : undefined
}

/** A version as a device sends it: a number or a version name. The firmware has an empty package name. */
interface NamedVersion {
  readonly name: string
  readonly version: unknown
}

/** Returns the number of each version; undefined for a text that is no number and no version name of the device's model. */
export async function resolveVersions(
  { services: { fleet, database } }: Pick<DeviceServices, 'services'>,
  slot: number,
  told: readonly NamedVersion[],
): Promise<(number | undefined)[]> {
  const numbers = told.map(({ version }) => parseVersion(version))
  const texts = told.map(({ version }) => sanitizeDeviceText(formatJsonValue(version), MAX_NAME + 1))
  if (numbers.every((number, at) => number !== undefined || texts[at] === '')) return numbers
  const { rows } = await database.pool.query<{ at: number; verCode: number }>(
    `select distinct on (r.at) r.at::int, v.ver_code as "verCode"
     from unnest($3::text[], $4::text[]) with ordinality as r (name, version, at)
     join ota_versions v on v.model_id = $1 and v.package_name = r.name and v.ver_name = r.version
       and v.deleted_at is null and v.tenant_id in (1, $2)
     order by r.at, v.status = 1 desc, v.ver_code desc`,
    [fleet.slots.models[slot], fleet.slots.tenants[slot], told.map(({ name }) => name), texts],
  )
  const byPlace = new Map(rows.map(({ at, verCode }) => [at - 1, verCode]))
  return numbers.map((number, at) => number ?? byPlace.get(at))
}
/** Maximum length of a version name. */
const MAX_NAME = 32

interface Reported {
  /** Null when the reported version cannot be recognised. */
  readonly verCode: number | null
  /** 1 reported by the device, 2 from a closed task. */
  readonly source: 1 | 2
  readonly taskId?: number
}

/** Stores the installed firmware version. Writes nothing when unchanged. */
export async function storeReportedVersion(
  db: StatementClient,
  deviceId: number,
  { verCode, source, taskId }: Reported,
) {
  const { rowCount } = await db.query(
    'update devices set ver_code = $2 where id = $1 and ver_code is distinct from $2',
    [deviceId, verCode],
  )
  if (!rowCount) return false
  await reviseLastSuccess(db, deviceId, [{ name: '', verCode }])
  await db.query(
    'insert into device_versions (device_id, ver_code, source, task_id) select $1, $2, $3, $4 where $2::int is not null',
    [deviceId, verCode, source, taskId ?? null],
  )
  return true
}

/** Result code of a task whose device ran an older version after its success. */
const ROLLBACK = 'rollback'

/**
 * Compares the running versions with the last success of each package. The firmware has an empty package name. An older
 * version turns the success into a failure, unless an open task requests this version. The failure becomes a success
 * again when the device reports the version of the task, because some devices report a success before they restart.
 */
async function reviseLastSuccess(
  db: StatementClient,
  deviceId: number,
  running: readonly { readonly name: string; readonly verCode: number | null }[],
) {
  const { rows } = await db.query<{ otaId: number; tenantId: number; sn: string; reason: string; isFailed: boolean }>(
    `with last as (select l.*, r.code as running from unnest($2::text[], $3::int[]) as r (name, code),
       lateral (select task_id, ver_code, state from ota_tasks t where t.device_id = $1 and t.package_name = r.name
         and (t.state = ${TASK_STATE_CODE.succeeded} or t.state = ${TASK_STATE_CODE.failed} and t.code = '${ROLLBACK}')
         order by t.task_id desc limit 1) l
       where not exists (select from ota_tasks o where o.device_id = $1 and o.package_name = r.name
         and o.close_time is null and o.ver_code <= r.code)),
     changed as (update ota_tasks t set update_time = now(), close_time = now(),
         state = case when l.running = l.ver_code then ${TASK_STATE_CODE.succeeded} else ${TASK_STATE_CODE.failed} end,
         code = case when l.running = l.ver_code then null else '${ROLLBACK}' end,
         reason = case when l.running = l.ver_code then '' else '回退：升级成功后，设备又报告运行'
           || coalesce('版本 ' || l.running, '无法识别的版本') end
       from last l where t.task_id = l.task_id and (l.state = ${TASK_STATE_CODE.succeeded} and l.ver_code > coalesce(l.running, -1)
         or l.state = ${TASK_STATE_CODE.failed} and l.ver_code = l.running)
       returning t.task_id, t.ota_id, t.tenant_id, t.state, t.reason),
     noted as (insert into ota_task_logs (task_id, state, details)
       select task_id, state, array[coalesce(nullif(reason, ''), '设备又报告运行目标版本')] from changed)
     select c.ota_id as "otaId", c.tenant_id as "tenantId", c.reason, d.sn, c.state = ${TASK_STATE_CODE.failed} as "isFailed"
     from changed c join devices d on d.id = $1`,
    [deviceId, running.map(({ name }) => name), running.map(({ verCode }) => verCode)],
  )
  for (const { otaId, sn, reason, isFailed } of rows)
    if (isFailed) await openAlarm(db, otaId, 'rolledBack', `设备 ${sn} ${reason}`)
}

export interface ReportedPackage {
  readonly name: string
  readonly verCode: number
}

/** Stores the installed packages. Returns true when a package changed. */
export async function storeReportedPackages(
  db: StatementClient,
  deviceId: number,
  packages: readonly ReportedPackage[],
): Promise<boolean> {
  const { rowCount } = await db.query(
    `insert into device_packages (device_id, package_name, ver_code) select $1, u.name, u.code
     from unnest($2::text[], $3::int[]) as u (name, code)
     on conflict (device_id, package_name) do update set ver_code = excluded.ver_code, update_time = now()
     where device_packages.ver_code <> excluded.ver_code`,
    [deviceId, packages.map(({ name }) => name), packages.map(({ verCode }) => verCode)],
  )
  if (!rowCount) return false
  await reviseLastSuccess(db, deviceId, packages)
  return true
}

/** Values of ALARM_KIND in the contract. */
const KIND = { damaged: 1, rolledBack: 4 } as const

/** Opens an alarm of a version unless an alarm of this kind is open. */
export async function openAlarm(db: StatementClient, otaId: number, kind: keyof typeof KIND, message: string) {
  // The lock ensures that several devices with the same problem open only one alarm.
  await db.query(`select pg_advisory_xact_lock(hashtext('ota alarms'), $1)`, [otaId])
  await db.query(
    `insert into ota_alarms (tenant_id, ota_id, kind, message) select tenant_id, ota_id, $2, left($3, 500)
     from ota_versions where ota_id = $1
       and not exists (select from ota_alarms where ota_id = $1 and kind = $2 and close_time is null)`,
    [otaId, KIND[kind], message],
  )
}
