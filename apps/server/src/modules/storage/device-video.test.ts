import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { useApp } from '#test/harness.ts'
import { useStorage } from '#test/fixtures/storage-fixture.ts'

const URL = '/api/v1/oss/device'
const app = useApp()
const { setNow, call, newDevice, open, rowsOf, step } = useStorage(app)
const rulesOf = (rules: { reason: string; passed: number | null; value: string }[]) =>
  Object.fromEntries(rules.map(({ reason, passed }) => [reason, passed]))

test('STORAGE-14 the permit rules are shown with their results and with the last request of the camera', async () => {
  setNow(Date.now())
  const sn = await newDevice()
  const none = (await call('GET', `${URL}/why?sn=${sn}`)).data
  expect(none).toMatchObject({ refusal: '未开通套餐', askTime: null, answer: '', uploadTime: null, trouble: '' })
  expect(rulesOf(none.rules)).toMatchObject({ disabled: 1, model: 1, channel: 1, none: 0, expired: null, space: 1 })
  await open([sn])
  await app.db.execute(sql`insert into oss_device_status (device_id, channel, tenant_id, ask_time, answer, trouble_time,
    trouble_code, trouble_text) select id, 0, 1, now(), 'clock', now(), 'E1', '镜头' from devices where sn = ${sn}`)
  setNow(Date.now())
  const { data } = await call('GET', `${URL}/why?sn=${sn}`)
  expect(data).toMatchObject({ refusal: '', answer: '设备时间偏差超过5分钟', trouble: 'E1 镜头' })
  expect(data.rules.every(({ passed }: { passed: number }) => passed === 1)).toBe(true)
  expect(data.rules.find(({ reason }: { reason: string }) => reason === 'old').value).toBe('保存 7 天')
  expect((await call('GET', `${URL}/why?sn=${sn}&channel=9`)).data.refusal).toBe('通道超出型号范围')
  const other = await newDevice(1, 2)
  expect((await call('GET', `${URL}/why?sn=${other}`)).data.refusal).toBe('型号不支持云存储')
})

test('the uploads of each day of a month are returned only to staff who can see the device', async () => {
  const sn = await newDevice()
  await app.db.execute(sql`
    insert into oss_device_days (device_id, channel, day, tenant_id, owner_id, model_id, record_type, expire_days, segments,
      events, duration_ms, bytes, first_ms, last_ms)
    select id, 0, day::date, 1, owner, 1, 1, case when day > '2026-05-02' then array['2036-01-01'::date] else '{}' end, 10, 1,
      40000, 5000, 0, 1 from devices, (values ('2026-05-01', 0), ('2026-05-03', 0), ('2026-05-03', 7), ('2026-06-01', 0)) as v (day, owner)
    where sn = ${sn}`)
  const { data } = await call('GET', `${URL}/usage?sn=${sn}&month=2026-05`)
  expect(data).toEqual({
    month: '2026-05',
    days: [
      { day: '2026-05-01', segments: 10, events: 1, seconds: 40, bytes: 5000, hasVideo: 0 },
      { day: '2026-05-03', segments: 20, events: 2, seconds: 80, bytes: 10_000, hasVideo: 1 },
    ],
  })
  expect(await call('GET', `${URL}/usage?sn=${sn}&month=2026-13`)).toMatchObject({ code: 400, msg: '请选择月份' })
  const tenant = await app.by({ tenant: '乙公司', permissions: ['ossManage:deviceList:query'] })
  for (const path of [`why?sn=${sn}`, `usage?sn=${sn}&month=2026-05`])
    expect(await tenant.call('GET', `${URL}/${path}`)).toMatchObject({ code: 400, msg: '设备不存在或已被删除' })
})

