import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { computeDeliveryState, DELIVERY_STATE } from '../../screens/screen-states.ts'
import { useAds } from '#test/fixtures/ad-fixture.ts'
import { deviceLab } from '#test/fixtures/device-fixture.ts'

const oms = deviceLab()
const { ad, program } = useAds(oms)
const agentOf = (uuid: string) => `GAPI/1.0 (UUID:${uuid}; NAME:hall) garlic-linux/v0.6.0 (MODEL:Garlic)`
const FIRST = agentOf('6b2b1f0e-9c1d-4f7f-8a53-2d9a1f3c4e5d')
let made = 0

/** Creates a screen with a SMIL address. */
async function screen() {
  const device = await oms.device()
  const key = `bbbbbbbbbbbbbbbbbbbbbbbbb${'abcdefghijklmnop'[made++]}`
  await oms.query(`insert into ad_screens (device_id, tenant_id, player_kind, smil_key_hash) values ($1, 1, 3, $2)`, [
    device.id,
    createHash('sha256').update(key).digest('hex'),
  ])
  await oms.sync()
  return { ...device, path: `/device/v1/ad/smil/${key}` }
}
type Screen = Awaited<ReturnType<typeof screen>>

const send = (path: string, method = 'GET', headers: Record<string, string> = {}, body?: string) =>
  oms.send(path, {
    method,
    token: null,
    headers: { 'user-agent': FIRST, ...headers },
    ...(body !== undefined && { body }),
  })
test('AD-09 a player of another origin may load the index and media and send logs', async () => {
  const { id, path } = await screen()
  const one = await ad()
  await program({ ads: [one.id], targetType: 1, targetIds: [id] })
  const origin = { origin: 'https://player.example' }
  const foreign = { 'access-control-allow-origin': '*', 'cross-origin-resource-policy': 'cross-origin' }
  for (const file of ['index.smil', `m/${one.sha256}.png`, 'm/missing.png']) {
    const { headers } = await send(`${path}/${file}`, 'GET', origin)
    expect([file, headers]).toMatchObject([file, foreign])
  }
  const asked = { ...origin, 'access-control-request-method': 'PUT', 'access-control-request-headers': 'content-type' }
  const preflight = await send(`${path}/log/playlog-x.xml`, 'OPTIONS', asked)
  expect(preflight.status).toBe(204)
  expect(preflight.headers['access-control-allow-methods']).toContain('PUT')
  expect(preflight.headers['access-control-allow-headers']).toContain('content-type')
  const { headers } = await send(`${path}/index.smil`)
  const since = { 'if-modified-since': String(headers['last-modified']) }
  expect((await send(`${path}/index.smil`, 'GET', since)).status).toBe(304)
})

const indexOf = async ({ path }: Screen) => (await send(`${path}/index.smil`)).body.toString()
const row = async (id: number) => (await oms.query('select * from ad_screens where device_id = $1', [id]))[0]

/** Flushes the waiting reports and returns the state with the numbers of files, such as `listed 1/2`. */
async function stateOf({ id }: Screen) {
  const { status, index } = oms.services.adDelivery
  await status.flush(true)
  const stored = await row(id)
  const { etag } = index.manifestOf(oms.services.fleet.slots.slotOf(id))
  const facts = {
    playerKind: stored.player_kind,
    appliedEtag: stored.applied_etag,
    etag,
    readyFiles: stored.ready_files,
    totalFiles: stored.total_files,
    failed: stored.failed,
    lastReportMs: Date.parse(stored.last_report_time),
  }
  const state = computeDeliveryState(facts, Date.now(), 60)
  const [name = ''] = Object.entries(DELIVERY_STATE).find(([, code]) => code === state) ?? []
  return `${name} ${stored.ready_files}/${stored.total_files}`
}

