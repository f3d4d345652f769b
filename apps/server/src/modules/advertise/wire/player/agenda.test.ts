import { expect, test } from 'vitest'
import { useAds } from '#test/fixtures/ad-fixture.ts'
import { deviceLab } from '#test/fixtures/device-fixture.ts'

const oms = deviceLab()
const { ad, program, get } = useAds(oms)

test('AD-06 the agenda compares codecs by family, so that screens may name codecs differently', async () => {
  const { id, sn } = await oms.device()
  const video = await ad({ type: 2, mime: 'video/mp4' })
  await oms.query(
    `update ad_versions set body = jsonb_set(body, '{files,0,codec}', '"avc1.640028"') where ad_id = $1`,
    [video.id],
  )
  await program({ ads: [video.id], targetType: 1, targetIds: [id] })
  const fileFor = async (query: string) => {
    const reply = await get(`agenda/${sn}?hours=1${query}`)
    return [reply.status, reply.json().slots[0]?.file]
  }
  for (const codecs of ['avc1.64001f', 'avc1', 'h264', 'vp9,H264', 'vp9, avc1.42c015'])
    expect([codecs, ...(await fileFor(`&codecs=${encodeURIComponent(codecs)}`))]).toEqual([codecs, 200, video.sha256])
  // Without codecs, a screen plays all files.
  for (const none of ['', '&codecs=', '&codecs=,']) expect(await fileFor(none)).toEqual([200, video.sha256])
  for (const codecs of ['vp9', 'hvc1.1.6.L120.90,mp4a'])
    expect(await fileFor(`&codecs=${codecs}`)).toEqual([200, undefined])
})

test('AD-06 manifests of one version contain the limits of items as instants in the zone of each screen', async () => {
  const [berlin, shanghai] = [await oms.device(), await oms.device()]
  await oms.query(
    `insert into ad_screens (device_id, tenant_id, player_kind, time_zone) values ($1, 1, 2, 'Europe/Berlin')`,
    [berlin.id],
  )
  await oms.sync()
  const { id: adId } = await ad()
  const item = { id: 1, adId, ms: 15_000, weight: 1, maxPlaysPerHour: 0, transition: 0 as const }
  const items = [{ ...item, from: '2026-12-01 08:00:00', to: '2099-12-24 22:00:00' }]
  const id = await program({ ads: [adId], targetType: 1, targetIds: [berlin.id, shanghai.id], body: { items } })
  const limitsOf = async (sn: string) =>
    (await get(`manifest/${sn}`))
      .json()
      .programs.filter((each: { id: number }) => each.id === id)
      .flatMap(({ items: sent }: { items: { from: number; to: number }[] }) => sent)
      .map(({ from, to }: { from: number; to: number }) => [from, to].map((at) => new Date(at).toISOString()))
  expect(await limitsOf(berlin.sn)).toEqual([['2026-12-01T07:00:00.000Z', '2099-12-24T21:00:00.000Z']])
  expect(await limitsOf(shanghai.sn)).toEqual([['2026-12-01T00:00:00.000Z', '2099-12-24T14:00:00.000Z']])
})
