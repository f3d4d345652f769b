import { mkdtempSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { buildApp } from '#main/app.ts'
import { createPlayToken, NO_SESSION, formatPlaylistUrl } from '#modules/storage/playback/play-token.ts'
import { deviceLab } from '#test/fixtures/device-fixture.ts'
import { type Clip, decode, probeSeconds, recordClips, withoutFfmpeg } from '#test/clients/ffmpeg.ts'
import { useCameras } from '#test/fixtures/video-fixture.ts'

const oms = deviceLab()
const { camera, put } = useCameras(oms)
const SECONDS = 12
const FRAMES = SECONDS * 15
const GAP_MS = 120_000
let app: ReturnType<typeof buildApp>
let origin: string

beforeAll(async () => {
  app = buildApp(oms.services)
  await app.listen({ host: '127.0.0.1', port: 0 })
  origin = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
})
afterAll(async () => {
  app?.server.closeAllConnections()
  await app?.close()
})

/** Uploads the clips one after the other, from this time, as one session of the camera. */
async function upload(
  sn: string,
  clips: readonly Clip[],
  format: string,
  { from, session }: { from: number; session: number },
) {
  let start = from
  for (const [at, { bytes, durationMs, initBytes }] of clips.entries()) {
    const facts = {
      start,
      durationMs,
      bytes: bytes.length,
      format,
      session,
      seq: at + 1,
      final: at === clips.length - 1,
    }
    const segment = initBytes > 0 ? { ...facts, initBytes } : facts
    const { status, json } = await oms.plain('storage/permit', { sn, segments: [segment] })
    expect(status, JSON.stringify(json())).toBe(200)
    expect((await put(json().upload[0].url, bytes)).status).toBe(201)
    start += durationMs
  }
}

const playlistOf = (deviceId: number, begin: number, end: number) => {
  const scope = { deviceId, channel: 0, tenantId: 1, ownerId: 0, consentId: 0, ...NO_SESSION, begin, end }
  const { token } = createPlayToken(oms.services.config.secretKey, scope, Date.now())
  return `${origin}${formatPlaylistUrl(token)}`
}

describe.skipIf(withoutFfmpeg !== undefined)('a camera simulated with ffmpeg', () => {
  test.each(['ts', 'fmp4'] as const)(
    'STORAGE-08 media players play two recorded sessions of %s with a gap between them',
    { timeout: 120_000 },
    async (format) => {
      const clips = await recordClips(mkdtempSync(join(inject('scratch'), 'camera-')), format, SECONDS)
      const { sn, id } = await camera()
      const from = Date.now() - 600_000
      await upload(sn, clips, format, { from, session: 1 })
      await upload(sn, clips, format, { from: from + GAP_MS, session: 2 })
      const url = playlistOf(id, from - 1000, from + 2 * GAP_MS)
      const seconds = await probeSeconds(url)
      expect(Math.abs(seconds - 2 * SECONDS) / (2 * SECONDS)).toBeLessThan(0.01)
      // ffmpeg 5 does not restart its MP4 reader at a discontinuity, so it decodes only the first file of fMP4.
      const [length, frames] = format === 'ts' ? [GAP_MS - 1000, FRAMES] : [3000, FRAMES / clips.length]
      if (format === 'ts') expect((await decode(url)).frames).toBe(2 * FRAMES)
      expect(await decode(playlistOf(id, from - 1000, from + length))).toEqual({ errors: '', frames })
    },
  )

  test('STORAGE-08 a playlist ends where the camera changed container or codec', { timeout: 240_000 }, async () => {
    const record = async (format: 'ts' | 'fmp4', codec: 'h264' | 'h265') => {
      const [clip] = await recordClips(mkdtempSync(join(inject('scratch'), 'camera-')), format, 2, codec)
      return { clip: clip!, format, codec }
    }
    const kinds = [
      await record('ts', 'h264'),
      await record('ts', 'h265'),
      await record('fmp4', 'h264'),
      await record('fmp4', 'h265'),
    ]
    // Contains each ordered pair of the four kinds once.
    const order = [0, 0, 1, 0, 2, 0, 3, 1, 1, 2, 1, 3, 2, 2, 3, 3, 0]
    const { sn, id } = await camera()
    const from = Date.now() - 600_000
    for (const [session, kind] of order.entries()) {
      const { clip, format } = kinds[kind]!
      await upload(sn, [clip], format, { from: from + session * 2000, session: session + 1 })
    }
    for (const [at, kind] of order.entries()) {
      if (kind === order[at - 1]) continue
      const length = order[at + 1] === kind ? 2 : 1
      const { format, codec } = kinds[kind]!
      const url = playlistOf(id, from + at * 2000, from + order.length * 2000)
      expect((await (await fetch(url)).text()).match(/#EXTINF/g)).toHaveLength(length)
      // ffmpeg 5 does not restart its MP4 reader for the second file of fMP4.
      if (format === 'fmp4' && length > 1) continue
      const decoded = await decode(url)
      expect([at, format, codec, decoded]).toEqual([at, format, codec, { errors: '', frames: length * 30 }])
    }
  })
})
