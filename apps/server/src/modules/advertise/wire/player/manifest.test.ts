import { createHash } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { useAds } from '#test/fixtures/ad-fixture.ts'
import { deviceLab } from '#test/fixtures/device-fixture.ts'

const oms = deviceLab()
const { ad, program, publish, get } = useAds(oms)
const sha256 = (text: string | Buffer) => createHash('sha256').update(text).digest('hex')
const programsOf = async (sn: string) =>
  (await get(`manifest/${sn}`)).json().programs.map(({ id }: { id: number }) => id)
const statementsDuring = async (work: () => Promise<void>) => {
  const { pool } = oms.services.database
  let count = 0
  const original = pool.query
  pool.query = ((...args: Parameters<typeof original>) => {
    count += 1
    return original.apply(pool, args)
  }) as typeof original
  await work().finally(() => (pool.query = original))
  return count
}

test('AD-06 a manifest contains the approved ads of published programs, and a known ETag returns 304', async () => {
  const { sn } = await oms.device({ modelId: 2 })
  const one = await ad()
  const id = await program({ ads: [one.id], targetType: 3, targetIds: [2] })
  const first = await get(`manifest/${sn}`)
  expect(first.status).toBe(200)
  expect(first.headers.etag).toBe(`"${sha256(first.body)}"`)
  const manifest = first.json()
  expect(manifest).toMatchObject({ format: 1, zone: 'Asia/Shanghai', volume: 100, download: { window: null, kbps: 0 } })
  expect(manifest.programs.map((each: { id: number }) => each.id)).toEqual([id])
  expect(manifest.ads).toMatchObject([{ id: one.id, files: [{ sha256: one.sha256 }] }])
  expect(Math.abs(Number(first.headers['x-oms-time']) - Date.now())).toBeLessThan(5000)
  const seconds = Number(first.headers['x-oms-poll'])
  expect(seconds >= 48 && seconds <= 72).toBe(true)
  await oms.services.adDelivery.status.flush(true)
  await oms.sync()
  await get(`manifest/${sn}`)
  const statements = await statementsDuring(async () => {
    for (const etag of [`"${sha256(first.body)}"`, `W/"${sha256(first.body)}"`, sha256(first.body)]) {
      const again = await get(`manifest/${sn}`, { 'if-none-match': etag })
      expect([again.status, again.body.length, again.headers['x-oms-poll']]).toEqual([304, 0, String(seconds)])
      expect(again.headers['x-oms-time']).toBeDefined()
    }
  })
  expect(statements).toBe(0)
  const packed = await get(`manifest/${sn}`, { 'accept-encoding': 'gzip' })
  expect(packed.headers['content-encoding']).toBe('gzip')
  expect(gunzipSync(packed.body)).toEqual(first.body)
})

test('AD-06 paused, ended, deleted or expired programs and disabled ads are missing in the next manifest', async () => {
  const { sn, id: deviceId } = await oms.device()
  const one = await ad()
  const target = { ads: [one.id], targetType: 1, targetIds: [deviceId] }
  const id = await program(target)
  expect(await programsOf(sn)).toEqual([id])
  for (const [change, back] of [
    ['status = 4', 'status = 2'],
    ['status = 5', 'status = 2'],
    ['deleted_at = now()', 'deleted_at = null'],
  ]) {
    await oms.query(`update ad_programs set ${change} where id = $1`, [id])
    await oms.sync()
    expect(await programsOf(sn)).toEqual([])
    await oms.query(`update ad_programs set ${back} where id = $1`, [id])
    await oms.sync()
    expect(await programsOf(sn)).toEqual([id])
  }
  await oms.query('update ads set enable_stat = 0 where id = $1', [one.id])
  await oms.sync()
  const disabled = (await get(`manifest/${sn}`)).json()
  expect([disabled.programs.length, disabled.ads.length]).toEqual([1, 0])
  expect((await get(`media/${sn}/${one.sha256}`)).status).toBe(404)
  await oms.query('update ads set enable_stat = 1 where id = $1', [one.id])
  await oms.sync()
  expect((await get(`media/${sn}/${one.sha256}`)).status).toBe(200)
  const over = await program({ ...target, body: { dateFrom: '2020-01-01', dateTo: '2020-02-01' } })
  const later = await program({ ...target, body: { dateFrom: '2098-01-01', dateTo: '2098-02-01' } })
  expect(await programsOf(sn)).not.toContain(over)
  expect(await programsOf(sn)).not.toContain(later)
})

