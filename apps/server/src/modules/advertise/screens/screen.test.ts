import { afterAll, beforeAll, expect, test } from 'vitest'
import { listenForDevices } from '#test/device-port.ts'
import { type Caller, useApp } from '#test/harness.ts'

const app = useApp()
const SCREEN = '/api/v1/advertise/screen'
const MAY = ['advertiseManage:ProgramList:query', 'advertiseManage:ProgramList:screen']
let staff: Caller
let customer: Caller
let port: Awaited<ReturnType<typeof listenForDevices>>
let origin = ''
let made = 0

const query = async (text: string, values: unknown[] = []) =>
  // oxlint-disable-next-line typescript/no-explicit-any -- rows of any statement
  (await app.services.database.pool.query<any>(text, values)).rows

beforeAll(async () => {
  staff = await app.by({ permissions: MAY })
  customer = await app.by({ tenant: '甲公司', permissions: MAY })
  await query(`insert into device_types (type_name, type_code) values ('屏幕', 'screen')`)
  await query(`insert into device_models (type_id, model_name, model_code) values (1, 'S1', 'S1')`)
  port = await listenForDevices(app.services)
  origin = `${port.url}/device/v1/ad/`
})
afterAll(() => port.close())

const tenantOf = async (name: string) => (await query('select id from tenants where name = $1', [name]))[0].id
const device = async (tenantId = 1) => {
  made += 1
  const sn = `SCR-${made}`
  const [row] = await query('insert into devices (tenant_id, model_id, sn) values ($1, 1, $2) returning id', [
    tenantId,
    sn,
  ])
  return { id: row.id as number, sn }
}
const call = (path: string, token?: string, body?: object) =>
  fetch(`${origin}${path}`, {
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  })
const open = async (playerId = `player-${(made += 1)}`) =>
  (await call('pair', undefined, { playerId, width: 1920, height: 1080, codecs: ['vp9'] })).json() as Promise<{
    pairId: string
    secret: string
    code: string
    expires: number
    every: number
  }>
const audits = () => query(`select count(*)::int as n from oper_logs where biz_type = 'adScreen'`)

test('AD-07 staff enter the code that a screen shows, and its player gets a token that is valid while it is paired', async () => {
  const { id, sn } = await device()
  const pairing = await open()
  expect(pairing.code).toMatch(/^[2-9A-HJKMNP-Z]{6}$/)
  expect([pairing.expires, pairing.every]).toEqual([900, 5])
  expect(await (await call(`pair/${pairing.pairId}`, pairing.secret)).json()).toEqual({})
  expect((await call(`pair/${pairing.pairId}`, 'wrong')).status).toBe(401)
  expect((await call('pair/unknown', pairing.secret)).status).toBe(404)
  const paired = await staff.call('POST', `${SCREEN}/pair`, { code: ` ${pairing.code.toLowerCase()} `, deviceId: id })
  expect(paired).toMatchObject({ code: 200, msg: '配对成功', data: { id, sn } })
  const got = (await (await call(`pair/${pairing.pairId}`, pairing.secret)).json()) as { sn: string; token: string }
  expect(got.sn).toBe(sn)
  expect((await call(`pair/${pairing.pairId}`, pairing.secret)).status).toBe(200)
  const manifest = await call(`manifest/${sn}`, got.token)
  expect(manifest.status).toBe(200)
  await expect.poll(async () => (await call(`pair/${pairing.pairId}`, pairing.secret)).status).toBe(404)
  const [row] = await query('select * from ad_screens where device_id = $1', [id])
  expect(row).toMatchObject({ player_kind: 1, width: 1920, height: 1080, codecs: ['vp9'], tenant_id: 1 })
  expect(JSON.stringify(row)).not.toContain(got.token)
  expect((await staff.call('POST', `${SCREEN}/unpair/${id}`)).code).toBe(200)
  await app.services.fleet.sync()
  expect((await call(`manifest/${sn}`, got.token)).status).toBe(401)
  expect((await audits())[0].n).toBe(2)
})

