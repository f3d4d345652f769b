import { sql } from 'drizzle-orm'
import { devices } from './device.ts'

/** Name of the firmware that a device runs, empty when unknown. Any name will do when several tenants have a version with this number. */
export const firmwareName = sql<string>`coalesce((select v.ver_name from ota_versions v where v.model_id = ${devices.modelId}
  and v.ver_code = ${devices.verCode} and v.package_name = '' and v.deleted_at is null limit 1), '')`

/** System version as the device reports it; a device that reports only its number is named by its firmware. */
export const systemVersion = sql<string>`left(coalesce(nullif(${devices.osVer}, ''), nullif(${firmwareName}, ''),
  ${devices.verCode}::text, ''), 64)`
