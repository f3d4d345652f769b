import { readdir } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { describe, expect, test, vi } from 'vitest'
import { WrongContentError } from '#core/media/media.ts'
import { FORMAT_HEAD_BYTES, hasFormat } from '../video/segment.ts'
import { readUpload } from '#modules/device/wire/request.ts'
import { deviceLab } from '#test/fixtures/device-fixture.ts'
import { tsBytes, useCameras } from '#test/fixtures/video-fixture.ts'

const oms = deviceLab()
const { camera, ask, segment, uploadOf, put } = useCameras(oms)

describe('STORAGE-04 uploads to the local store', () => {
  const BYTES = tsBytes(1000)

  test('an upload stores the bytes and then the row, and the same upload is accepted again', async () => {
    const { sn, id } = await camera()
    const { url, headers, ticket, method } = await uploadOf(sn, { session: 7, seq: 3 })
    expect([method, headers, ticket.length]).toEqual(['PUT', { 'content-type': 'video/mp2t' }, 102])
    expect((await put(url, BYTES, headers)).status).toBe(201)
    expect((await put(url, BYTES, headers)).status).toBe(200)
    const [row] = await oms.query(
      `select bytes, duration_ms, session, seq, format, expire_day - day as days, salt, start_ms, expire_day from oss_segments where device_id = $1`,
      [id],
    )
    expect(row).toMatchObject({ bytes: 1000, duration_ms: 4000, session: 7, seq: 3, format: 1, days: 8 })
    const { size } = (await oms.services.videos.media.peek(await keyOf(id), 10))!
    expect(size).toBe(1000)
  })

  const keyOf = async (id: number) => {
    for await (const { key } of oms.services.videos.media.list('v/')) if (key.includes(`/${id}/0/`)) return key
    return ''
  }

  test('an upload with another size, content, length or upload ticket is refused', async () => {
    const { sn, id } = await camera()
    const { url } = await uploadOf(sn)
    expect((await put(url, tsBytes(999))).status).toBe(413)
    expect((await put(url, tsBytes(1001))).status).toBe(413)
    expect((await put(url, Buffer.alloc(1000, 1))).status).toBe(415)
    expect(
      (await oms.send(url, { method: 'PUT', token: null, headers: { 'transfer-encoding': 'chunked' } })).status,
    ).toBe(411)
    expect((await oms.send(url, { token: null })).status).toBe(405)
    expect((await put(`${url.slice(0, -30)}${'A'.repeat(30)}`, BYTES)).status).toBe(401)
    expect((await put(`${url}AAAA`, BYTES)).status).toBe(401)
    expect(await oms.query('select 1 from oss_segments where device_id = $1', [id])).toEqual([])
  })

  const box = (type: string, size: number) => {
    const bytes = Buffer.alloc(size)
    bytes.writeUInt32BE(size)
    bytes.write(type, 4, 'latin1')
    return bytes
  }
  const mp4 = (...boxes: Buffer[]) => Buffer.concat([...boxes, Buffer.alloc(1000)]).subarray(0, 1000)

  test.each([
    ['ftyp and moov', mp4(box('ftyp', 28), box('moov', 272), box('moof', 100)), 201],
    ['a free box before moov', mp4(box('ftyp', 28), box('free', 8), box('moov', 264)), 201],
    ['no moov', mp4(box('styp', 24), box('moof', 100), box('mdat', 800)), 415],
    ['a moov that is longer than initBytes', mp4(box('ftyp', 28), box('moov', 273)), 415],
    ['a box of size 0', mp4(box('ftyp', 28), Buffer.from('00000000moov')), 415],
    ['MPEG-TS', BYTES, 415],
  ])('an upload of fragmented MP4 with %s is accepted only with a complete header', async (_, bytes, status) => {
    const { sn } = await camera()
    const { url, headers } = await uploadOf(sn, { format: 'fmp4', initBytes: 300 })
    expect((await put(url, bytes, headers)).status).toBe(status)
  })

  test('wrong content is detected also when the first chunk has only one byte', async () => {
    const { media } = oms.services.videos
    if (media.kind !== 'local') throw new Error('the test needs the local store')
    const parts = Readable.from([Buffer.from([0x47]), Buffer.alloc(999, 1)])
    const accepts = (head: Uint8Array) => hasFormat({ format: 1, initBytes: 0 }, head)
    const stored = media.put('v/20991231/00/1/0/1-0.ts', parts, { bytes: 1000, headBytes: FORMAT_HEAD_BYTES, accepts })
    await expect(stored).rejects.toThrow(WrongContentError)
  })

  test('a client that sends its whole body before reading receives the reason why the upload is refused', async () => {
    const { sn } = await camera()
    const bytes = 3_000_000
    const { url } = await uploadOf(sn, { bytes })
    const { port } = new URL(oms.origin)
    const putSlowly = (length: number) =>
      new Promise<string>((done, fail) => {
        const socket = connect(Number(port), '127.0.0.1', () => {
          socket.write(
            `PUT ${new URL(url, oms.origin).pathname} HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\n`,
          )
          let sent = 0
          const timer = setInterval(() => {
            socket.write(Buffer.alloc(length / 10))
            sent += 1
            if (sent < 10) return
            clearInterval(timer)
            socket.on('data', (chunk) => {
              done(chunk.toString())
              socket.destroy()
            })
          }, 50)
        })
        socket.on('error', fail).on('close', () => fail(new Error('closed')))
      })
    expect(await putSlowly(bytes)).toMatch(/^HTTP\/1.1 415 /)
    expect(await putSlowly(bytes + 10)).toMatch(/^HTTP\/1.1 413 /)
  })

  test('an upload that makes no progress gets 408, and a slow upload may take minutes', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
    try {
      const body = new PassThrough()
      const request = Object.assign(body, { complete: false, socket: { setTimeout: () => {} } })
      const chunks = readUpload(request as never)
      for (let minute = 0; minute < 5; minute++) {
        body.write(Buffer.alloc(100_000))
        expect((await chunks.next()).value).toHaveLength(100_000)
        vi.advanceTimersByTime(60_000)
      }
      const next = chunks.next()
      vi.advanceTimersByTime(600_000)
      await expect(next).rejects.toThrow('the upload took too long')
    } finally {
      vi.useRealTimers()
    }
  })

  test('an expired upload ticket is refused', async () => {
    const { sn } = await camera()
    const { url } = await uploadOf(sn)
    const now = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 15 * 60_000 + 1000)
    const { status } = await put(url, BYTES)
    now.mockRestore()
    expect(status).toBe(410)
  })

  test('other bytes for a used upload ticket and another recording with the same start are refused', async () => {
    const { sn } = await camera()
    const start = Date.now() - 5000
    const { url } = await uploadOf(sn, { start })
    expect((await put(url, BYTES)).status).toBe(201)
    expect((await put(url, tsBytes(1000, 2))).status).toBe(409)
    const again = await uploadOf(sn, { start })
    expect((await put(again.url, BYTES)).status).toBe(200)
    const other = await uploadOf(sn, { start, bytes: 1001 })
    expect((await put(other.url, tsBytes(1001))).status).toBe(409)
    const kept: string[] = []
    for await (const { key } of oms.services.videos.media.list('v/')) if (key.includes(`/${start}-`)) kept.push(key)
    expect(kept).toHaveLength(1)
  })

  test('an upload ticket is refused when the account of the device changed after the permit', async () => {
    const { sn, id } = await camera()
    const { url } = await uploadOf(sn)
    await oms.query('update devices set app_account_id = 5 where id = $1', [id])
    await oms.sync()
    expect((await put(url, BYTES)).status).toBe(410)
  })

  test('an upload gets 507 on a full disk, and an interrupted body stores nothing', async () => {
    const { sn, id } = await camera()
    const { url } = await uploadOf(sn)
    const { media } = oms.services.videos
    if (media.kind !== 'local') throw new Error('not local')
    const full = Object.assign(new Error('full'), { code: 'ENOSPC' })
    const spy = vi.spyOn(media, 'put').mockImplementationOnce(async () => {
      const { DiskFull } = await import('#core/storage/store.ts')
      throw new DiskFull('full', { cause: full })
    })
    expect((await put(url, BYTES)).status).toBe(507)
    spy.mockRestore()
    const cut = fetch(url, {
      method: 'PUT',
      body: new ReadableStream({ start: (c) => c.error(new Error('cut')) }),
      duplex: 'half',
      headers: { 'content-length': '1000' },
    } as RequestInit)
    await expect(cut).rejects.toThrow()
    expect(await oms.query('select 1 from oss_segments where device_id = $1', [id])).toEqual([])
    expect(await readdir(join(oms.services.config.dataDir, 'media/tmp'))).toEqual([])
  })

  test('a recording that was deleted before its upload does not count towards the daily limit', async () => {
    const MIB = 1024 * 1024
    const { sn, id } = await camera([{ dayLimitMb: 1 }])
    const start = Date.now() - 60_000
    const { url, headers } = await uploadOf(sn, { start, bytes: MIB })
    const next = { start: start + 4000, bytes: MIB }
    expect((await ask(sn, segment(next))).json().reason).toBe('day')
    await oms.query(
      `insert into oss_purges (tenant_id, device_id, channel, reason, from_ms, until_ms)
       select tenant_id, id, 0, 2, $2, $3 from devices where id = $1`,
      [id, start - 1000, start + 1000],
    )
    const answer = await put(url, tsBytes(MIB), headers)
    expect([answer.status, answer.json()]).toEqual([200, { status: 'deleted' }])
    expect((await ask(sn, segment(next))).status).toBe(200)
  })

  test('an upload of an event video stores its event', async () => {
    const { sn, id } = await camera([{ recordType: 2, preRecord: 3, eventRecord: 10 }])
    const { url } = await uploadOf(sn, { event: { id: 9, type: 4 }, durationMs: 1500 })
    expect((await put(url, BYTES)).status).toBe(201)
    expect(await oms.query('select event_no, type from oss_events where device_id = $1', [id])).toEqual([
      { event_no: 9, type: 4 },
    ])
  })
})