/** Adds a file of another size to an ad. */
async function addRendition(adId: number, width: number, height: number) {
  const sha256 = createHash('sha256').update(`${adId} ${width} ${height}`).digest('hex')
  const file = { materialId: 900_000 + adId, sha256, size: 9, mime: 'image/png', width, height, codec: '', chunks: [] }
  await oms.query(
    `update ad_versions set body = jsonb_set(body, '{files}', (body->'files') || $2::jsonb) where ad_id = $1`,
    [adId, JSON.stringify([file])],
  )
  return sha256
}

test('AD-09 the SMIL index has the size of its screen and the files for the orientation of the screen', async () => {
  const upright = await screen()
  const wide = await screen()
  const one = await ad()
  const portrait = await addRendition(one.id, 1080, 1920)
  await program({ ads: [one.id], targetType: 1, targetIds: [upright.id, wide.id] })
  await oms.query('update ad_screens set width = 1080, height = 1920 where device_id = $1', [upright.id])
  await oms.sync()
  const landscape = await indexOf(wide)
  expect(landscape).toContain('<root-layout width="1920" height="1080"')
  expect(landscape).toContain(`/m/${one.sha256}.png`)
  expect(landscape).not.toContain(portrait)
  const turned = await indexOf(upright)
  expect(turned).toContain('<root-layout width="1080" height="1920"')
  expect(turned).toContain(`/m/${portrait}.png`)
  expect(turned).not.toContain(one.sha256)
  await oms.query('update ad_screens set width = 0, height = 0 where device_id = $1', [upright.id])
  await oms.sync()
  expect(await indexOf(upright)).toContain(`/m/${one.sha256}.png`)
})

test('AD-09 videos and sounds of the SMIL index have the volume of the screen', async () => {
  const quiet = await screen()
  const image = await ad()
  const video = await ad({ type: 2, mime: 'video/mp4' })
  const sound = await ad({ type: 3, mime: 'audio/mpeg' })
  await program({ ads: [image.id, video.id, sound.id], targetType: 1, targetIds: [quiet.id] })
  expect(await indexOf(quiet)).toContain('soundLevel="100%"')
  await oms.query('update ad_screens set volume = 35 where device_id = $1', [quiet.id])
  await oms.sync()
  const xml = await indexOf(quiet)
  const levelsOf = (tag: string) =>
    new Set([...xml.matchAll(new RegExp(`<${tag} [^>]*>`, 'g'))].map(([each]) => /soundLevel="(\d+%)"/.exec(each)?.[1]))
  expect([levelsOf('video'), levelsOf('audio'), levelsOf('img')]).toEqual([
    new Set(['35%']),
    new Set(['35%']),
    new Set([undefined]),
  ])
})

test('AD-05 a SMIL screen is ready when its player downloaded, confirmed or played every file of the index', async () => {
  const hall = await screen()
  const ads = [await ad({ bytes: Buffer.alloc(5000, 'x') }), await ad(), await ad(), await ad()]
  const [first, second, third, fourth] = ads.map(({ sha256 }) => `${hall.path}/m/${sha256}.png`) as [
    string,
    string,
    string,
    string,
  ]
  const programId = await program({ ads: ads.map(({ id }) => id), targetType: 1, targetIds: [hall.id] })
  await indexOf(hall)
  await expect.poll(() => stateOf(hall)).toBe('listed 0/4')
  // A HEAD request and the first bytes of a file do not prove that the player has the file.
  await send(first, 'HEAD')
  await send(first, 'GET', { range: 'bytes=0-9' })
  await expect.poll(() => stateOf(hall)).toBe('listed 0/4')
  await send(first, 'GET', { range: 'bytes=10-' })
  await expect.poll(() => stateOf(hall)).toBe('listed 1/4')
  await send(second)
  await send(second)
  await send(third, 'HEAD', { 'if-none-match': ads[2]!.sha256 })
  await expect.poll(() => stateOf(hall)).toBe('listed 3/4')
  const start = new Date(Date.now() - 3_600_000).toISOString().replace(/\.\d+/, '')
  const end = new Date(Date.now() - 3_585_000).toISOString().replace(/\.\d+/, '')
  const play = (content: string) =>
    `<report><contentPlayLog><contentPlayed><contentId>${content}</contentId><startTime>${start}</startTime><endTime>${end}</endTime></contentPlayed></contentPlayLog></report>`
  const put = (content: string) => send(`${hall.path}/log/playlog-x.xml`, 'PUT', {}, play(content))
  // A play of an unknown version is refused and does not count as a file of the player.
  await put(`${programId}:7:4:${ads[3]!.id}:1`)
  await expect.poll(() => stateOf(hall)).toBe('listed 3/4')
  await put(`${programId}:1:4:${ads[3]!.id}:1`)
  await expect.poll(() => stateOf(hall)).toBe('ready 4/4')
  expect(fourth).toContain(ads[3]!.sha256)
})