test('pairing with a wrong, used or expired code or with a device that has a screen is refused', async () => {
  const { id } = await device()
  const used = await open()
  expect((await staff.call('POST', `${SCREEN}/pair`, { code: used.code, deviceId: id })).code).toBe(200)
  const other = await device()
  expect(await staff.call('POST', `${SCREEN}/pair`, { code: used.code, deviceId: other.id })).toMatchObject({
    code: 400,
    msg: '配对码不正确或已过期',
    data: { field: 'code' },
  })
  const second = await open()
  expect((await staff.call('POST', `${SCREEN}/pair`, { code: second.code, deviceId: id })).msg).toBe(
    '该设备已绑定屏幕，请先解除配对',
  )
  await query(`update ad_pairings set expire_time = now() - interval '1 second' where code = $1`, [second.code])
  expect((await staff.call('POST', `${SCREEN}/pair`, { code: second.code, deviceId: other.id })).msg).toBe(
    '配对码不正确或已过期',
  )
})

test('AD-07 exactly one of several simultaneous pairings with the same code or device succeeds', async () => {
  // Calls at once count as wrong codes until they are answered, so each round has an account of its own.
  const accounts = [await app.by({ permissions: MAY }), await app.by({ permissions: MAY })] as const
  const pair = (code: string, deviceId: number, caller = accounts[0]) =>
    caller.call('POST', `${SCREEN}/pair`, { code, deviceId })
  const tally = (replies: readonly { msg: string }[]) => replies.map(({ msg }) => msg).toSorted()
  const [one, other] = [await device(), await device()]
  const { code } = await open()
  expect(tally(await Promise.all([one, other, one].map(({ id }) => pair(code, id))))).toEqual([
    '配对成功',
    '配对码不正确或已过期',
    '配对码不正确或已过期',
  ])
  const third = await device()
  const codes = await Promise.all(Array.from({ length: 4 }, () => open()))
  const refused = '该设备已绑定屏幕，请先解除配对'
  expect(tally(await Promise.all(codes.map((each) => pair(each.code, third.id, accounts[1]))))).toEqual([
    refused,
    refused,
    refused,
    '配对成功',
  ])
  const [stored] = await query('select player_token_hash from ad_screens where device_id = $1', [third.id])
  const paired = await query('select count(*)::int as n from ad_pairings where device_id = $1', [third.id])
  expect([stored.player_token_hash.length, paired[0].n]).toEqual([64, 1])
})

test('AD-07 an invalid pairing request returns the name of its field, and an invalid pairing id returns 404', async () => {
  const said = async (body: object) =>
    ((await (await call('pair', undefined, body)).json()) as { message: string }).message
  expect(await said({ playerId: 'x' })).toBe('playerId has a value that is not allowed')
  expect(await said({ playerId: 'player-x', width: -1 })).toBe('width has a value that is not allowed')
  expect(await said({ playerId: 'player-x', codecs: ['vp9', 'x'.repeat(33)] })).toBe(
    'codecs.1 has a value that is not allowed',
  )
  for (const id of ['%00', 'a%00'.repeat(8), '%F0%9F%98%80', 'f'.repeat(33)])
    expect((await call(`pair/${id}`, 'secret')).status).toBe(404)
})

test('an account may enter 5 wrong codes per minute', async () => {
  const hasty = await app.by({ permissions: MAY })
  const { id } = await device()
  const { code } = await open()
  for (let n = 0; n < 5; n += 1)
    expect((await hasty.call('POST', `${SCREEN}/pair`, { code: '222222', deviceId: id })).msg).toBe(
      '配对码不正确或已过期',
    )
  expect((await hasty.call('POST', `${SCREEN}/pair`, { code, deviceId: id })).msg).toBe('输入错误次数过多，请稍后再试')
  expect((await staff.call('POST', `${SCREEN}/pair`, { code, deviceId: id })).code).toBe(200)
})

