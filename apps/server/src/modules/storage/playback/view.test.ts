import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Caller, useApp } from '#test/harness.ts'
import { formatLocalTime } from '#core/time/zone.ts'
import { usePlayback, FIXTURE_TIME_ZONE } from '#test/fixtures/playback-fixture.ts'

const app = useApp()
const fixture = usePlayback(app)
const URL = '/api/v1/oss'
const RIGHTS = ['list', 'consent', 'view'].map((action) => `ossManage:deviceList:${action}`)
const now = Date.now()
const START = now - (now % 1000) - 3600_000
const text = (ms: number) => formatLocalTime(ms, FIXTURE_TIME_ZONE)
let owner: Awaited<ReturnType<typeof fixture.openSession>>
let camera: Awaited<ReturnType<typeof fixture.addCamera>>
let clerk: Caller
let viewer: Caller

beforeAll(async () => {
  const admin = await app.by({ superAdmin: true })
  clerk = await app.as(...RIGHTS)
  viewer = await app.as(...RIGHTS)
  const key = await fixture.addKey(admin)
  camera = await fixture.addCamera(1, await fixture.addAccount(1, 'wang'))
  owner = await fixture.openSession(key, 'wang')
  await fixture.record(camera, { from: START, count: 300 })
})

const consentInApp = async (given: object = {}) =>
  (
    await owner('POST', 'consent', {
      sn: camera.sn,
      begin: START,
      end: START + 1_200_000,
      validUntil: now + 3600_000,
      ...given,
    })
  ).data.id as number

const view = (who: Caller, consentId: number, given: object = {}) =>
  who.call('POST', `${URL}/device/view`, {
    sn: camera.sn,
    channel: 0,
    begin: text(START),
    end: text(START + 60_000),
    consentId,
    reason: '用户报修花屏，核对画面',
    ...given,
  })

async function upload(who: Caller, name: string) {
  const line = '\r\n'
  const field = 'content-disposition: form-data; name='
  const payload = [
    '--X',
    `${field}"purpose"`,
    '',
    'consent',
    '--X',
    `${field}"file"; filename="${name}"`,
    'content-type: text/plain',
    '',
    '同意',
    '--X--',
    '',
  ].join(line)
  const headers = { 'content-type': 'multipart/form-data; boundary=X' }
  const answer = await who.inject({ method: 'POST', url: '/api/v1/file/upload', headers, payload })
  return answer.json().data?.url as string
}

const written = async (who: Caller, document: string, sn = camera.sn) =>
  who.call('POST', `${URL}/consent`, {
    sn,
    rangeBegin: text(START),
    rangeEnd: text(START + 1_200_000),
    validUntil: text(now + 3600_000),
    document,
  })

