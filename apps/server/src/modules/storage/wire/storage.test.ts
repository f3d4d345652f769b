import { describe, expect, test, vi } from 'vitest'
import { REFUSAL_REASONS } from '../video/permit-rules.ts'
import { deviceLab, TOKEN } from '#test/fixtures/device-fixture.ts'
import { type Grant, grantStorage, useCameras } from '#test/fixtures/video-fixture.ts'

const oms = deviceLab()
const { camera, segment, ask } = useCameras(oms)
const DAY_MS = 86_400_000
const HOUR = 3600

/** Statements that timers send, not calls: the status of channels, and the bytes of the day. */
const TIMED = /oss_device_status|day_limit_mb/

describe('STORAGE-03 state and permit', () => {
  test('the storage state returns the terms of each channel and the time of the next check', async () => {
    const { sn } = await camera([{}, { channel: 1, recordType: 2, preRecord: 3, eventRecord: 20 }])
    const { status, json } = await oms.plain('storage/state', { sn })
    expect([status, json()]).toEqual([
      200,
      {
        serverTime: expect.any(Number),
        channels: [
          { channel: 0, state: 'recording', recordType: 1, validUntil: expect.any(Number) },
          {
            channel: 1,
            state: 'recording',
            recordType: 2,
            preRecord: 3,
            eventRecord: 20,
            prolong: 0,
            validUntil: expect.any(Number),
          },
        ],
        nextCheck: expect.any(Number),
      },
    ])
    expect(Math.abs(json().serverTime - Date.now())).toBeLessThan(60_000)
    expect(json().nextCheck).toBeGreaterThanOrEqual(300)
    expect(json().nextCheck).toBeLessThanOrEqual(86_400)
  })

  test('the next check of a camera is at the end of its package at the latest', async () => {
    const { sn } = await camera([{ to: 600 }])
    expect((await oms.plain('storage/state', { sn })).json().nextCheck).toBeLessThanOrEqual(601)
  })

  const old = { start: Date.now() - 8 * DAY_MS }
  test.each<[string, Grant[], object, object?]>([
    ['model', [{}], {}, { modelId: 2 }],
    ['none', [], {}],
    ['waiting', [{ from: HOUR }], {}],
    ['suspended', [{ state: 3 }], {}],
    ['expired', [{ state: 2, from: -2 * HOUR, to: -HOUR }], {}],
    ['clock', [{}], { start: Date.now() + 60 * 60_000 }],
    ['old', [{ from: -30 * 86_400 }], old],
    ['kind', [{ recordType: 2 }], {}],
    ['event', [{ recordType: 2, preRecord: 3, eventRecord: 10 }], { durationMs: 20_000, event: { id: 1, type: 2 } }],
    ['day', [{ dayLimitMb: 1 }], { bytes: 2 * 1024 * 1024 }],
    ['switch', [{ switchedOff: 1 }], {}],
  ])('an upload permit is refused with the reason %s', async (reason, grants, over, fields = {}) => {
    const { sn } = await camera(grants, fields)
    const { status, json } = await ask(sn, segment(over))
    expect([status, json()]).toEqual([403, { reason, nextCheck: expect.any(Number) }])
    expect(Object.keys(REFUSAL_REASONS)).toContain(reason)
  })

  test('an upload permit is refused for a channel that the model lacks, and when the store is full', async () => {
    const { sn } = await camera([{}, { channel: 2 }])
    const { json } = await oms.plain('storage/permit', { sn, channel: 2, segments: [segment()] })
    expect(json().reason).toBe('channel')
    const full = vi.spyOn(oms.services.videos.media, 'hasRoom', 'get').mockReturnValue(false)
    expect((await ask(sn)).json().reason).toBe('space')
    full.mockRestore()
  })

  test('a disabled device and a device of a disabled tenant are refused before the permit rules', async () => {
    const { sn, id } = await camera()
    const { sn: other } = await camera([{}], { tenantId: 7 })
    await oms.query('update devices set status = 0 where id = $1', [id])
    await oms.query('update tenants set status = 0 where id = 7')
    await oms.sync()
    expect([(await ask(sn)).status, (await ask(other)).status]).toEqual([401, 401])
    await oms.query('update tenants set status = 1 where id = 7')
    await oms.sync()
  })

  test('the entitlement at the start of a recording decides, so that a camera can upload old recordings later', async () => {
    const { sn } = await camera([
      { state: 2, from: -5 * 86_400, to: -2 * 86_400, storageDays: 30 },
      { from: -86_400, storageDays: 7 },
      { state: 0, from: 86_400 * 30, to: 86_400 * 60 },
    ])
    const at = (days: number) => segment({ start: Date.now() - days * DAY_MS })
    const { json } = await ask(sn, at(4), at(1.5), at(0.5), at(6))
    expect(json().upload.map(({ reason }: { reason?: string }) => reason ?? 'upload')).toEqual([
      'upload',
      'waiting',
      'upload',
      'waiting',
    ])
  })

  test('the daily limit counts permits of one call and of earlier calls, separately for each day of recording', async () => {
    const { sn } = await camera([{ dayLimitMb: 3, from: -6 * 86_400 }])
    const at = (daysAgo: number, n: number) =>
      segment({ start: Date.now() - daysAgo * DAY_MS - 120_000 + n * 4000, bytes: 1024 * 1024 })
    const reasons = async (...segments: object[]) => {
      const { status, json } = await ask(sn, ...segments)
      return status === 403 ? json().reason : json().upload.map(({ reason }: { reason?: string }) => reason ?? 'upload')
    }
    const [one, two] = [at(3, 0), at(3, 1)]
    expect(await reasons(one, two)).toEqual(['upload', 'upload'])
    // A repeated permit counts once.
    expect(await reasons(one, at(3, 2), at(3, 3))).toEqual(['upload', 'upload', 'day'])
    expect(await reasons(at(2, 0))).toEqual(['upload'])
  })

  test('recordings from before the device was bound to another account are refused', async () => {
    const { sn, id } = await camera([{ from: -86_400 }])
    await oms.query('update devices set app_account_id = 5 where id = $1', [id])
    await oms.sync()
    expect((await ask(sn, segment({ start: Date.now() - 3_600_000 }))).json().reason).toBe('old')
    expect((await ask(sn, segment({ start: Date.now() + 2000 }))).status).toBe(200)
  })

  test.each<[string, object, RegExp]>([
    ['no segment', { segments: [] }, /1 to 20/],
    ['21 segments', { segments: Array.from({ length: 21 }, () => segment()) }, /1 to 20/],
    ['a short segment', { segments: [segment({ durationMs: 100 })] }, /segments\[0\]\.durationMs/],
    ['a long segment', { segments: [segment({ durationMs: 600_001 })] }, /durationMs/],
    ['a short continuous segment', { segments: [segment({ durationMs: 3999 })] }, /at least 4000 ms/],
    ['an empty segment', { segments: [segment({ bytes: 0 })] }, /bytes/],
    ['more than 64 MiB', { segments: [segment({ bytes: 64 * 1024 * 1024 + 1 })] }, /bytes/],
    ['a picture of more than 2 MiB', { segments: [segment({ format: 'jpg', bytes: 2 * 1024 * 1024 + 1 })] }, /bytes/],
    ['an unknown format', { segments: [segment({ format: 'avi' })] }, /format/],
    [
      'fragmented MP4 without initBytes',
      { segments: [segment({ format: 'fmp4' })] },
      /initBytes must be a whole number/,
    ],
    [
      'fragmented MP4 without frames',
      { segments: [segment({ format: 'fmp4', initBytes: 1000 })] },
      /initBytes must be/,
    ],
    ['initBytes of MPEG-TS', { segments: [segment({ initBytes: 100 })] }, /initBytes is for fmp4 only/],
    ['a wrong event', { segments: [segment({ event: { id: 'a' } })] }, /event\.id/],
    ['the name of a method as format', { segments: [segment({ format: 'toString' })] }, /format must be/],
    ['a list as format', { segments: [segment({ format: ['ts'] })] }, /format must be/],
    ['a text as end of the session', { segments: [segment({ final: 'no' })] }, /final must be true or false/],
    ['a wrong channel', { channel: 64, segments: [segment()] }, /channel/],
    ['a segment that is no object', { segments: ['x'] }, /object/],
  ])('a permit request with %s is refused', async (_name, body, message) => {
    const { sn } = await camera()
    const { status, json } = await oms.plain('storage/permit', { sn, ...body })
    expect([status, json().message]).toEqual([400, expect.stringMatching(message)])
  })

  test.each<[string, unknown, string]>([
    ['an object as code', [{ code: {} }], 'trouble[0].code must be a text'],
    ['a text without a text', [{ message: { toString: 1, valueOf: 1 } }], 'trouble[0].message must be a text'],
    ['65 faults', Array.from({ length: 65 }, () => ({})), 'trouble must be a list of at most 64'],
  ])('a state request with %s is refused', async (_name, trouble, message) => {
    const { sn } = await camera()
    const { status, json } = await oms.plain('storage/state', { sn, trouble })
    expect([status, json().message]).toEqual([400, message])
  })

  test.each<[string, unknown, string]>([
    ['a number as ticket', [{ ticket: 5 }], 'done[0].ticket must be a text'],
    ['a text without a text', [{ ticket: { toString: 1, valueOf: 1 } }], 'done[0].ticket must be a text'],
    ['nothing as element', [null], 'done[0] must be an object'],
  ])('a commit request with %s is refused', async (_name, done, message) => {
    const { sn } = await camera()
    const { status, json } = await oms.plain('storage/commit', { sn, done })
    expect([status, json().message]).toEqual([400, message])
  })

  test('a long fault text is truncated between characters', async () => {
    const { sn, id } = await camera([])
    await oms.plain('storage/state', { sn, trouble: [{ message: `${'x'.repeat(199)}😀` }] })
    await oms.services.videos.status.flush()
    const [row] = await oms.query('select trouble_text from oss_device_status where device_id = $1 and channel = 0', [
      id,
    ])
    expect(row.trouble_text).toBe(`${'x'.repeat(199)}\ufffd`)
  })

  test('the last segment of a session may be shorter than the minimum', async () => {
    const { sn } = await camera()
    expect((await ask(sn, segment({ durationMs: 700, final: true }))).status).toBe(200)
  })

  test('state and permit requests send no database query', async () => {
    const { sn } = await camera()
    const { pool } = oms.services.database
    const queries = vi.spyOn(pool, 'query')
    const connections = vi.spyOn(pool, 'connect')
    for (let round = 0; round < 10; round += 1) {
      const calls = Array.from({ length: 10 }, () => [oms.plain('storage/state', { sn }), ask(sn)]).flat()
      for (const { status } of await Promise.all(calls)) expect(status).toBe(200)
    }
    const timed = queries.mock.calls.filter(([text]) => TIMED.test(String(text))).length
    // Every statement of a timer takes one connection.
    expect([queries.mock.calls.length - timed, connections.mock.calls.length - timed]).toEqual([0, 0])
    queries.mockRestore()
    connections.mockRestore()
  })

  test('a package that is opened in the console takes effect in another process', async () => {
    const { sn, id } = await camera([])
    const twin = await oms.another()
    const at = (origin: string) =>
      oms.send(`${origin}/device/v1/storage/permit`, {
        method: 'POST',
        token: null,
        headers: { authorization: `Bearer ${TOKEN}` },
        body: { sn, segments: [segment()] },
      })
    expect((await at(twin.origin)).status).toBe(403)
    await grantStorage(oms.query, id)
    await twin.sync()
    expect((await at(twin.origin)).status).toBe(200)
  })

  test('check reports changed entitlements until the camera requests its storage state', async () => {
    const { sn, id } = await camera([], { verCode: 100 })
    const check = () => oms.plain('check', { sn, verCode: 100 })
    expect((await check()).status).toBe(204)
    await grantStorage(oms.query, id)
    await oms.sync()
    const { status, json } = await check()
    expect([status, json()]).toEqual([200, { storage: 'changed' }])
    await oms.plain('storage/state', { sn })
    expect((await check()).status).toBe(204)
    await oms.query('update oss_queues set switched_off = 1 where device_id = $1', [id])
    await oms.sync()
    expect((await check()).json().storage).toBe('changed')
  })

  test('check reports no entitlements to a device of a model without cloud storage', async () => {
    const { sn } = await camera([{}], { modelId: 2, verCode: 100 })
    expect((await oms.plain('check', { sn, verCode: 100 })).status).toBe(204)
  })

  test('the last request, response and fault of each channel are stored', async () => {
    const { sn, id } = await camera([])
    const trouble = [{ channel: 1, code: 'E12', message: 'no\nlens' }]
    await oms.plain('storage/state', { sn, trouble })
    await ask(sn)
    await oms.services.videos.status.flush()
    expect(
      await oms.query(
        `select channel, answer, trouble_code, trouble_text, ask_time is not null as asked from oss_device_status
         where device_id = $1 order by 1`,
        [id],
      ),
    ).toEqual([
      { channel: 0, answer: 'none', trouble_code: '', trouble_text: '', asked: true },
      { channel: 1, answer: 'none', trouble_code: 'E12', trouble_text: 'no lens', asked: true },
    ])
  })
})
