import { createHash, randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { formatLocalDay } from '#core/time/zone.ts'
import { createTextWidget } from './text-widget.ts'
import { useAds } from '#test/fixtures/ad-fixture.ts'
import { deviceLab } from '#test/fixtures/device-fixture.ts'

const oms = deviceLab()
const { ad, program } = useAds(oms)
const GARLIC = 'GAPI/1.0 (UUID:6b2b1f0e-9c1d-4f7f-8a53-2d9a1f3c4e5d; NAME:hall) garlic-linux/v0.6.0 (MODEL:Garlic)'
const IADEA = 'ADAPI/1.0 (UUID:b1a2c3d4-0000-4f7f-8a53-2d9a1f3c4e5d; NAME:x) SMIL/1.0 (MODEL:XMP-330)'
let made = 0

/** Creates a screen with a SMIL address. */
const screen = async (fields: Parameters<typeof oms.device>[0] = {}) => {
  const device = await oms.device(fields)
  const key = `aaaaaaaaaaaaaaaaaaaaaaaa${'abcdefghij'[Math.floor(made / 10)]}${'abcdefghij'[made++ % 10]}`
  await oms.query(`insert into ad_screens (device_id, tenant_id, player_kind, smil_key_hash) values ($1, $2, 3, $3)`, [
    device.id,
    fields.tenantId ?? 1,
    createHash('sha256').update(key).digest('hex'),
  ])
  await oms.sync()
  return { ...device, key, path: `/device/v1/ad/smil/${key}` }
}
/** Sends a request as garlic-player does: without credentials. */
const send = (path: string, method = 'GET', headers: Record<string, string> = {}, body?: string) =>
  oms.send(path, {
    method,
    token: null,
    headers: { 'user-agent': GARLIC, ...headers },
    ...(body !== undefined && { body }),
  })
const row = async (id: number) => (await oms.query('select * from ad_screens where device_id = $1', [id]))[0]

test('AD-09 HEAD and GET return the SMIL index, and an If-None-Match without quotes returns 304', async () => {
  const { id, path } = await screen()
  const one = await ad()
  const programId = await program({ ads: [one.id], targetType: 1, targetIds: [id] })
  const head = await send(`${path}/index.smil`, 'HEAD')
  expect([head.status, head.headers['content-type'], head.body.length]).toEqual([200, 'application/smil+xml', 0])
  const got = await send(`${path}/index.smil`)
  expect([got.headers.etag, got.headers['content-length']]).toEqual([head.headers.etag, head.headers['content-length']])
  expect(Date.parse(String(got.headers['last-modified']))).toBeGreaterThan(Date.now() - 60_000)
  const tag = String(got.headers.etag)
  for (const sent of [tag, tag.replaceAll('"', '')])
    expect((await send(`${path}/index.smil`, 'GET', { 'if-none-match': sent })).status).toBe(304)
  const xml = got.body.toString()
  const today = formatLocalDay(Date.now(), 'Asia/Shanghai')
  expect(xml).toContain('<meta http-equiv="Refresh" content="60"/>')
  expect(xml).toContain(`<seq begin="wallclock(${today}T00:00:00)"`)
  expect(xml).toContain(`<action>${oms.origin}${path}/log</action>`)
  expect(xml).toContain(`<img src="${oms.origin}${path}/m/${one.sha256}.png" region="main" dur="15s" fit="meet">`)
  expect(xml).toContain(`<param name="logContentId" value="${programId}:1:1:${one.id}:1"/>`)
  expect(xml).not.toMatch(/wallclock\([^)]*(?:Z|\+|R|P)/)
  // A cycle of one item is cut to that item; 14 days have one segment each.
  expect(xml.match(/<seq /g)).toHaveLength(15)
  expect(xml.match(/<img /g)).toHaveLength(15)
})

test('AD-09 the SMIL sequence has the exact shares of the programs, and an element for each kind of ad', async () => {
  const { id, path } = await screen()
  const base = await ad()
  const share = await ad({ type: 2, mime: 'video/mp4' })
  await program({ ads: [base.id], targetType: 1, targetIds: [id] })
  await program({ ads: [share.id], targetType: 1, targetIds: [id], body: { share: 20 } })
  const xml = (await send(`${path}/index.smil`)).body.toString()
  const [first = ''] = /<seq [\s\S]*?<\/seq>/.exec(xml) ?? []
  const images = first.match(/<img /g)?.length ?? 0
  const videos = first.match(new RegExp(`<video src="[^"]*${share.sha256}\\.mp4"`, 'g'))?.length ?? 0
  expect(images).toBe(videos * 4)
})

test("AD-09 media files are sent inline with ranges, and only files of the screen's own manifest", async () => {
  const { id, path } = await screen()
  const own = await ad({ bytes: Buffer.from('x'.repeat(5000)), type: 2, mime: 'video/mp4' })
  const other = await ad()
  await program({ ads: [own.id], targetType: 1, targetIds: [id] })
  const whole = await send(`${path}/m/${own.sha256}.mp4`)
  expect([whole.status, whole.headers['content-type'], whole.headers['content-disposition']]).toEqual([
    200,
    'video/mp4',
    'inline',
  ])
  expect((await send(`${path}/m/${own.sha256}.mp4`, 'HEAD')).headers['content-length']).toBe('5000')
  const rest = await send(`${path}/m/${own.sha256}.mp4`, 'GET', { range: 'bytes=4990-' })
  expect([rest.status, rest.body.length]).toEqual([206, 10])
  expect(Date.parse(String(whole.headers['last-modified']))).toBeLessThan(Date.parse('2026-01-01'))
  for (const tag of [own.sha256, `"${own.sha256}"`]) {
    expect((await send(`${path}/m/${own.sha256}.mp4`, 'GET', { 'if-none-match': tag })).status).toBe(304)
    const resumed = await send(`${path}/m/${own.sha256}.mp4`, 'GET', { range: 'bytes=4990-', 'if-range': tag })
    expect([resumed.status, resumed.body.length]).toEqual([206, 10])
  }
  const page = await ad({ type: 6, mime: 'text/html', bytes: Buffer.from('<p>page</p>') })
  await program({ ads: [page.id], targetType: 1, targetIds: [id] })
  // A file has one name. A page of a package is never sent as a page of this server.
  const others = [`${other.sha256}.png`, `${own.sha256}.wgt`, `${own.sha256}.png`, `${page.sha256}.bin`]
  for (const name of [...others, 'text-1-1.wgt', `${page.sha256}.html`, ''])
    for (const method of ['GET', 'HEAD'])
      expect([name, method, (await send(`${path}/m/${name}`, method)).status]).toEqual([name, method, 404])
  for (const name of ['other.smil', 'index.smil/x', '', 'm'])
    for (const method of ['GET', 'HEAD'])
      expect([name, method, (await send(`${path}/${name}`, method)).status]).toEqual([name, method, 404])
  expect((await send(`${path}/m/..%2f..%2fx`)).status).toBe(404)
})

test('AD-09 text ads and HTML packages are sent as widgets', async () => {
  const { id, path } = await screen()
  const page = await ad({ type: 6, mime: 'text/html', bytes: Buffer.from('<p>page</p>') })
  const text = await ad({ type: 4 })
  const words = {
    content: '你好 <b>',
    fontSize: 80,
    color: '#ffffff',
    background: '#000000',
    align: 'center',
    scroll: false,
    speed: 5,
  }
  await oms.query(`update ad_versions set body = body || $2 where ad_id = $1`, [
    text.id,
    JSON.stringify({ text: words, files: [] }),
  ])
  await program({ ads: [page.id, text.id], targetType: 1, targetIds: [id] })
  const xml = (await send(`${path}/index.smil`)).body.toString()
  const widgets = [...xml.matchAll(/<ref src="([^"]+)" type="application\/widget"/g)].map(([, source]) => source!)
  expect(new Set(widgets).size).toBe(2)
  for (const source of new Set(widgets)) {
    const widget = await send(source)
    expect([widget.status, widget.headers['content-type']]).toEqual([200, 'application/widget'])
    expect(widget.body.subarray(0, 4).toString('latin1')).toBe('PK\u0003\u0004')
    expect((await send(source, 'HEAD')).headers['content-length']).toBe(String(widget.body.length))
    const content = widget.body.toString()
    expect(content.includes('<p>page</p>') || content.includes('你好 &lt;b&gt;')).toBe(true)
    expect(content).toContain('config.xml')
  }
})

test('AD-09 a package is streamed within the limits of downloads, and HEAD reads no file', async () => {
  const { id, path } = await screen()
  const bytes = Buffer.alloc(300_000, '<p>page</p>')
  const page = await ad({ type: 6, mime: 'text/html', bytes })
  await program({ ads: [page.id], targetType: 1, targetIds: [id] })
  const { files } = oms.services
  const original = files.openRead.bind(files)
  const reads: unknown[] = []
  files.openRead = (sha256, range) => {
    reads.push(range)
    return original(sha256, range)
  }
  const medium = `${path}/m/${page.sha256}.wgt`
  const { media } = oms.side
  try {
    const head = await send(medium, 'HEAD')
    expect([head.status, reads]).toEqual([200, []])
    const whole = (await send(medium)).body
    expect(Number(head.headers['content-length'])).toBe(whole.length)
    expect(whole.equals(createTextWidget(bytes))).toBe(true)
    const size = whole.length
    for (const [start, end] of [
      [0, 10],
      [100, 200_000],
      [size - 30, size - 1],
      [150_000, 150_000],
      [5, size - 5],
    ]) {
      const part = await send(medium, 'GET', { range: `bytes=${start}-${end}` })
      expect([part.status, part.body.equals(whole.subarray(start, end! + 1))]).toEqual([206, true])
    }
    expect(reads.filter((range) => range === undefined)).toHaveLength(1)
    const stored = await files.stat(page.sha256)
    expect(stored).not.toBeNull()
    await files.remove(page.sha256)
    for (const method of ['GET', 'HEAD']) {
      const missing = await send(medium, method)
      expect([method, missing.status, missing.headers['retry-after']]).toEqual([method, 503, '300'])
    }
    for (let n = 0; n < 200; n++) media.begin()
    const full = await send(medium)
    expect([full.status, Number(full.headers['retry-after']) > 0]).toEqual([503, true])
  } finally {
    files.openRead = original
    while ((await send(medium)).status === 503) media.end()
  }
})

const log = (plays: readonly { id: string; start: string; end: string }[]) =>
  `<?xml version="1.0" encoding="UTF-8"?><report xmlns="http://schemas.garlic-player.com/gapi-1.0"><player id="x"><contentPlayLog>${plays
    .map(
      ({ id, start, end }) =>
        `<contentPlayed><contentId>${id}</contentId><startTime>${start}</startTime><endTime>${end}</endTime></contentPlayed>`,
    )
    .join('')}</contentPlayLog></player></report>`
const iso = (ms: number) => new Date(ms).toISOString().replace(/\.\d+/, '')
const start = Math.floor(Date.now() / 1000) * 1000 - 3_600_000
const playOf = (id: string) => (at: number) => ({ id, start: iso(at), end: iso(at + 15_000) })

test('AD-09 the plays of a log are stored once, also when the log is sent again with another name', async () => {
  const { id, path } = await screen()
  const one = await ad()
  const programId = await program({ ads: [one.id], targetType: 1, targetIds: [id] })
  const content = `${programId}:1:1:${one.id}:1`
  const put = (body: string, name = `playlog-${randomUUID()}.xml`) => send(`${path}/log/${name}`, 'PUT', {}, body)
  expect((await put(log([]))).status).toBe(201)
  const plays = [0, 15, 30].map((after) => ({
    id: content,
    start: iso(start + after * 1000),
    end: iso(start + (after + (after === 30 ? 5 : 15)) * 1000),
  }))
  const body = log([...plays, { id: 'something else', start: iso(start), end: iso(start) }])
  expect((await put(body)).status).toBe(201)
  expect((await put(body)).status).toBe(201)
  const rows = await oms.query('select result, clock, ms from ad_plays where device_id = $1 order by start_ms', [id])
  expect(rows).toEqual([
    { result: 1, clock: 1, ms: 15_000 },
    { result: 1, clock: 1, ms: 15_000 },
    { result: 2, clock: 1, ms: 5000 },
  ])
  expect(await oms.query('select reason from ad_rejects where device_id = $1', [id])).toEqual([{ reason: 'invalid' }])
})

test('AD-09 plays with wrong times are rejected and the log is accepted', async () => {
  const { id, path } = await screen()
  const one = await ad()
  const programId = await program({ ads: [one.id], targetType: 1, targetIds: [id] })
  const playAt = playOf(`${programId}:1:1:${one.id}:1`)
  const years = 5 * 365 * 86_400_000
  const plays = [playAt(0), playAt(start - years), playAt(start), playAt(start + years), { ...playAt(start), end: '' }]
  expect((await send(`${path}/log/playlog-x.xml`, 'PUT', {}, log(plays))).status).toBe(201)
  const rows = await oms.query('select start_ms::float8 as at from ad_plays where device_id = $1 order by 1', [id])
  expect(rows.map(({ at }: { at: number }) => at - start)).toEqual([0])
  expect(await oms.query('select reason, n from ad_rejects where device_id = $1 order by 1', [id])).toEqual([
    { reason: 'future', n: 1 },
    { reason: 'invalid', n: 1 },
    { reason: 'too_old', n: 2 },
  ])
})

test('AD-09 a truncated log returns 400, so that the player keeps the log, and its complete plays are stored once', async () => {
  const { id, path } = await screen()
  const one = await ad()
  const programId = await program({ ads: [one.id], targetType: 1, targetIds: [id] })
  const playAt = playOf(`${programId}:1:1:${one.id}:1`)
  const put = async (body: string) => (await send(`${path}/log/playlog-x.xml`, 'PUT', {}, body)).status
  const whole = log([playAt(start), playAt(start + 20_000), playAt(start + 40_000)])
  const last = whole.lastIndexOf('<contentPlayed>')
  for (const end of [last + 30, last + 95, whole.lastIndexOf('</contentPlayed>') + 5, whole.length - 4])
    expect([end, await put(whole.slice(0, end))]).toEqual([end, 400])
  expect(await put(whole)).toBe(201)
  const rows = await oms.query('select start_ms::float8 as at from ad_plays where device_id = $1 order by 1', [id])
  expect(rows.map(({ at }: { at: number }) => at - start)).toEqual([0, 20_000, 40_000])
})

test('AD-09 a body that is not a log, is too long or has too many plays is refused, and logs have a lower rate limit', async () => {
  const { path } = await screen()
  const put = async (body: string) => (await send(`${path}/log/playlog-x.xml`, 'PUT', {}, body)).status
  const many = '<contentPlayed></contentPlayed>'.repeat(10_001)
  const entity = '<!DOCTYPE a [<!ENTITY b "c">]><report>&b;</report>'
  for (const body of ['', '{}', '<html></html>', entity, `<report>${many}</report>`])
    expect([body.slice(0, 20), await put(body)]).toEqual([body.slice(0, 20), 400])
  expect(await put(`<report>${'x'.repeat(1_400_000)}</report>`)).toBe(413)
  expect((await send(`${path}/log`, 'GET')).status).toBe(405)
  const statuses = await Promise.all(Array.from({ length: 20 }, () => put(log([]))))
  expect([...new Set(statuses)].sort()).toEqual([201, 429])
})

test('AD-09 the key in the URL is the credential; another player with the key is served and recorded', async () => {
  const { id, path } = await screen()
  expect((await send('/device/v1/ad/smil/aaaaaaaaaaaaaaaaaaaaaaaazz/index.smil')).status).toBe(404)
  expect((await send(`${path}/index.smil`)).status).toBe(200)
  await expect.poll(async () => (await row(id)).smil_uuid).toContain('6b2b1f0e')
  expect((await row(id)).smil_replaced).toBe(0)
  expect((await send(`${path}/index.smil`, 'GET', { 'user-agent': IADEA })).status).toBe(200)
  await expect.poll(async () => (await row(id)).smil_replaced).toBe(1)
  await oms.services.adDelivery.status.flush(true)
  expect(await row(id)).toMatchObject({ player_kind: 3 })
  expect((await row(id)).last_report_time).not.toBeNull()
  await oms.query('update devices set status = 0 where id = $1', [id])
  await oms.sync()
  expect((await send(`${path}/index.smil`)).status).toBe(401)
})

test('AD-12 the agenda lists the slots that the manifest of the screen plays', async () => {
  const { id, sn } = await oms.device()
  const [one, two] = [await ad(), await ad()]
  const programId = await program({ ads: [one.id, two.id], targetType: 1, targetIds: [id] })
  const from = Date.parse('2027-01-10T04:00:00Z')
  const ask = (query: string) =>
    oms.send(`/device/v1/ad/agenda/${sn}?${query}`, {
      token: null,
      headers: { authorization: 'Bearer token-of-one-device-0123456789ab' },
    })
  const agenda = (await ask(`from=${from}&hours=1`)).json()
  expect(agenda.slots).toHaveLength(240)
  const ids = { programId, ver: 1, itemId: 1, adId: one.id, adVer: 1, type: 1 }
  expect(agenda.slots[0]).toEqual({ start: from, ms: 15_000, ...ids, file: one.sha256, mime: 'image/png', size: 2000 })
  expect(agenda.ads.map((each: { id: number }) => each.id)).toEqual([one.id, two.id])
  for (const wrong of ['from=x', 'hours=0', 'hours=49', 'from=-1', 'from=', 'from=1e3', 'hours=0x10', 'hours=1.5'])
    expect((await ask(wrong)).status).toBe(400)
})
