import { createHash, randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { useAds } from '#test/fixtures/ad-fixture.ts'
import { deviceLab } from '#test/fixtures/device-fixture.ts'

const oms = deviceLab()
const { ad, program, report } = useAds(oms)
const HOUR_MS = 3_600_000

interface Shown {
  readonly programId: number
  readonly ad: Awaited<ReturnType<typeof ad>>
}
const playAt = ({ programId, ad: { id: adId, sha256: file } }: Shown, start: number, clock = 2) => ({
  reportId: randomUUID(),
  programId,
  ver: 1,
  itemId: 1,
  adId,
  adVer: 1,
  file,
  start,
  ms: 15_000,
  planned: 15_000,
  result: 1,
  clock,
  count: 1,
})

/** Publishes a program with one ad of a tenant. */
async function publish(tenantId: number, targets: { targetType?: number; targetIds?: number[] } = {}): Promise<Shown> {
  const one = await ad({ tenantId })
  return {
    ad: one,
    programId: await program({ tenantId, ads: [one.id], body: { dateFrom: '2020-01-01' }, ...targets }),
  }
}

async function move(deviceId: number, tenantId: number) {
  await oms.query('update devices set tenant_id = $2 where id = $1', [deviceId, tenantId])
  await oms.sync()
}

test('AD-10 plays before a move count for the former tenant, and later plays of its programs are rejected', async () => {
  await oms.query(`insert into tenants (id, tenant_no, name) values (8, 'NEXT', '乙公司')`)
  const { id, sn } = await oms.device({ tenantId: 7 })
  const former = await publish(7, { targetType: 1, targetIds: [id] })
  const next = await publish(8)
  const platform = await publish(1, { targetType: 1, targetIds: [id] })
  await move(id, 8)
  const [before, after] = [Date.now() - 2 * HOUR_MS, Date.now() + 5000]
  const plays = [
    playAt(former, before),
    playAt(platform, before + 20_000),
    playAt(next, before + 40_000),
    playAt(former, after),
    playAt(next, after + 20_000),
    playAt(platform, after + 40_000),
    playAt(former, before, 0),
  ]
  const reply = await report(sn, plays)
  expect(reply.json()).toMatchObject({ accepted: 4, duplicate: 0 })
  const rejected = [plays[2], plays[3], plays[6]].map((play) => ({ reportId: play!.reportId, reason: 'unknown' }))
  expect(reply.json().rejected).toEqual(rejected)
  const stored = await oms.query('select program_id, tenant_id from ad_plays where device_id = $1 order by start_ms', [
    id,
  ])
  expect(stored).toEqual([
    { program_id: former.programId, tenant_id: 7 },
    { program_id: platform.programId, tenant_id: 7 },
    { program_id: next.programId, tenant_id: 8 },
    { program_id: platform.programId, tenant_id: 8 },
  ])
  const sums =
    'select tenant_id, sum(plays)::int as plays from ad_play_fresh where device_id = $1 group by 1 order by 1'
  expect(await oms.query(sums, [id])).toEqual([
    { tenant_id: 7, plays: 2 },
    { tenant_id: 8, plays: 2 },
  ])
  expect((await report(sn, plays)).json()).toMatchObject({ accepted: 0, duplicate: 4 })
})

test('AD-10 a process that loads the devices after a move knows their former tenants', async () => {
  const { id, sn } = await oms.device({ tenantId: 7 })
  const former = await publish(7)
  await move(id, 1)
  const twin = await oms.another()
  const reply = await oms.send(`${twin.origin}/device/v1/ad/report`, {
    method: 'POST',
    token: null,
    headers: { authorization: 'Bearer token-of-one-device-0123456789ab' },
    body: { sn, reports: [playAt(former, Date.now() - HOUR_MS)] },
  })
  expect(reply.json()).toMatchObject({ accepted: 1 })
  expect(await oms.query('select tenant_id from ad_plays where device_id = $1', [id])).toEqual([{ tenant_id: 7 }])
})

test('AD-10 every change of the tenant records the former tenant, and other changes of the owner do not', async () => {
  const { id } = await oms.device({ tenantId: 7 })
  await oms.query('update devices set app_account_id = 5 where id = $1', [id])
  await move(id, 1)
  await oms.query('update devices set tenant_id = 1 where id = $1', [id])
  await move(id, 7)
  const rows = await oms.query(
    `select f.tenant_id, f.end_time = d.owner_time as last from device_former_tenants f join devices d on d.id = f.device_id
     where d.id = $1 order by f.end_time`,
    [id],
  )
  expect(rows).toEqual([
    { tenant_id: 7, last: false },
    { tenant_id: 1, last: true },
  ])
})

test('AD-09 moving a device to another tenant invalidates its SMIL address, and a new address works', async () => {
  const { id } = await oms.device({ tenantId: 7 })
  const keys = ['a', 'b'].map((letter) => letter.repeat(26))
  const statusOf = async (key = '', file = 'index.smil', method = 'GET') =>
    (await oms.send(`/device/v1/ad/smil/${key}/${file}`, { method, token: null })).status
  const setKey = (key = '') =>
    oms.query(
      `insert into ad_screens (device_id, tenant_id, player_kind, smil_key_hash, smil_uuid) select $1, tenant_id, 3, $2, 'u'
       from devices where id = $1 on conflict (device_id) do update set smil_key_hash = excluded.smil_key_hash`,
      [id, createHash('sha256').update(key).digest('hex')],
    )
  await setKey(keys[0])
  await oms.query('update devices set app_account_id = 5 where id = $1', [id])
  expect(await statusOf(keys[0])).toBe(200)
  await move(id, 1)
  expect(await statusOf(keys[0])).toBe(404)
  expect(await statusOf(keys[0], 'log/playlog-1.xml', 'PUT')).toBe(404)
  const stored = await oms.query('select tenant_id, smil_key_hash, smil_uuid from ad_screens where device_id = $1', [
    id,
  ])
  expect(stored).toEqual([{ tenant_id: 1, smil_key_hash: '', smil_uuid: '' }])
  await setKey(keys[1])
  expect(await statusOf(keys[1])).toBe(200)
})

test('AD-06 moving a screen to another tenant erases its reports about the content of the former tenant', async () => {
  const { id, sn } = await oms.device({ tenantId: 7 })
  const failed = [{ sha256: 'a'.repeat(64), reason: 'quota' }]
  const nowPlaying = { programId: 1, itemId: 1, adId: 1, since: 1 }
  const said = { sn, width: 1080, appliedEtag: 'former', readyFiles: 1, totalFiles: 2, failed, nowPlaying }
  expect((await oms.plain('ad/status', said)).status).toBe(200)
  await oms.services.adDelivery.status.flush(true)
  const stored = async () =>
    (
      await oms.query(
        `select tenant_id, width, applied_etag, ready_files, total_files, failed, now_playing from ad_screens
         where device_id = $1`,
        [id],
      )
    )[0]
  expect(await stored()).toMatchObject({ tenant_id: 7, applied_etag: 'former', failed })
  await move(id, 1)
  expect(await stored()).toEqual({
    tenant_id: 1,
    width: 1080,
    applied_etag: '',
    ready_files: 0,
    total_files: 0,
    failed: [],
    now_playing: null,
  })
})