describe('views of recordings by staff', () => {
  test('STORAGE-09 staff need a consent of the owner to view recordings, and the owner sees every view', async () => {
    expect(await view(viewer, 4711)).toMatchObject({ code: 501, msg: '未取得用户授权，不能查看录像' })
    const id = await consentInApp()
    const { data, code } = await view(viewer, id)
    expect(code).toBe(200)
    expect(data.watermark).toMatch(new RegExp(`^${viewer.account} \\d{4}-`))
    const playlist = await app.stranger().inject({ method: 'GET', url: data.url })
    expect(playlist.body.match(/#EXTINF/g)).toHaveLength(15)
    const [seen] = (await owner('GET', 'view/page')).data.list
    expect(seen).toMatchObject({
      sn: camera.sn,
      begin: START,
      end: START + 60_000,
      reason: '用户报修花屏，核对画面',
    })
    const { list } = (await clerk.call('GET', `${URL}/view/page?sn=${camera.sn}`)).data
    expect(list[0]).toMatchObject({ consentId: id, segments: 15, operName: seen.operName })
  })

  test('STORAGE-09 the list of recorded times contains only times inside the consented range', async () => {
    const id = await consentInApp()
    const times = (who: Caller, more = '') =>
      who.call('GET', `${URL}/consent/times?sn=${camera.sn}&channel=0&consentId=${id}${more}`)
    const { data } = await times(viewer)
    expect(data.channels).toEqual([0])
    expect(data.days).toContain(text(START).slice(0, 10))
    const { list } = (await times(viewer, `&day=${data.days[0]}`)).data
    expect(list[0].begin).toBe(text(START))
    const last = (await times(viewer)).data.list.at(-1)
    expect(last.end <= text(START + 1_200_000)).toBe(true)
    expect(await view(viewer, id, list[0])).toMatchObject({ code: 200 })
    expect((await times(viewer, '&day=2020-01-01')).data.list).toEqual([])
    expect((await owner('DELETE', `consent/${id}`)).code).toBe(200)
    expect(await times(viewer)).toMatchObject({ code: 501, msg: '未取得用户授权，不能查看录像' })
    const other = await app.by({ tenant: '又一个客户', permissions: RIGHTS })
    expect(await times(other)).toMatchObject({ code: 400, data: { field: 'sn' } })
  })

  test('a day with recordings outside the consented range only is not offered', async () => {
    const device = await fixture.addCamera(1, camera.ownerId)
    const midnight = Date.parse(`${text(now).slice(0, 10)}T00:00:00+08:00`) - 86_400_000
    await fixture.record(device, { from: midnight - 3600_000, count: 5 })
    await fixture.record(device, { from: midnight + 10 * 3600_000, count: 5 })
    const range = { begin: midnight - 2 * 3600_000, end: midnight + 2 * 3600_000 }
    const id = await consentInApp({ sn: device.sn, ...range })
    const { data } = await viewer.call('GET', `${URL}/consent/times?sn=${device.sn}&channel=0&consentId=${id}`)
    expect(data.days).toEqual([text(midnight - 3600_000).slice(0, 10)])
    expect(data.list[0].begin).toBe(text(midnight - 3600_000))
  })

  test.each([
    ['outside the consented range', { begin: text(START - 60_000) }, 'begin'],
    ['longer than 30 minutes', { end: text(START + 1_801_000) }, 'end'],
    ['with a short reason', { reason: '看看' }, 'reason'],
  ])('STORAGE-09 a view %s is refused at its field', async (_, given, field) => {
    const id = await consentInApp()
    expect(await view(viewer, id, given)).toMatchObject({ code: 400, data: { field } })
  })

  test('STORAGE-09 withdrawing a consent ends open views and prevents new views', async () => {
    const id = await consentInApp()
    const { url } = (await view(viewer, id)).data
    const read = async () => (await app.stranger().inject({ method: 'GET', url })).body
    expect(await read()).toContain('#EXTM3U')
    expect((await owner('DELETE', `consent/${id}`)).code).toBe(200)
    await expect.poll(read).toContain('播放地址已失效')
    expect(await view(viewer, id)).toMatchObject({ code: 501, msg: '未取得用户授权，不能查看录像' })
    expect(await owner('DELETE', `consent/${id}`)).toMatchObject({ code: 400 })
  })

  test('STORAGE-09 a staff member cannot use a written consent that the same staff member recorded', async () => {
    const document = await upload(clerk, '授权书.txt')
    const { data } = await written(clerk, document)
    expect(await view(clerk, data.id)).toMatchObject({ code: 501, msg: '不能使用本人登记的授权，请由他人查看' })
    expect((await view(viewer, data.id)).code).toBe(200)
    expect(await written(clerk, document)).toMatchObject({ code: 400, data: { field: 'document' } })
  })

  test('a refused consent names every wrong field', async () => {
    const wrong = {
      sn: 'NO-SUCH-DEVICE',
      rangeBegin: text(now),
      rangeEnd: text(START),
      validUntil: text(START),
      document: 'f'.repeat(32),
    }
    const fields = [
      { field: 'sn', msg: '设备不存在或已被删除' },
      { field: 'rangeEnd', msg: '录像结束时间应晚于开始时间' },
      { field: 'validUntil', msg: '授权有效期应晚于当前时间' },
      { field: 'document', msg: '授权文件不存在或已使用，请重新上传' },
    ]
    const refusal = { code: 400, msg: '设备不存在或已被删除', data: { field: 'sn', fields } }
    expect(await clerk.call('POST', `${URL}/consent`, wrong)).toEqual(refusal)
    const missing = await clerk.call('POST', `${URL}/consent`, {})
    expect(missing.data.fields.map(({ field }: { field: string }) => field)).toEqual(Object.keys(wrong))
    expect(await owner('POST', 'consent', { sn: camera.sn, begin: now, end: START, validUntil: START })).toMatchObject({
      data: { fields: [{ field: 'end' }, { field: 'validUntil' }] },
    })
  })

  test('a written consent with a document that another account uploaded is refused', async () => {
    expect(await written(clerk, await upload(viewer, '授权.txt'))).toMatchObject({ data: { field: 'document' } })
  })

  test('a consent of an earlier owner does not permit viewing recordings of the next owner', async () => {
    const second = await fixture.addCamera(1, camera.ownerId)
    await fixture.record(second, { from: START, count: 5 })
    const id = await consentInApp({ sn: second.sn })
    expect((await view(viewer, id, { sn: second.sn })).code).toBe(200)
    await app.db.execute(sql`update devices set app_account_id = null where id = ${second.id}`)
    expect(await view(viewer, id, { sn: second.sn })).toMatchObject({ code: 501 })
  })

  test('STORAGE-09 a view includes pictures without an event, also when the range has no video', async () => {
    const second = await fixture.addCamera(1, camera.ownerId)
    const taken = START + 120_000
    await fixture.takePicture(second, taken)
    const id = await consentInApp({ sn: second.sn })
    const { data: times } = await viewer.call('GET', `${URL}/consent/times?sn=${second.sn}&channel=0&consentId=${id}`)
    expect(times.list).toEqual([{ begin: text(taken), end: text(taken + 60_000) }])
    const { data } = await view(viewer, id, { sn: second.sn, ...times.list[0] })
    expect(data).toMatchObject({ url: null, pictures: [{ time: text(taken) }] })
    const picture = () => app.stranger().inject({ method: 'GET', url: data.pictures[0].url })
    expect((await picture()).headers).toMatchObject({ 'content-type': 'image/jpeg', 'cache-control': 'no-store' })
    const [seen] = (await owner('GET', 'view/page')).data.list
    expect(seen).toMatchObject({ sn: second.sn, begin: taken })
    expect(await view(viewer, id, { sn: second.sn })).toMatchObject({ code: 501, msg: '该时间段没有录像' })
    expect((await owner('DELETE', `consent/${id}`)).code).toBe(200)
    await expect.poll(async () => (await picture()).statusCode).toBe(410)
  })

  test('the super administrator also needs a consent', async () => {
    const boss = await app.by({ superAdmin: true })
    expect(await view(boss, 1_000_000)).toMatchObject({ code: 501, msg: '未取得用户授权，不能查看录像' })
  })

  test('consents and views cannot be changed or deleted in the database', async () => {
    for (const statement of [
      'update oss_consents set range_end = now()',
      'delete from oss_consents',
      'update oss_views set reason = $$x$$',
      'delete from oss_views',
    ])
      await expect(app.services.database.pool.query(statement), statement).rejects.toThrow(/append-only|cannot be/)
  })

  test('a tenant sees only consents and views of its devices', async () => {
    const other = await app.by({ tenant: '别的客户', permissions: RIGHTS })
    expect((await other.call('GET', `${URL}/consent/page`)).data.list).toEqual([])
    expect((await other.call('GET', `${URL}/view/page`)).data.list).toEqual([])
    const id = await consentInApp()
    expect(await view(other, id)).toMatchObject({ code: 400, data: { field: 'sn' } })
    expect(await other.call('POST', `${URL}/consent/withdraw/${id}`)).toMatchObject({ code: 400 })
  })

  test('limited staff read the document of a consent only after it is recorded for a device in their data scope', async () => {
    const idOf = async (name: string) => {
      await app.by({ tenant: name })
      return (await app.db.execute<{ id: number }>(sql`select id from tenants where name = ${name}`)).rows[0]!.id
    }
    const [inside, outside] = [await idOf('范围之内'), await idOf('范围之外')]
    const limited = await app.by({ permissions: RIGHTS, dataScope: 3, scopeIds: [inside] })
    const reads = async (url: string) => (await limited.inject({ url })).body === '同意'
    for (const [tenantId, isRead] of [
      [inside, true],
      [outside, false],
    ] as const) {
      const { sn } = await fixture.addCamera(tenantId, null)
      const document = await upload(clerk, `同意书${tenantId}.txt`)
      expect(await reads(document)).toBe(false)
      expect(await written(clerk, document, sn)).toMatchObject({ code: 200 })
      expect(await reads(document)).toBe(isRead)
    }
  })
})