test('AD-06 programs target devices, groups, models and tenants; a program of a tenant reaches only its devices', async () => {
  const [ours, theirs] = [await oms.device(), await oms.device({ tenantId: 7 })]
  const [group] = await oms.query(
    `insert into device_groups (tenant_id, group_name, kind) values (1, 'G', 1) returning id`,
  )
  const before = [await programsOf(ours.sn), await programsOf(theirs.sn)]
  const fresh = async () => [
    (await programsOf(ours.sn)).filter((id: number) => !before[0].includes(id)),
    (await programsOf(theirs.sn)).filter((id: number) => !before[1].includes(id)),
  ]
  const all = await program({ targetType: 4, targetIds: [1, 7] })
  expect(await fresh()).toEqual([[all], [all]])
  const wall = await program({ tenantId: 7, targetType: 1, targetIds: [ours.id, theirs.id] })
  expect(await fresh()).toEqual([[all], [all, wall]])
  const grouped = await program({ targetType: 2, targetIds: [group.id] })
  expect(await fresh()).toEqual([[all], [all, wall]])
  await oms.query('insert into device_group_members (group_id, device_id) values ($1, $2)', [group.id, ours.id])
  await oms.sync()
  expect(await fresh()).toEqual([
    [all, grouped],
    [all, wall],
  ])
  await oms.query('update devices set tenant_id = 7 where id = $1', [ours.id])
  await oms.query('delete from device_group_members where group_id = $1', [group.id])
  await oms.sync()
  expect((await fresh())[0]).toEqual([all, wall])
  await oms.query(`update ad_programs set status = 5 where id = any($1)`, [[all, wall, grouped]])
  await oms.sync()
})

test('AD-06 default programs of a tenant reach its devices, and default programs of the platform reach all devices', async () => {
  const theirs = await oms.device({ tenantId: 7 })
  const own = await program({ tenantId: 7, targetType: 1, targetIds: [], body: { fallback: 1 } })
  const platform = await program({ targetType: 1, targetIds: [], body: { fallback: 2 } })
  expect(await programsOf(theirs.sn)).toEqual([own, platform])
  await oms.query(`update ad_programs set status = 5 where id = any($1)`, [[own, platform]])
  await oms.sync()
})

test('AD-06 publishing a new version of a program replaces the old one in the manifests of two processes', async () => {
  const twin = await oms.another()
  const { sn, id: deviceId } = await oms.device()
  const [one, two] = [await ad(), await ad()]
  const id = await program({ ads: [one.id], targetType: 1, targetIds: [deviceId] })
  const versions = async () => {
    const replies = [await get(`manifest/${sn}`), await get(`manifest/${sn}`)]
    const other = await oms.send(`${twin.origin}/device/v1/ad/manifest/${sn}`, {
      token: null,
      headers: { authorization: 'Bearer token-of-one-device-0123456789ab' },
    })
    expect(other.headers.etag).toBe(replies[0]!.headers.etag)
    return other.json().programs.map((each: { verNo: number }) => each.verNo)
  }
  await twin.sync()
  expect(await versions()).toEqual([1])
  await publish(id, 2, { ads: [two.id], targetType: 1, targetIds: [deviceId] })
  await twin.sync()
  expect(await versions()).toEqual([2])
  expect((await get(`media/${sn}/${one.sha256}`)).status).toBe(404)
  expect((await get(`media/${sn}/${two.sha256}`)).status).toBe(200)
})

