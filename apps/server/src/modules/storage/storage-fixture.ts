import { sql } from 'drizzle-orm'
import { beforeAll } from 'vitest'
import { STORAGE_INVARIANT_QUERY } from './invariants.ts'
import type { ApiResponse, Caller, useApp } from '#test/harness.ts'

export const ENTITLEMENT_URL = '/api/v1/oss/device'
const URL = ENTITLEMENT_URL
/** Repeats a call that found no free database connection, as on a busy machine. */
export async function retryUntilServed(call: () => Promise<ApiResponse>): Promise<ApiResponse> {
  for (let attempt = 1; ; attempt += 1) {
    const answer = await call()
    if (answer.code !== 503 || attempt === 20) return answer
  }
}

export const START_MS = Date.parse('2026-05-01T02:00:00Z')

/** An entitlement as the list returns it. */
interface Row {
  id: number
  state: number
  startTime: string | null
  endTime: string | null
  amount: number
  channel: number
  source: number
}

/** Returns functions that create packages and devices on the test server of the calling file, and set its clock. */
export function useStorage(app: ReturnType<typeof useApp>) {
  let admin: Caller
  const clock = { now: START_MS, latest: START_MS }
  let made = 0
  const packages: Record<string, number> = {}

  const setNow = (time: number) => {
    clock.now = time
    clock.latest = Math.max(clock.latest, time)
  }
  const breaches = async () => {
    const { pool } = app.services.database
    const { rows } = await pool.query<{ what: string }>(STORAGE_INVARIANT_QUERY, [new Date(clock.latest).toISOString()])
    return rows.map(({ what }) => what)
  }
  async function addPackage(code: string, over: object = {}) {
    const terms = { recordType: 1, storageDays: 7, periodType: 2, periodCount: 1, price: 900, channels: 4 }
    const input = { packageName: `套餐${code}`, packageCode: code, ...terms, ...over }
    const { data } = await admin.call('POST', '/api/v1/oss/package', input)
    packages[code] = data.id
  }
  /** Creates a device; model 1 has two channels, model 2 none. */
  async function newDevice(tenantId = 1, modelId = 1) {
    made += 1
    const sn = `CAM${String(made).padStart(4, '0')}`
    await app.db.execute(sql`insert into devices (sn, tenant_id, model_id) values (${sn}, ${tenantId}, ${modelId})`)
    return sn
  }
  const open = (sns: readonly string[], code = 'M1', over: object = {}) =>
    admin.call('POST', `${URL}/open`, { sns, packageId: packages[code], reason: '测试', ...over })
  const rowsOf = async (sn: string): Promise<Row[]> =>
    (await admin.call('GET', `${URL}/page?sn=${sn}&pageSize=200`)).data.list.toReversed()
  const shown = async (sn: string) =>
    (await rowsOf(sn)).map(({ state, startTime, endTime }) => [state, startTime?.slice(0, 10), endTime?.slice(0, 10)])
  const step = (name: string, ids: readonly number[]) => admin.call('POST', `${URL}/${name}`, { ids, reason: '测试' })

  beforeAll(async () => {
    Object.assign(app.services, { now: () => new Date(clock.now) })
    admin = await app.by({ superAdmin: true })
    await app.db.execute(sql`insert into device_types (type_name, type_code) values ('摄像机', 'cam')`)
    await app.db.execute(sql`insert into device_models (type_id, model_name, model_code, cloud_channels)
      values (1, '双目', 'D2', 2), (1, '无云存', 'N0', 0)`)
    await addPackage('M1')
    await addPackage('W1', { periodType: 1 })
    await addPackage('TRY', { periodType: 1, price: 0, isTrial: 1, channels: 1 })
  })
  const at = (iso: string) => setNow(Date.parse(`${iso}T02:00:00Z`))
  const call: Caller['call'] = (...request) => admin.call(...request)
  return { at, setNow, clock, call, packages, breaches, addPackage, newDevice, open, rowsOf, shown, step }
}