test('an IP address may have 10 open codes; a new request of a player replaces its earlier code', async () => {
  await query('delete from ad_pairings')
  const own = await open('player-own')
  expect((await open('player-own')).code).not.toBe(own.code)
  expect((await query('select count(*)::int as n from ad_pairings'))[0].n).toBe(1)
  for (let n = 0; n < 9; n += 1) await open()
  await query('delete from ad_pairings')
  const many = Array.from({ length: 20 }, (_, n) => call('pair', undefined, { playerId: `at-once-${n}` }))
  const statuses = (await Promise.all(many)).map(({ status }) => status)
  expect(statuses.filter((status) => status === 200)).toHaveLength(10)
  const full = await call('pair', undefined, { playerId: 'one-too-many', width: 0, height: 0, codecs: [] })
  expect([full.status, full.headers.get('retry-after')]).toEqual([429, '60'])
  expect((await open(`at-once-${statuses.indexOf(200)}`)).code).toMatch(/^\w{6}$/)
  expect((await call('pair', undefined, { playerId: 'x' })).status).toBe(400)
})

test('a tenant sees and pairs only its own screens', async () => {
  await query('delete from ad_pairings')
  const theirs = await device(await tenantOf('甲公司'))
  const ours = await device()
  expect((await customer.call('POST', `${SCREEN}/pair`, { code: (await open()).code, deviceId: ours.id })).msg).toBe(
    '设备不存在或已被删除',
  )
  const paired = await customer.call('POST', `${SCREEN}/pair`, { code: (await open()).code, deviceId: theirs.id })
  expect(paired).toMatchObject({ code: 200 })
  expect((await staff.call('POST', `${SCREEN}/smilKey/${ours.id}`)).code).toBe(200)
  const { data } = await customer.call('GET', `${SCREEN}/page`)
  expect(data.list.map((row: { sn: string }) => row.sn)).toEqual([theirs.sn])
  expect((await customer.call('GET', `${SCREEN}/${ours.sn}`)).msg).toBe('屏幕不存在或已被删除')
  for (const path of [`unpair/${ours.id}`, `smilKey/${ours.id}`])
    expect((await customer.call('POST', `${SCREEN}/${path}`)).code).toBe(400)
  const change = { id: ours.id, timeZone: '', audienceFactor: 1, volume: 5, rev: 0 }
  expect((await customer.call('PUT', SCREEN, change)).msg).toBe('屏幕不存在或已被删除')
})

test('staff edit time zone, audience factor and volume of a screen, and its manifest contains the new values', async () => {
  const { id, sn } = await device()
  await staff.call('POST', `${SCREEN}/smilKey/${id}`)
  const input = { id, timeZone: 'Europe/Berlin', audienceFactor: 1.25, volume: 30, rev: 0 }
  expect(await staff.call('PUT', SCREEN, input)).toMatchObject({ code: 200, data: { rev: 1 } })
  expect((await staff.call('PUT', SCREEN, { ...input, volume: 31 })).data).toMatchObject({ conflict: { rev: 1 } })
  expect((await staff.call('PUT', SCREEN, { ...input, timeZone: 'Mars/Base', rev: 1 })).data).toEqual({
    field: 'timeZone',
  })
  expect((await staff.call('PUT', SCREEN, { ...input, audienceFactor: 1.255, rev: 1 })).data).toEqual({
    field: 'audienceFactor',
  })
  expect((await staff.call('GET', `${SCREEN}/${sn}`)).data).toMatchObject({
    timeZone: 'Europe/Berlin',
    audienceFactor: 1.25,
    volume: 30,
  })
  await app.services.fleet.sync()
  const { fleet, adDelivery } = app.services
  expect(adDelivery.index.setOf(fleet.slots.find(sn))).toMatchObject({ zone: 'Europe/Berlin', volume: 30 })
})