test('AD-06 screens with the same zone, volume and programs share one manifest set', async () => {
  const { index } = oms.services.adDelivery
  const [a, b] = [await oms.device(), await oms.device()]
  const slot = (sn: string) => oms.services.fleet.slots.find(sn)
  expect(index.setOf(slot(a.sn))).toBe(index.setOf(slot(b.sn)))
  await oms.query(
    `insert into ad_screens (device_id, tenant_id, player_kind, time_zone, volume) values ($1, 1, 2, 'Europe/Berlin', 40)`,
    [a.id],
  )
  await oms.sync()
  expect((await get(`manifest/${a.sn}`)).json()).toMatchObject({ zone: 'Europe/Berlin', volume: 40 })
  expect((await get(`manifest/${b.sn}`)).json()).toMatchObject({ zone: 'Asia/Shanghai', volume: 100 })
  expect(index.setCount).toBeLessThan(20)
})

test('AD-06 a screen gets at most 50 programs: the ones with the highest priority', async () => {
  const { sn, id } = await oms.device()
  const priorities = Array.from({ length: 52 }, (_, n) => n % 10)
  const ids: number[] = []
  for (const priority of priorities) ids.push(await program({ targetType: 1, targetIds: [id], body: { priority } }))
  const found = await programsOf(sn)
  expect(found).toHaveLength(50)
  const lowest = ids.filter((_, n) => priorities[n] === 0)
  expect(lowest.filter((each) => !found.includes(each))).toEqual(lowest.slice(-2))
})

test('AD-06 media files support ranges, If-Range and HEAD, and have their actual content type', async () => {
  const { sn, id: deviceId } = await oms.device()
  const one = await ad({ bytes: Buffer.from('0123456789'.repeat(1000)), mime: 'video/mp4' })
  await program({ ads: [one.id], targetType: 1, targetIds: [deviceId] })
  const path = `media/${sn}/${one.sha256}`
  const whole = await get(path)
  expect([whole.status, whole.headers['content-type'], whole.headers.etag]).toEqual([
    200,
    'video/mp4',
    `"${one.sha256}"`,
  ])
  expect(whole.body).toEqual(one.bytes)
  const part = await get(path, { range: 'bytes=9990-' })
  expect([part.status, part.body.toString(), part.headers['content-range']]).toEqual([
    206,
    '0123456789',
    'bytes 9990-9999/10000',
  ])
  expect((await get(path, { range: 'bytes=5-6', 'if-range': '"other"' })).status).toBe(200)
  expect((await get(path, { range: 'bytes=5-6', 'if-range': `"${one.sha256}"` })).status).toBe(206)
  expect((await get(path, { range: 'bytes=10000-' })).status).toBe(416)
  const head = await oms.send(`/device/v1/ad/${path}`, {
    method: 'HEAD',
    token: null,
    headers: { authorization: 'Bearer token-of-one-device-0123456789ab' },
  })
  expect([head.status, head.headers['content-length'], head.body.length]).toEqual([200, '10000', 0])
})

test('AD-06 a file that is not in the manifest of the screen returns 404, and a request without its token 401', async () => {
  const { sn } = await oms.device()
  const other = await oms.device({ tenantId: 7 })
  const secret = await ad({ tenantId: 7 })
  await program({ tenantId: 7, ads: [secret.id] })
  expect((await get(`media/${other.sn}/${secret.sha256}`)).status).toBe(200)
  expect((await get(`media/${sn}/${secret.sha256}`)).status).toBe(404)
  expect((await get(`media/${sn}/../../x`)).status).toBe(404)
  expect((await get(`media/${other.sn}/${secret.sha256}`, {}, 'wrong')).status).toBe(401)
  expect((await get(`manifest/${other.sn}`, {}, 'wrong')).status).toBe(401)
})

test('AD-06 downloads get Retry-After while all download slots are used, by media or by firmware', async () => {
  const { sn, id: deviceId } = await oms.device()
  const one = await ad()
  await program({ ads: [one.id], targetType: 1, targetIds: [deviceId] })
  const { media, downloads } = oms.side
  for (let n = 0; n < 200; n++) media.begin()
  const full = await get(`media/${sn}/${one.sha256}`)
  expect([full.status, Number(full.headers['retry-after']) >= 10]).toEqual([503, true])
  for (let n = 0; n < 200; n++) media.end()
  for (let n = 0; n < 100; n++) downloads.begin(n, 1)
  expect((await get(`media/${sn}/${one.sha256}`)).status).toBe(503)
  for (let n = 0; n < 100; n++) downloads.end(n, 1, false)
  expect((await get(`media/${sn}/${one.sha256}`)).status).toBe(200)
})