test('the filter by stored recordings lists each channel once', async () => {
  const [kept, today, none] = [await newDevice(), await newDevice(), await newDevice()]
  await open([kept, today, none])
  await open([kept])
  await app.db.execute(sql`
    insert into oss_device_days (device_id, channel, day, tenant_id, owner_id, model_id, record_type, expire_days, segments,
      events, duration_ms, bytes, first_ms, last_ms)
    select id, 0, case when sn = ${kept} then '2026-05-03'::date else current_date end, 1, 0, 1, 1,
      case when sn = ${kept} then array['2036-01-01'::date] else '{}' end, 1, 0, 4000, 700, 0, 1
    from devices where sn in (${kept}, ${today})`)
  const listed = async (videos: number) =>
    (await call('GET', `${URL}/page?videos=${videos}`)).data.list.map(({ sn }: { sn: string }) => sn)
  expect(await listed(1)).toEqual([kept])
  expect(await listed(2)).toEqual([today])
})

test('STORAGE-13 each entitlement shows the stored videos that were recorded under it', async () => {
  setNow(Date.now())
  const sn = await newDevice()
  await open([sn], 'M1', { copies: 2 })
  const [first, second] = (await rowsOf(sn)).map(({ id }) => id)
  setNow(Date.now() + 60_000)
  await step('cancel', [first!])
  await app.db.execute(sql`
    insert into oss_device_days (device_id, channel, day, tenant_id, model_id, record_type, expire_days, segments, duration_ms,
      bytes, removed_bytes, first_ms, last_ms, entitlement_id)
    select d.id, 0, v.day::date, 1, 1, 1, array[v.expires::date], 1, 4000, v.bytes, v.removed, 0, 1, v.entitlement
    from devices d, (values ('2026-05-03', '2036-01-01', 900, 200, ${first!}::int), ('2026-05-03', '2036-02-01', 300, 0, ${second!}::int),
      ('2026-05-02', '2020-01-01', 90, 0, ${first!}::int), ('2026-05-01', '2036-01-01', 5, 0, 0))
      as v (day, expires, bytes, removed, entitlement)
    where d.sn = ${sn}`)
  await app.db.execute(sql`insert into oss_device_status (device_id, channel, tenant_id, upload_time)
    select id, 0, 1, now() from devices where sn = ${sn}`)
  const { data } = await call('GET', `/api/v1/oss/device/page?sn=${sn}`)
  const shown = new Map<number, [number | null, boolean]>(
    data.list.map(({ id, usedBytes, uploadTime }: { id: number; usedBytes: number; uploadTime: string | null }) => [
      id,
      [usedBytes, uploadTime !== null],
    ]),
  )
  expect([shown.get(first!), shown.get(second!)]).toEqual([
    [700, false],
    [305, true],
  ])
})

test('STORAGE-13 videos without an entitlement count for the current entitlement, else for the last ended one', async () => {
  let now = Date.now()
  setNow(now)
  const sn = await newDevice()
  await open([sn], 'M1', { copies: 3 })
  await app.db.execute(sql`
    insert into oss_device_days (device_id, channel, day, tenant_id, owner_id, model_id, record_type, expire_days, segments,
      events, duration_ms, bytes, first_ms, last_ms)
    select id, 0, '2026-05-03'::date, 1, 0, 1, 1, array['2036-01-01'::date], 1, 0, 4000, 700, 0, 1
    from devices where sn = ${sn}`)
  const videosOf = async () =>
    (await call('GET', `${URL}/page?sn=${sn}`)).data.list
      .toReversed()
      .map(({ state, usedBytes }: { state: number; usedBytes: number | null }) => [state, usedBytes])
  const cancel = async (at: number) => {
    setNow((now += 60_000))
    expect((await step('cancel', [(await rowsOf(sn))[at]!.id])).code).toBe(200)
  }
  expect(await videosOf()).toEqual([
    [1, 700],
    [0, null],
    [0, null],
  ])
  await cancel(2)
  expect(await videosOf()).toEqual([
    [1, 700],
    [0, null],
    [4, null],
  ])
  await cancel(0)
  expect(await videosOf()).toEqual([
    [4, null],
    [1, 700],
    [4, null],
  ])
  await cancel(1)
  expect(await videosOf()).toEqual([
    [4, null],
    [4, 700],
    [4, null],
  ])
})
