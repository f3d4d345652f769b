import { afterAll, beforeAll } from 'vitest'
import type { Database } from '#core/database/client.ts'
import { createTestDatabase } from './database.ts'
import type { deviceLab } from './device-fixture.ts'

/** Opens a migrated database without rows for the tests of a file. */
export function useDatabase(): Database {
  let database: Database
  beforeAll(async () => {
    database = await createTestDatabase()
  })
  afterAll(() => database?.close())
  return {
    get pool() {
      return database.pool
    },
    get db() {
      return database.db
    },
    get connection() {
      return database.connection
    },
    embedded: true,
    close: async () => {},
  }
}

export interface Grant {
  readonly channel?: number
  readonly recordType?: number
  readonly storageDays?: number
  /** 0 waiting, 1 in force, 2 expired, 3 suspended. */
  readonly state?: number
  /** Seconds from now. */
  readonly from?: number
  readonly to?: number
  readonly preRecord?: number
  readonly eventRecord?: number
  readonly prolong?: number
  readonly dayLimitMb?: number
  readonly switchedOff?: number
}
type Query = (text: string, values?: unknown[]) => Promise<{ id: number }[]>

/** Gives a channel an entitlement, as the console would store it. Returns its id. */
export async function grantStorage(query: Query, deviceId: number, grant: Grant = {}): Promise<number> {
  const { channel = 0, recordType = 1, storageDays = 7, state = 1, from = -86_400, to = 86_400 * 30 } = grant
  const { preRecord = 0, eventRecord = 0, prolong = 0, dayLimitMb = 0, switchedOff = 0 } = grant
  const [version] = await query(
    `insert into oss_package_versions (package_id, version, record_type, storage_days, period_type, period_count, price,
       pre_record, event_record, prolong, day_limit_mb)
     select 1, coalesce(max(version), 0) + 1, $1::int, $2::int, 2, 1, 0, $3::int, $4::int, $5::int, $6::int
     from oss_package_versions returning id`,
    [recordType, storageDays, preRecord, eventRecord, prolong, dayLimitMb],
  )
  const [row] = await query(
    `insert into oss_entitlements (ent_no, device_id, sn, channel, tenant_id, package_id, package_version_id, package_name,
       package_code, record_type, storage_days, period_type, period_count, source, position, state, start_time, run_from, end_time)
     select 'OE' || nextval('oss_entitlement_no'), id, sn, $2::int, tenant_id, 1, $3::int, 'P', 'P', $4::int, $5::int, 2, 1,
       1, case when $6::int = 0 then 1 else 0 end, $6::int, now() + make_interval(secs => $7),
       now() + make_interval(secs => $7), case when $6::int = 3 then null else now() + make_interval(secs => $8) end
     from devices where id = $1 returning id`,
    [deviceId, channel, version!.id, recordType, storageDays, state, from, to],
  )
  if (state === 2)
    await query(
      `insert into oss_spans (entitlement_id, tenant_id, device_id, channel, from_time, to_time, record_type, storage_days)
       select id, tenant_id, device_id, channel, start_time, end_time, record_type, storage_days from oss_entitlements where id = $1`,
      [row!.id],
    )
  await query(
    `insert into oss_queues (device_id, channel, tenant_id, suspended, end_time, switched_off)
     select id, $2::int, tenant_id, $3::int, case when $3::int = 0 then now() + make_interval(secs => $4) end, $5::int
     from devices where id = $1
     on conflict (device_id, channel) do update set end_time = excluded.end_time, switched_off = excluded.switched_off`,
    [deviceId, channel, state === 3 ? 1 : 0, to, switchedOff],
  )
  return row!.id
}

/** Returns bytes that begin like MPEG-TS. */
export function tsBytes(length: number, fill = 1): Buffer {
  const bytes = Buffer.alloc(length, fill)
  for (let at = 0; at < length; at += 188) bytes[at] = 0x47
  return bytes
}

/** Camera fixtures: model 1 has two channels of cloud storage, model 2 has none. */
export function useCameras(oms: ReturnType<typeof deviceLab>) {
  beforeAll(async () => {
    await oms.query(`update device_models set cloud_channels = 2 where model_code = 'C1'`)
    await oms.query(`insert into oss_packages (package_name, package_code) values ('P', 'P')`)
    await oms.sync()
  })
  const segment = (over: object = {}) => ({
    start: Date.now() - 4000,
    durationMs: 4000,
    bytes: 1000,
    format: 'ts',
    ...over,
  })
  const ask = (sn: string, ...segments: object[]) =>
    oms.plain('storage/permit', { sn, segments: segments.length > 0 ? segments : [segment()] })
  return {
    segment,
    ask,
    /** Creates a camera with these entitlements. */
    async camera(grants: readonly Grant[] = [{}], fields: Parameters<typeof oms.device>[0] = {}) {
      const device = await oms.device(fields)
      for (const grant of grants) await grantStorage(oms.query, device.id, grant)
      await oms.sync()
      return device
    },
    uploadOf: async (sn: string, over: object = {}) => (await ask(sn, segment(over))).json().upload[0],
    put: (url: string, body: Buffer, headers: Record<string, string> = {}) =>
      oms.send(url, {
        method: 'PUT',
        token: null,
        headers: { 'content-length': String(body.length), ...headers },
        body,
      }),
  }
}
