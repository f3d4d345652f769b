import { type AnyColumn, sql } from 'drizzle-orm'
import { devices } from './schema.ts'

interface Firmware {
  readonly modelId: AnyColumn | number
  readonly verCode: AnyColumn
  /** Tenant of the device. */
  readonly tenantId: AnyColumn | number
  readonly deviceId: AnyColumn | number
}

/**
 * Returns the name of a firmware version, empty when unknown. Prefers a version of the device's tenant to one of the
 * platform (tenant 1). Versions of other tenants with the same number are other firmware. Voice devices report a name,
 * from which OMS calculates the number. For an unknown version of a voice device, the name is calculated from the
 * number as in `formatBoardVersion`.
 */
export const firmwareNameOf = ({ modelId, verCode, tenantId, deviceId }: Firmware) =>
  sql<string>`coalesce((select v.ver_name from ota_versions v where v.model_id = ${modelId}
    and v.ver_code = ${verCode} and v.package_name = '' and v.deleted_at is null and v.tenant_id in (1, ${tenantId})
    order by v.tenant_id desc limit 1),
    (select concat_ws('.', ${verCode} / 1000000, ${verCode} / 1000 % 1000, ${verCode} % 1000) from agent_devices a
    where a.device_id = ${deviceId} and ${verCode} is not null), '')`

/** Name of the firmware that a device runs. */
export const firmwareName = firmwareNameOf({ ...devices, deviceId: devices.id })

/**
 * System version as the device reports it. Devices that report only a version number show the name of their firmware
 * instead.
 */
export const systemVersion = sql<string>`left(coalesce(nullif(${devices.osVer}, ''), nullif(${firmwareName}, ''),
  ${devices.verCode}::text, ''), 64)`
