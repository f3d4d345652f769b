import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { formatObjectKey, type SegmentKey } from '#modules/storage/video/segment.ts'
import { deviceLab } from '#test/fixtures/device-fixture.ts'
import { type Clip, recordClips, withoutFfmpeg } from '#test/clients/ffmpeg.ts'
import { useCameras } from '#test/fixtures/video-fixture.ts'

const oms = deviceLab()
const { camera, ask, put } = useCameras(oms)
const folder = mkdtempSync(join(tmpdir(), 'oms-ffmpeg-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const HOUR_MS = 3_600_000

/** Announces the files of one session and returns the uploads. */
async function announce(sn: string, files: readonly Clip[], format: string, start: number, session: number) {
  let at = start
  const segments = files.map(({ bytes, durationMs, initBytes }, seq) => {
    const segment = { start: at, durationMs, bytes: bytes.length, format, session, seq, initBytes }
    at += durationMs
    return { ...segment, ...(seq === files.length - 1 && { final: true }) }
  })
  return ask(sn, ...segments)
}

/** Starts an upload and destroys the connection after half of the bytes. */
const cutUpload = (url: string, bytes: Buffer) =>
  new Promise<void>((done) => {
    const request = httpRequest(url, { method: 'PUT', headers: { 'content-length': bytes.length } })
    request.on('error', () => done())
    request.on('close', () => done())
    request.write(bytes.subarray(0, bytes.length / 2), () => request.destroy())
  })

/** Sizes of the stored files in the order of their recording. */
const storedFiles = async (id: number) => {
  const rows: SegmentKey[] = await oms.query(
    `select expire_day as "expireDay", device_id as "deviceId", channel, start_ms as "startMs", salt, format
       from oss_segments where device_id = $1 order by start_ms`,
    [id],
  )
  return rows.map((row) => {
    const path = join(oms.services.config.dataDir, 'media', formatObjectKey(row))
    return statSync(path).size
  })
}

describe.skipIf(withoutFfmpeg !== undefined).each(['ts', 'fmp4'] as const)(
  'a camera simulated with ffmpeg and %s',
  (format) => {
    test('STORAGE-04 a camera uploads sessions, older recordings and an upload that was interrupted', {
      timeout: 120_000,
    }, async () => {
      const { sn, id } = await camera([{ from: -3 * 86_400, storageDays: 30 }])
      const files = await recordClips(folder, format, 14)
      expect(files.length).toBeGreaterThanOrEqual(3)
      const start = Date.now() - HOUR_MS
      expect((await announce(sn, files, format, Date.now() + HOUR_MS, 1)).json()).toMatchObject({ reason: 'clock' })
      const live = (await announce(sn, files, format, start, 1)).json().upload
      await cutUpload(live[0].url, files[0]!.bytes)
      for (const [at, { url, headers }] of live.entries())
        expect((await put(url, files[at]!.bytes, headers)).status).toBe(201)
      const backlog = (await announce(sn, files.slice(0, 2), format, start - 2 * 86_400_000, 2)).json().upload
      for (const [at, { url, headers }] of backlog.entries())
        expect((await put(url, files[at]!.bytes, headers)).status).toBe(201)
      const stored = await storedFiles(id)
      expect(stored).toEqual([...files.slice(0, 2), ...files].map(({ bytes }) => bytes.length))
      const [days] = await oms.query(
        `select count(*)::int as days, sum(segments)::int as segments, sum(duration_ms)::int as ms from oss_device_days where device_id = $1`,
        [id],
      )
      expect(days.segments).toBe(stored.length)
      expect(days.days).toBeGreaterThanOrEqual(2)
      const init = await oms.query('select distinct init_bytes > 0 as init from oss_segments where device_id = $1', [
        id,
      ])
      expect(init).toEqual([{ init: format === 'fmp4' }])
    })
  },
)