test('AD-05 after a new program, a SMIL screen waits until its player requests the index, and lacks only the new files', async () => {
  const hall = await screen()
  const [old, fresh] = [await ad(), await ad({ type: 4 })]
  const programId = await program({ ads: [old.id], targetType: 1, targetIds: [hall.id] })
  await indexOf(hall)
  await send(`${hall.path}/m/${old.sha256}.png`)
  await expect.poll(() => stateOf(hall)).toBe('ready 1/1')
  const words = {
    content: '你好',
    fontSize: 80,
    color: '#ffffff',
    background: '#000000',
    align: 'center',
    scroll: false,
  }
  await oms.query(`update ad_versions set body = body || $2 where ad_id = $1`, [
    fresh.id,
    JSON.stringify({ text: { ...words, speed: 5 }, files: [] }),
  ])
  await program({ ads: [fresh.id], targetType: 1, targetIds: [hall.id] })
  await expect.poll(() => stateOf(hall)).toMatch(/^waiting/)
  await indexOf(hall)
  await expect.poll(() => stateOf(hall)).toBe('listed 1/2')
  await send(`${hall.path}/m/text-${fresh.id}-1.wgt`)
  await expect.poll(() => stateOf(hall)).toBe('ready 2/2')
  await oms.query('update ad_programs set status = 4 where id = $1', [programId])
  await oms.sync()
  await indexOf(hall)
  await expect.poll(() => stateOf(hall)).toBe('ready 1/1')
  expect((await row(hall.id)).held_media).toEqual([`text-${fresh.id}-1`])
})

test('AD-05 the files of a replaced SMIL player do not count for the new player', async () => {
  const hall = await screen()
  const one = await ad()
  await program({ ads: [one.id], targetType: 1, targetIds: [hall.id] })
  await indexOf(hall)
  await expect.poll(async () => (await row(hall.id)).smil_uuid).not.toBe('')
  await send(`${hall.path}/m/${one.sha256}.png`)
  await expect.poll(() => stateOf(hall)).toBe('ready 1/1')
  await send(`${hall.path}/index.smil`, 'GET', { 'user-agent': agentOf('aaaaaaaa-0000-4f7f-8a53-2d9a1f3c4e5d') })
  await expect.poll(async () => (await row(hall.id)).smil_replaced).toBe(1)
  await expect.poll(() => stateOf(hall)).toBe('listed 0/1')
  await send(`${hall.path}/m/${one.sha256}.png`)
  await expect.poll(() => stateOf(hall)).toBe('ready 1/1')
  await send(`${hall.path}/index.smil`, 'GET', { 'user-agent': agentOf('bbbbbbbb-0000-4f7f-8a53-2d9a1f3c4e5d') })
  await expect.poll(() => stateOf(hall), { message: 'a third player' }).toBe('listed 0/1')
})

test('AD-07 a report that waits while the screen is unpaired does not create the screen again', async () => {
  const hall = await screen()
  await indexOf(hall)
  await oms.services.adDelivery.status.flush(true)
  await indexOf(hall)
  await oms.query('delete from ad_screens where device_id = $1', [hall.id])
  await oms.services.adDelivery.status.flush(true)
  expect(await row(hall.id)).toBeUndefined()
})
