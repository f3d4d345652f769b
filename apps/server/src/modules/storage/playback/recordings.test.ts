import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, test } from 'vitest'
import { parseLocalTime } from '#core/time/zone.ts'
import { useApp } from '#test/harness.ts'
import { usePlayback, FIXTURE_TIME_ZONE } from '#test/fixtures/playback-fixture.ts'

const app = useApp()
const fixture = usePlayback(app)
const DAY = '2026-05-02'
const at = (clock: string) => parseLocalTime(`${DAY} ${clock}`, FIXTURE_TIME_ZONE)
let camera: Awaited<ReturnType<typeof fixture.addCamera>>
let wang: Awaited<ReturnType<typeof fixture.openSession>>
let li: Awaited<ReturnType<typeof fixture.openSession>>
let zhao: { uid: number; session: typeof wang }
let key: Awaited<ReturnType<typeof fixture.addKey>>
const clock = { now: at('20:00:00') }

beforeAll(async () => {
  const admin = await app.by({ superAdmin: true })
  await app.db.execute(sql`insert into device_types (type_name, type_code) values ('摄像机', 'cam')`)
  await app.db.execute(sql`insert into device_models (type_id, model_name, model_code, cloud_channels)
    values (1, '双目', 'D2', 2)`)
  key = await fixture.addKey(admin)
  camera = await fixture.addCamera(1, await fixture.addAccount(1, 'wang'))
  await fixture.addAccount(1, 'li')
  wang = await fixture.openSession(key, 'wang')
  li = await fixture.openSession(key, 'li')
  const uid = await fixture.addAccount(1, 'zhao')
  zhao = { uid, session: await fixture.openSession(key, 'zhao') }
  await fixture.record(camera, { from: at('08:00:00'), count: 10 })
  await fixture.record(camera, { from: at('08:05:00'), count: 2, storageDays: 30 })
  await fixture.record(camera, { from: at('23:59:58') - 86_400_000, count: 1 })
  // Recordings lie in the past; the sessions above were opened at the real time.
  const sessions = app.services.now
  Object.assign(app.services, { now: () => new Date(Math.min(sessions().getTime(), clock.now)) })
})

const timeline = (who: typeof wang, day = DAY) => who('GET', `timeline?sn=${camera.sn}&day=${day}`)
const play = (who: typeof wang, begin: number, end: number) => who('POST', 'play', { sn: camera.sn, begin, end })

