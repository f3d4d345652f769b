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