test('the list shows the report of each screen and the delivery state computed from it', async () => {
  const { id, sn } = await device()
  await staff.call('POST', `${SCREEN}/smilKey/${id}`)
  await query(`update ad_screens set player_kind = 1, smil_key_hash = '' where device_id = $1`, [id])
  await app.services.fleet.sync()
  const { fleet, adDelivery } = app.services
  const { etag } = adDelivery.index.manifestOf(fleet.slots.find(sn))
  const row = async () => (await staff.call('GET', `${SCREEN}/page?sn=${sn}`)).data.list[0]
  expect((await row()).deliveryState).toBe(4)
  await query(`insert into ads (id, tenant_id, ad_name, ad_type) values (5, 1, '春节', 1)`)
  await query(`insert into ad_programs (id, tenant_id, program_name, date_from, date_to)
    values (6, 1, '早餐时段', current_date, current_date)`)
  const report = (fields: string) =>
    query(`update ad_screens set last_report_time = now(), ${fields} where device_id = $1`, [id])
  await report(
    `ready_files = 1, total_files = 3, clock_offset_ms = 1200, now_playing = '{"programId":6,"itemId":1,"adId":5,"since":1}'`,
  )
  expect(await row()).toMatchObject({ deliveryState: 1, adName: '春节', programName: '早餐时段', clockOffsetMs: 1200 })
  await report(`failed = '[{"sha256":"${'a'.repeat(64)}","reason":"decode"}]'`)
  expect((await row()).deliveryState).toBe(3)
  await report(`failed = '[]', ready_files = 3, applied_etag = '${etag}'`)
  expect((await row()).deliveryState).toBe(2)
  await report('player_kind = 3')
  expect((await row()).deliveryState).toBe(2)
  await report(`applied_etag = 'older'`)
  expect((await row()).deliveryState).toBe(0)
})

test('AD-07 the filter by delivery state lists the screens with that state in list order and in pages', async () => {
  await query('delete from ad_screens')
  const add = async (columns: string, values: string, tenantId = 1) => {
    const { id } = await device(tenantId)
    await query(
      `insert into ad_screens (device_id, tenant_id, player_kind, ${columns}) values ($1, $2, 2, ${values})`,
      [id, tenantId],
    )
    return id
  }
  const tenantId = await tenantOf('甲公司')
  const reported = `last_report_time, ready_files, total_files, failed`
  const offline = [await add('ready_files, total_files', '0, 2'), await add('ready_files, total_files', '1, 2')]
  const waiting = await add(reported, `now(), 2, 2, '[]'`)
  const loading = await add(reported, `now(), 1, 2, '[]'`)
  const failed = await add(reported, `now(), 1, 2, '[{"sha256":"a","reason":"hash"}]'`)
  const foreign = await add(reported, `now(), 1, 2, '[]'`, tenantId)
  await app.services.fleet.sync()
  const page = async (filter: string, who = staff) =>
    (await who.call('GET', `${SCREEN}/page?pageSize=50&${filter}`)).data as {
      list: { id: number; deliveryState: number }[]
      total: number
    }
  const idsOf = async (filter: string, who = staff) => (await page(filter, who)).list.map(({ id }) => id)
  const all = await page('')
  for (const state of [0, 1, 2, 3, 4])
    expect(await page(`deliveryState=${state}`)).toEqual({
      list: all.list.filter(({ deliveryState }) => deliveryState === state),
      total: all.list.filter(({ deliveryState }) => deliveryState === state).length,
    })
  expect(await idsOf('deliveryState=0')).toEqual([waiting])
  expect(await idsOf('deliveryState=1&orderByColumn=createTime&isAsc=asc')).toEqual([loading, foreign])
  expect(await idsOf(`deliveryState=1&tenantId=${tenantId}`)).toEqual([foreign])
  expect(await idsOf('deliveryState=1', customer)).toEqual([foreign])
  expect(await idsOf('deliveryState=3')).toEqual([failed])
  const ofPage = (pageNum: number) => `deliveryState=4&pageNum=${pageNum}&orderByColumn=createTime&isAsc=asc`
  const paged = await staff.call('GET', `${SCREEN}/page?pageSize=10&${ofPage(2)}`)
  expect(paged.data).toEqual({ list: [], total: 2 })
  expect(await idsOf(ofPage(1))).toEqual(offline)
})