test('AD-06 player token and device token are both valid, and a disabled device gets 401', async () => {
  const { sn, id } = await oms.device()
  await oms.query(
    `insert into ad_screens (device_id, tenant_id, player_kind, player_token_hash) values ($1, 1, 1, $2)`,
    [id, sha256('player-token')],
  )
  await oms.sync()
  expect((await get(`manifest/${sn}`, {}, 'player-token')).status).toBe(200)
  expect((await get(`manifest/${sn}`)).status).toBe(200)
  await oms.query('update devices set status = 0 where id = $1', [id])
  await oms.sync()
  expect((await get(`manifest/${sn}`, {}, 'player-token')).status).toBe(401)
  await oms.query('update devices set status = 1 where id = $1', [id])
  await oms.query(`update ad_screens set player_token_hash = '' where device_id = $1`, [id])
  await oms.sync()
  expect((await get(`manifest/${sn}`, {}, 'player-token')).status).toBe(401)
})

test('AD-06 the status of a screen is written at most once a minute, with its last values', async () => {
  const { sn, id } = await oms.device()
  const { status } = oms.services.adDelivery
  const say = (body: object) => oms.plain('ad/status', { sn, ...body })
  expect((await say({ width: 1920, height: 1080, appliedEtag: 'a' })).json()).toEqual({})
  await status.flush()
  await say({ readyFiles: 1, totalFiles: 3, nowPlaying: { programId: 1, itemId: 2, adId: 3, since: 4 } })
  await say({ readyFiles: 2, totalFiles: 3 })
  await status.flush()
  const row = async () => (await oms.query('select * from ad_screens where device_id = $1', [id]))[0]
  expect(await row()).toMatchObject({ player_kind: 2, width: 1920, applied_etag: 'a', ready_files: 0 })
  await status.flush(true)
  expect(await row()).toMatchObject({
    width: 1920,
    applied_etag: 'a',
    ready_files: 2,
    total_files: 3,
    now_playing: { adId: 3 },
  })
  expect((await say({ width: -1 })).json().message).toBe('width has a value that is not allowed')
  expect((await oms.plain('ad/status', { width: 1 })).json().message).toBe('sn is missing')
})

test('AD-06 characters in a status that the database refuses are replaced before storing', async () => {
  const { sn, id } = await oms.device()
  const bad = 'a\u0000b\ud800'
  const failed = [{ sha256: 'a'.repeat(64), reason: bad }]
  const body = { sn, playerVersion: bad, codecs: [bad], appliedEtag: bad, failed }
  expect((await oms.plain('ad/status', body)).status).toBe(200)
  await oms.services.adDelivery.status.flush(true)
  const text = 'a b\ufffd'
  const [row] = await oms.query('select * from ad_screens where device_id = $1', [id])
  expect(row).toMatchObject({ player_version: text, codecs: [text], applied_etag: text, failed: [{ reason: text }] })
  const since = 8_640_000_000_000_001
  expect((await oms.plain('ad/status', { sn, nowPlaying: { programId: 1, itemId: 1, adId: 1, since } })).status).toBe(
    400,
  )
})

test('AD-06 a status that the database refuses is dropped and does not block other screens', async () => {
  const [bad, good] = [await oms.device(), await oms.device()]
  const { status } = oms.services.adDelivery
  const at = Date.now()
  status.take({ deviceId: bad.id, tenantId: 1, at, isScreen: false, playerVersion: 'a\u0000b' })
  status.take({ deviceId: good.id, tenantId: 1, at, isScreen: false, playerVersion: 'web 7' })
  await status.flush(true)
  const read = async (id: number) =>
    (await oms.query('select player_version from ad_screens where device_id = $1', [id]))[0]?.player_version ?? ''
  expect([await read(bad.id), await read(good.id)]).toEqual(['', 'web 7'])
  status.take({ deviceId: good.id, tenantId: 1, at, isScreen: false, playerVersion: 'web 8' })
  await status.flush(true)
  expect(await read(good.id)).toBe('web 8')
})
