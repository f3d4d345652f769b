import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { useAds } from '#test/fixtures/ad-fixture.ts'
import { deviceLab } from '#test/fixtures/device-fixture.ts'

const oms = deviceLab()
const { ad, program, get, report } = useAds(oms)

test('AD-06 a manifest has the duration of the approved video file and omits the data of its review', async () => {
  const { sn, id: deviceId } = await oms.device()
  const video = await ad({ type: 2, mime: 'video/mp4' })
  const review = (durationMs: number) => JSON.stringify({ review: { durationMs, advertiser: '甲公司', proofs: [] } })
  await oms.query(`update ad_versions set body = body || $2 where ad_id = $1`, [video.id, review(15_000)])
  const programId = await program({ ads: [video.id], targetType: 1, targetIds: [deviceId] })
  const manifest = async () => (await get(`manifest/${sn}`)).json()
  expect((await manifest()).programs[0].items[0].ms).toBe(15_000)
  await oms.query(
    `insert into ad_versions (ad_id, ver_no, tenant_id, body, content_hash, submit_by, audit_status)
     select ad_id, 2, tenant_id, body || '{"verNo":2}' || $2, 'next', 1, 2 from ad_versions where ad_id = $1`,
    [video.id, review(30_000)],
  )
  await oms.query('update ads set approved_ver = 2, ver_no = 2 where id = $1', [video.id])
  await oms.sync()
  const next = await manifest()
  expect(next.programs[0].items[0]).toMatchObject({ id: 1, ms: 30_000 })
  expect(next.ads[0]).toMatchObject({ id: video.id, verNo: 2 })
  expect(JSON.stringify([next, (await get(`agenda/${sn}`)).json()])).not.toMatch(/review|甲公司/)
  const play = (adVer: number, ms: number, start: number) => ({
    reportId: randomUUID(),
    programId,
    ver: 1,
    itemId: 1,
    adId: video.id,
    adVer,
    file: video.sha256,
    start,
    ms,
    planned: ms,
    result: 1,
    clock: 2,
    count: 1,
  })
  const start = Date.now() - 3_600_000
  const sent = [play(1, 15_000, start), play(2, 30_000, start + 60_000), play(2, 15_000, start + 120_000)]
  await oms.query(`update ad_program_versions set body = body || '{"publishedAt":1}' where program_id = $1`, [
    programId,
  ])
  expect((await report(sn, sent)).json()).toMatchObject({ accepted: 3, rejected: [] })
  const stored = await oms.query('select planned, result from ad_plays where device_id = $1 order by start_ms', [
    deviceId,
  ])
  expect(stored).toEqual([
    { planned: 15_000, result: 1 },
    { planned: 30_000, result: 1 },
    { planned: 30_000, result: 2 },
  ])
})

test('AD-06 a device becomes a screen with its first authorised manifest request', async () => {
  const { sn, id } = await oms.device()
  const { status, index } = oms.services.adDelivery
  const rows = () => oms.query('select player_kind from ad_screens where device_id = $1', [id])
  expect(await rows()).toEqual([])
  expect((await get(`manifest/${sn}`, {}, 'wrong')).status).toBe(401)
  await get(`manifest/${sn}`)
  await status.flush(true)
  expect(await rows()).toEqual([{ player_kind: 2 }])
  await oms.sync()
  expect(index.hasScreen(oms.services.fleet.slots.find(sn))).toBe(true)
  await oms.query('delete from ad_screens where device_id = $1', [id])
  await oms.sync()
  expect(index.hasScreen(oms.services.fleet.slots.find(sn))).toBe(false)
})

test('AD-07 a status stores muted sound, a covered page, and the time of a report with nowPlaying', async () => {
  const { sn, id } = await oms.device()
  const say = async (body: object) => {
    expect((await oms.plain('ad/status', { sn, ...body })).status).toBe(200)
    await oms.services.adDelivery.status.flush(true)
    const [row] = await oms.query('select muted, covered, playing_time from ad_screens where device_id = $1', [id])
    return [row.muted, row.covered, row.playing_time === null ? null : Date.parse(row.playing_time)]
  }
  expect(await say({ muted: 1 })).toEqual([1, 0, null])
  const began = Date.now()
  const [, , at] = await say({ nowPlaying: { programId: 1, itemId: 2, adId: 3, since: 4 } })
  expect(at).toBeGreaterThanOrEqual(began)
  expect(await say({ muted: 0, covered: 1 })).toEqual([0, 1, at])
  expect((await oms.plain('ad/status', { sn, muted: 2 })).status).toBe(400)
})

test('AD-06 omitting nowPlaying keeps the stored value, null erases it; a web player is stored as its kind', async () => {
  const { sn, id } = await oms.device()
  const say = async (body: object) => {
    expect((await oms.plain('ad/status', { sn, ...body })).status).toBe(200)
    await oms.services.adDelivery.status.flush(true)
    const [row] = await oms.query('select now_playing, player_kind from ad_screens where device_id = $1', [id])
    return [row.now_playing?.adId ?? null, row.player_kind]
  }
  expect(await say({ nowPlaying: { programId: 1, itemId: 2, adId: 3, since: 4 } })).toEqual([3, 2])
  expect(await say({ playerKind: 1, width: 1920 })).toEqual([3, 1])
  expect(await say({ nowPlaying: null })).toEqual([null, 1])
})