describe('recordings of an App user', () => {
  test('STORAGE-08 calendar and timeline show days and merged intervals, also across two storage periods', async () => {
    expect((await wang('GET', `day?sn=${camera.sn}&month=2026-05`)).data.list).toEqual([
      { day: '2026-05-01', seconds: 4, segments: 1, events: 0 },
      { day: DAY, seconds: 48, segments: 12, events: 0 },
    ])
    expect((await timeline(wang)).data.list).toEqual([
      { from: at('00:00:00'), to: at('00:00:02') },
      { from: at('08:00:00'), to: at('08:00:40') },
      { from: at('08:05:00'), to: at('08:05:08') },
    ])
  })

  test('a user gets "not found" for a device of another account', async () => {
    for (const answer of [
      await timeline(li),
      await play(li, at('08:00:00'), at('09:00:00')),
      await li('GET', `day?sn=${camera.sn}&month=2026-05`),
      await li('DELETE', `video?sn=${camera.sn}&begin=1&end=2`),
      await li('POST', 'switch', { sn: camera.sn, on: 0 }),
      await li('POST', 'consent', { sn: camera.sn, begin: 1, end: 2, validUntil: clock.now + 1e6 }),
    ])
      expect(answer).toMatchObject({ code: 400, data: { field: 'sn' } })
    expect((await li('GET', 'device/list')).data.list).toEqual([])
  })

  test('a playlist lists the recordings of its range and marks the gap between them', async () => {
    const { url, nextBegin } = (await play(wang, at('08:00:30'), at('08:06:00'))).data
    expect(nextBegin).toBeUndefined()
    const playlist = await app.stranger().inject({ method: 'GET', url })
    expect(playlist.headers['content-type']).toBe('application/vnd.apple.mpegurl')
    expect(playlist.headers['referrer-policy']).toBe('no-referrer')
    expect(playlist.body.match(/#EXTINF/g)).toHaveLength(5)
    expect(playlist.body.match(/DISCONTINUITY\n/g)).toHaveLength(1)
    expect(playlist.body).toContain('20260510-')
    expect(playlist.body).toContain('20260602-')
  })

  test.each([
    ['an empty range', 2, 2, '结束时间应晚于开始时间'],
    ['more than a day', 0, 86_400_001, '一次最多24小时'],
    ['a time without recordings', 0, 60_000, '该时间段没有录像'],
  ])('a playback request with %s is refused', async (_, begin, end, msg) => {
    expect(await play(wang, begin, end)).toMatchObject({ msg })
  })

  test('a changed token and a recording outside the range of the playlist are refused', async () => {
    const { url } = (await play(wang, at('08:00:00'), at('08:00:20'))).data
    const changed = url.replace(/play\/./, (text: string) => `play/${text.endsWith('1') ? '2' : '1'}`)
    for (const address of [changed, '/api/v1/oss/play/x/index.m3u8']) {
      const refused = await app.stranger().inject({ method: 'GET', url: address })
      expect([refused.statusCode, refused.json().msg], address).toEqual([410, '播放地址已失效，请重新获取'])
    }
    const outside = url.replace('index.m3u8', `20260510-${at('09:00:00')}-00000000.ts`)
    for (const address of [outside, url.replace('index.m3u8', '..%2f..%2fsecret.key')]) {
      const refused = await app.stranger().inject({ method: 'GET', url: address })
      expect([refused.statusCode, refused.json().msg], address).toEqual([404, '该时间段没有录像'])
    }
  })

  test('deleted recordings are hidden at once', async () => {
    const own = await fixture.addCamera(1, camera.ownerId)
    await fixture.record(own, { from: at('10:00:00'), count: 3 })
    const shown = async () => (await wang('GET', `timeline?sn=${own.sn}&day=${DAY}`)).data.list
    expect(await shown()).toHaveLength(1)
    const range = `begin=${at('10:00:00')}&end=${at('10:00:05')}`
    expect((await wang('DELETE', `video?sn=${own.sn}&${range}`)).code).toBe(200)
    expect(await shown()).toEqual([{ from: at('10:00:08'), to: at('10:00:12') }])
    const { rows } = await app.db.execute(sql`select tenant_id, oper_name, action from oper_logs
      where title = 'App用户删除录像'`)
    expect(rows).toEqual([{ tenant_id: 1, oper_name: 'wang', action: `App账号「wang」删除设备 ${own.sn} 通道0的录像` }])
  })

  test('recordings are hidden from their expiry date on, although their rows remain', async () => {
    clock.now = parseLocalTime('2026-05-10 00:00:00', FIXTURE_TIME_ZONE)
    expect((await timeline(wang)).data.list).toEqual([{ from: at('08:05:00'), to: at('08:05:08') }])
    expect(await play(wang, at('08:00:00'), at('08:00:40'))).toMatchObject({ msg: '该时间段没有录像' })
    clock.now = parseLocalTime('2026-06-02 00:00:00', FIXTURE_TIME_ZONE)
    expect(await play(wang, at('08:00:00'), at('08:00:40'))).toMatchObject({ msg: '录像已过保存期' })
    clock.now = at('20:00:00')
  })

  test('STORAGE-07 unbinding invalidates playback URLs and hides earlier recordings from the next owner', async () => {
    const own = await fixture.addCamera(1, camera.ownerId)
    await fixture.record(own, { from: at('11:00:00'), count: 3 })
    const range = { sn: own.sn, begin: at('11:00:00'), end: at('12:00:00') }
    const { url } = (await wang('POST', 'play', range)).data
    const read = () => app.stranger().inject({ method: 'GET', url })
    expect((await read()).body).toContain('#EXTM3U')
    await app.db.execute(sql`update devices set app_account_id = (select uid from app_accounts where account = 'li')
      where id = ${own.id}`)
    await expect.poll(async () => (await read()).body).toContain('播放地址已失效')
    expect(await wang('POST', 'play', range)).toMatchObject({ code: 400 })
    expect(await li('POST', 'play', range)).toMatchObject({ msg: '该时间段没有录像' })
    expect((await li('GET', `timeline?sn=${own.sn}&day=${DAY}`)).data.list).toEqual([])
    expect((await li('GET', `day?sn=${own.sn}&month=2026-05`)).data.list).toEqual([])
  })

  test('disabling the App account invalidates its playback URLs', async () => {
    const own = await fixture.addCamera(1, zhao.uid)
    await fixture.record(own, { from: at('12:00:00'), count: 3 })
    const { url } = (await zhao.session('POST', 'play', { sn: own.sn, begin: at('12:00:00'), end: at('12:10:00') }))
      .data
    const read = () => app.stranger().inject({ method: 'GET', url })
    expect((await read()).statusCode).toBe(200)
    const admin = await app.by({ superAdmin: true })
    await admin.call('POST', `/api/v1/account/app/disable/${zhao.uid}`)
    await expect.poll(async () => (await read()).statusCode).toBe(410)
  })
})
