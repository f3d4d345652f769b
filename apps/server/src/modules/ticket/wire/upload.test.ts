import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { deviceLab } from '#test/fixtures/device-fixture.ts'
import { createPermit } from './upload-permit.ts'

const oms = deviceLab()
const MIB = 1024 * 1024
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
)
/** A picture as large as the specification allows: bytes after the end of a PNG are ignored. */
const photo = Buffer.concat([PNG, randomBytes(5 * MIB - 1 - PNG.length)])

const bearer = (permit: string) => ({ authorization: `Bearer ${permit}` })
const put = (permit: string, path: string, body: Buffer | string, url = oms.origin) =>
  fetch(`${url}/device/v1/uploads/${path}`, {
    method: 'PUT',
    headers: bearer(permit),
    body: typeof body === 'string' ? body : new Uint8Array(body),
  })
const permitFor = async (sn: string) => {
  const reply = await oms.plain('upload-permit', { sn })
  expect(reply.status, reply.body.toString()).toBe(200)
  return reply.json().permit as string
}
const report = (sn: string, files: object[]) => oms.plain('ticket', { sn, problemType: 1, content: '画面花屏', files })
const used = async (ids: string[]) =>
  (await oms.query('select count(*)::int as n from files where id = any($1) and used_time is not null', [ids]))[0].n

test('a device uploads five files of 5 MB with a permit and creates a ticket with them', async () => {
  const { sn, id } = await oms.device()
  const { json } = await oms.plain('upload-permit', { sn })
  expect(json()).toMatchObject({ url: `${oms.origin}/device/v1/uploads/`, maxFiles: 5, maxBytes: 5 * MIB - 1 })
  const { permit, expires } = json()
  expect(Date.parse(expires) - Date.now()).toBeLessThanOrEqual(10 * 60_000)
  const ids: string[] = []
  for (const [at, name] of ['1.png', '2.png', '3.PNG', '4.png'].entries()) {
    const reply = await put(permit, `${at + 1}/${name}`, photo)
    expect(reply.status).toBe(200)
    const body = (await reply.json()) as { id: string; size: number }
    expect(body).toMatchObject({ name, size: photo.length, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) })
    ids.push(body.id)
  }
  const log = await put(permit, `5/${encodeURIComponent('启动.txt')}`, 'boot failed')
  ids.push(((await log.json()) as { id: string }).id)
  // As after a lost response: the same file is accepted again and stored once.
  expect((await put(permit, '5/boot.txt', 'boot failed')).status).toBe(200)
  const reply = await report(
    sn,
    ids.map((each) => ({ id: each })),
  )
  expect([reply.status, reply.json()]).toEqual([200, { feedbackNo: expect.stringMatching(/^FB\d+$/) }])
  const stored = await oms.query(
    `select f.name, f.size::int as size, tf.kind from ticket_files tf join files f on f.id = tf.file_id
     join tickets t on t.id = tf.ticket_id where t.device_id = $1 order by f.name`,
    [id],
  )
  expect(stored.map(({ size }) => size).toSorted((a, b) => a - b)).toEqual([11, ...Array(4).fill(photo.length)])
  expect(stored.filter(({ kind }) => kind === 1)).toMatchObject([{ name: '启动.txt' }])
  expect(await used(ids)).toBe(5)
  expect((await report(sn, [{ id: ids[0] }])).status).toBe(400)
}, 60_000)

test('a wrong, expired or foreign upload permit is refused, also after the device was disabled or moved', async () => {
  const { sn, id } = await oms.device()
  const permit = await permitFor(sn)
  const key = oms.services.config.secretKey
  const own = { deviceId: id, tenantId: 1 }
  const bad = [
    '',
    'x',
    `${permit}x`,
    permit.replace(/^\d+/, String(id + 1)),
    createPermit(key, own, Date.now() - 10 * 60_000).permit,
    createPermit(randomBytes(32), own, Date.now()).permit,
    createPermit(key, { deviceId: 999_999, tenantId: 1 }, Date.now()).permit,
    createPermit(key, { deviceId: id, tenantId: 7 }, Date.now()).permit,
  ]
  for (const each of bad) expect((await put(each, '1/a.txt', 'text')).status, each).toBe(401)
  await oms.query('update devices set status = 0 where id = $1', [id])
  await oms.sync()
  expect((await put(permit, '1/a.txt', 'text')).status).toBe(401)
  expect((await oms.plain('upload-permit', { sn: 'NOBODY' })).status).toBe(401)
})

test('files with an invalid name, type, size or position are refused and leave no row', async () => {
  const { sn } = await oms.device()
  const permit = await permitFor(sn)
  const cases: [string, Buffer | string, number][] = [
    ['0/a.txt', 'x', 404],
    ['6/a.txt', 'x', 400],
    ['1', 'x', 404],
    ['1/a/b.txt', 'x', 404],
    ['1/a.exe', 'x', 400],
    ['1/a.png', 'no picture', 400],
    ['1/a%2Cb.txt', 'x', 400],
    [`1/${'a'.repeat(300)}.txt`, 'x', 400],
    ['1/%E0%A4.txt', 'x', 400],
    ['1/a.txt', '', 400],
    ['1/a.png', Buffer.concat([photo, Buffer.alloc(1)]), 413],
    [`1/..%2F..%2Fetc%2Fpasswd`, 'x', 400],
  ]
  const count = async () => (await oms.query('select count(*)::int as n from files'))[0].n
  const before = await count()
  for (const [path, body, status] of cases) expect((await put(permit, path, body)).status, path).toBe(status)
  const chunked = await oms.send('/device/v1/uploads/1/a.png', {
    method: 'PUT',
    token: null,
    headers: { ...bearer(permit), 'transfer-encoding': 'chunked' },
    body: PNG.toString('latin1') + 'x'.repeat(5 * MIB),
  })
  expect(chunked.status).toBe(413)
  expect((await fetch(`${oms.origin}/device/v1/uploads/1/a.txt`, { headers: bearer(permit) })).status).toBe(405)
  expect(await count()).toBe(before)
})

test('a device may have one file per position and twenty unused files; files of another device are refused', async () => {
  const { sn } = await oms.device()
  const other = await oms.device()
  const twin = await oms.another()
  const permit = await permitFor(sn)
  const first = ((await (await put(permit, '1/a.txt', 'one')).json()) as { id: string }).id
  expect((await put(permit, '1/a.txt', 'two', twin.origin)).status).toBe(409)
  expect((await report(other.sn, [{ id: first }])).status).toBe(400)
  expect((await report(sn, [{ id: first.replace(/.$/, (end) => (end === '0' ? '1' : '0')) }])).status).toBe(400)
  expect((await report(sn, [{ id: `' or 1=1` }])).status).toBe(400)
  const permits = [permit]
  for (let n = 0; n < 4; n += 1) permits.push(await permitFor(sn))
  const statuses: number[] = []
  for (const each of permits)
    for (const at of [2, 3, 4, 5]) statuses.push((await put(each, `${at}/a.txt`, `file ${at} ${each}`)).status)
  expect([statuses.filter((status) => status === 200).length, statuses.at(-1)]).toEqual([19, 409])
  expect((await oms.plain('upload-permit', { sn })).status).toBe(409)
  expect((await report(sn, [{ id: first }])).status).toBe(200)
  expect((await oms.plain('upload-permit', { sn })).status).toBe(200)
  expect((await oms.plain('upload-permit', { sn: other.sn })).status).toBe(200)
}, 60_000)
