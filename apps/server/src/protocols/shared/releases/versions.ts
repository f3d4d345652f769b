import type { StatementClient } from '../write-queue.ts'

/** Maximum version number: nine digits. */
export const MAX_VERSION = 999_999_999

/** Parses a version number or digits, also with leading zeros. Undefined when invalid. */
export function parseVersion(value: unknown): number | undefined {
  if (typeof value === 'number')
    return Number.isInteger(value) && value >= 0 && value <= MAX_VERSION ? value : undefined
  if (typeof value !== 'string' || !/^\s*\d{1,18}\s*$/.test(value)) return undefined
  const number = Number(value)
  return number <= MAX_VERSION ? number : undefined
}

interface Reported {
  readonly verCode: number
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
  await db.query('insert into device_versions (device_id, ver_code, source, task_id) values ($1, $2, $3, $4)', [
    deviceId,
    verCode,
    source,
    taskId ?? null,
  ])
  return true
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
  return (rowCount ?? 0) > 0
}
