import { createHash, randomBytes } from 'node:crypto'
import { eq, sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { files } from '#core/schema/system.ts'
import { type Caller, useApp } from '#test/harness.ts'
import { sweepFiles } from './file.ts'

const app = useApp()
const MIB = 1024 * 1024
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const PDF = Buffer.from('%PDF-1.4\n%test\n')

/** Returns a multipart body as browsers send it. */
function form(name: string, content: Buffer, fields: Record<string, string> = {}) {
  const boundary = '----oms-test-boundary'
  const texts = Object.entries(fields).map(
    ([key, value]) => `--${boundary}\r\ncontent-disposition: form-data; name="${key}"\r\n\r\n${value}\r\n`,
  )
  const head = `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="${name}"\r\ncontent-type: application/octet-stream\r\n\r\n`
  const payload = Buffer.concat([Buffer.from(texts.join('') + head), content, Buffer.from(`\r\n--${boundary}--\r\n`)])
  return { payload, headers: { 'content-type': `multipart/form-data; boundary=${boundary}` } }
}
const send = async (who: Caller, name: string, content: Buffer, purpose = 'file') =>
  (await who.inject({ method: 'POST', url: '/api/v1/file/upload', ...form(name, content, { purpose }) })).json()

describe('upload', () => {
  test('UPLOAD-06 the response contains the URL in msg and data.url, and the URL returns the bytes', async () => {
    const me = await app.as()
    const { code, msg, data } = await send(me, '手册.pdf', PDF)
    expect(code).toBe(200)
    expect(msg).toBe(data.url)
    expect(data).toMatchObject({ name: '手册.pdf', size: PDF.length, md5: createHash('md5').update(PDF).digest('hex') })
    const reply = await me.inject({ url: data.url })
    expect(reply.rawPayload.equals(PDF)).toBe(true)
    expect(reply.headers['content-disposition']).toMatch(/^attachment/)
    expect(reply.headers['x-content-type-options']).toBe('nosniff')
  })

  test('an upload without a purpose stores a picture as avatar and any other file as document', async () => {
    const me = await app.as()
    const alone = async (name: string, content: Buffer) =>
      (await me.inject({ method: 'POST', url: '/api/v1/file/upload', ...form(name, content) })).json()
    const avatar = await alone('头像.png', PNG)
    expect(avatar).toMatchObject({ code: 200, msg: expect.stringMatching(/^\/api\/v1\/file\/[0-9a-f]{32}$/) })
    const saved = await me.call('POST', `/api/v1/account/modify/${me.uid}`, { realname: '头像', avatar: avatar.msg })
    expect(saved).toMatchObject({ code: 200 })
    expect((await alone('手册.pdf', PDF)).code).toBe(200)
  })

  test('UPLOAD-06 DOWNLOAD-01 upload and download accept a bearer token in place of the ticket', async () => {
    const me = await app.as()
    const { payload, headers } = form('a.txt', Buffer.from('文本'))
    const bearer = { authorization: `Bearer ${me.ticket}` }
    const reply = await app
      .stranger()
      .inject({ method: 'POST', url: '/api/v1/file/upload', payload, headers: { ...headers, ...bearer } })
    expect(reply.json()).toMatchObject({
      code: 200,
      data: { url: expect.stringMatching(/^\/api\/v1\/file\/[0-9a-f]{32}$/) },
    })
    expect((await app.stranger().inject({ url: reply.json().data.url, headers: bearer })).body).toBe('文本')
    expect((await app.stranger().inject({ url: reply.json().data.url })).json().code).toBe(401)
  })

  test('UPLOAD-01 UPLOAD-02 UPLOAD-03 UPLOAD-04 the server refuses invalid files with the messages of the form', async () => {
    const me = await app.as()
    const refused = async (name: string, content: Buffer, purpose?: string) =>
      (await send(me, name, content, purpose)).msg
    expect(await refused('a.exe', PDF)).toBe('文件格式不正确，请上传doc/docx/xls/xlsx/ppt/pptx/txt/pdf格式文件!')
    expect(await refused('a,b.pdf', PDF)).toBe('文件名不正确，不能包含英文逗号!')
    expect(await refused('big.pdf', Buffer.concat([PDF, Buffer.alloc(5 * MIB)]))).toBe('上传文件大小不能超过 5 MB!')
    expect(await refused('a.gif', PNG, 'image')).toBe('文件格式不正确，请上传png/jpg/jpeg格式文件!')
    expect(await refused('b,c.png', PNG, 'image')).toBe('文件名不正确，不能包含英文逗号!')
  })

  test('UPLOAD-07 a web page named picture.png is refused', async () => {
    const me = await app.as()
    expect(await send(me, 'picture.png', Buffer.from('<html><script>alert(1)</script>'), 'image')).toMatchObject({
      code: 400,
    })
    expect(await send(me, 'picture.png', PNG, 'image')).toMatchObject({ code: 200 })
  })

  test('ACCOUNT-04 an avatar must be JPG or PNG under 2 MB and belong to the account', async () => {
    const me = await app.as()
    expect((await send(me, 'me.gif', PNG, 'avatar')).msg).toBe('上传头像图片只能是 JPG,JEPG,PNG 格式!')
    const large = Buffer.concat([PNG, Buffer.alloc(2 * MIB)])
    expect((await send(me, 'me.png', large, 'avatar')).msg).toBe('上传头像图片大小不能超过 2MB!')
    const { data } = await send(me, 'me.png', PNG, 'avatar')
    const url = `/api/v1/account/modify/${me.uid}`
    expect((await me.call('POST', url, { realname: '甲', avatar: data.url })).code).toBe(200)
    expect((await me.call('POST', url, { realname: '甲', avatar: 'https://elsewhere/x.png' })).data.field).toBe(
      'avatar',
    )
    const other = await app.as()
    expect(
      (await other.call('POST', `/api/v1/account/modify/${other.uid}`, { realname: '乙', avatar: data.url })).data
        .field,
    ).toBe('avatar')
  })

  test("uploading a component requires its permission, and tenants cannot read each other's files", async () => {
    const plain = await app.as()
    const begin = { purpose: 'component', name: 'fw.bin', size: 10, fingerprint: 'f' }
    expect(await plain.call('POST', '/api/v1/file/parts/begin', begin)).toMatchObject({
      code: 501,
      msg: '您没有权限！',
    })
    const one = await app.by({ tenant: '甲客户' })
    const two = await app.by({ tenant: '乙客户' })
    const { data } = await send(one, 'secret.pdf', PDF)
    expect((await one.inject({ url: data.url })).statusCode).toBe(200)
    expect((await two.inject({ url: data.url })).json()).toMatchObject({ code: 400, msg: '文件不存在或已被删除' })
  })
})

test('the file of a notice is visible only to its uploader until the notice is saved', async () => {
  const [writer, reader] = [await app.as('system:noticeManage:add'), await app.by({ tenant: '公告读者' })]
  const { data } = await send(writer, '说明.pdf', PDF, 'notice')
  const sees = async (who: Caller) => (await who.inject({ url: data.url })).rawPayload.equals(PDF)
  expect([await sees(writer), await sees(reader)]).toEqual([true, false])
  const notice = { title: '说明', type: 1, content: '<p>见附件</p>', priority: 2, target: 1, attachments: [data.id] }
  expect(await writer.call('POST', '/api/v1/sys/notice', notice)).toMatchObject({ code: 200 })
  expect(await sees(reader)).toBe(true)
})

test('tenants can read a picture of the platform only when a row that they see uses the picture', async () => {
  const vendor = await app.as('device:updateManage:add')
  const [shown, loose] = [await send(vendor, 'a.png', PNG, 'image'), await send(vendor, 'b.png', PNG, 'image')]
  const reader = await app.by({ tenant: '看图客户', permissions: ['device:updateManage:list'] })
  const other = await app.by({ tenant: '无权客户', permissions: ['device:apkManage:list'] })
  const sees = async (who: Caller, { data }: { data: { url: string } }) =>
    (await who.inject({ url: data.url })).rawPayload.equals(PNG)
  expect(await sees(reader, shown)).toBe(false)
  const { rows } = await app.db.execute<{ id: number }>(sql`with t as (insert into device_types (type_name, type_code)
      values ('看图', 'pic') returning id)
    insert into device_models (type_id, model_name, model_code, picture) select id, '看图', 'PIC', ${shown.data.url} from t returning id`)
  expect([await sees(reader, shown), await sees(reader, loose), await sees(other, shown)]).toEqual([true, false, false])
  await app.db.execute(sql`update device_models set deleted_at = now() where id = ${rows[0]?.id}`)
  expect(await sees(reader, shown)).toBe(false)
  await app.db.execute(sql`update tenants set logo = ${loose.data.url} where name = '无权客户'`)
  expect([await sees(other, loose), await sees(reader, loose)]).toEqual([true, false])
})

describe('resumable uploads', () => {
  const content = randomBytes(17 * MIB)
  const part = (index: number) => content.subarray(index * 8 * MIB, (index + 1) * 8 * MIB)
  const sha = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
  const put = async (who: Caller, uploadId: string, index: number, bytes = part(index)) =>
    (
      await who.inject({
        method: 'PUT',
        url: `/api/v1/file/parts/${uploadId}/${index}?sha256=${sha(bytes)}`,
        payload: bytes,
        headers: { 'content-type': 'application/octet-stream' },
      })
    ).json()

  test('OTA-09 an interrupted upload can be continued and returns the digests of the whole file', async () => {
    const me = await app.as('upgrade:ota:uploadComp')
    const begin = { purpose: 'component', name: 'fw.bin', size: content.length, fingerprint: 'fw-1' }
    const { data: first } = await me.call('POST', '/api/v1/file/parts/begin', begin)
    expect(first).toMatchObject({ partBytes: 8 * MIB, received: [] })
    expect((await put(me, first.uploadId, 0)).data.received).toEqual([0])
    expect((await put(me, first.uploadId, 2)).data.received).toEqual([0, 2])
    const { data: again } = await me.call('POST', '/api/v1/file/parts/begin', begin)
    expect(again).toMatchObject({ uploadId: first.uploadId, received: [0, 2] })
    const finish = `/api/v1/file/parts/${first.uploadId}/finish`
    expect((await me.call('POST', finish)).msg).toBe('文件尚未传完，请继续上传')
    expect((await put(me, first.uploadId, 1, randomBytes(100))).code).toBe(400)
    await put(me, first.uploadId, 1)
    const { data } = await me.call('POST', finish, { sha256: sha(content) })
    expect(data).toMatchObject({
      size: content.length,
      sha256: sha(content),
      md5: createHash('md5').update(content).digest('hex'),
    })
    expect((await me.call('POST', finish)).msg).toBe('上传已过期，请重新上传')
  })

  test('continuing an upload of another account and a file above 300 MB are refused immediately', async () => {
    const me = await app.as('upgrade:ota:uploadComp')
    const thief = await app.as('upgrade:ota:uploadComp')
    const begin = { purpose: 'component', name: 'fw.bin', size: 100, fingerprint: 'fw-2' }
    const { data } = await me.call('POST', '/api/v1/file/parts/begin', begin)
    expect((await put(thief, data.uploadId, 0, content.subarray(0, 100))).code).toBe(400)
    expect((await thief.call('DELETE', `/api/v1/file/parts/${data.uploadId}`)).code).toBe(400)
    const large = await me.call('POST', '/api/v1/file/parts/begin', { ...begin, size: 300 * MIB + 1 })
    expect(large).toMatchObject({ code: 400, msg: '组件不可超过300mb,请重新选择上传' })
  })
})

test('unused files are deleted after a day; used and new files are kept', async () => {
  const me = await app.as()
  const upload = async (name: string) => (await send(me, name, Buffer.from(name))).data.id as string
  const [used, unused, fresh] = [await upload('used.txt'), await upload('unused.txt'), await upload('fresh.txt')]
  await app.db
    .update(files)
    .set({ usedTime: sql`now()` as unknown as string })
    .where(eq(files.id, used))
  await app.db.execute(sql`update files set create_time = now() - interval '2 days' where id in (${used}, ${unused})`)
  expect((await sweepFiles(app.services)).rows).toBe(1)
  const left = await app.db.select({ id: files.id }).from(files).where(sql`${files.uid} = ${me.uid}`)
  expect(left.map(({ id }) => id).sort()).toEqual([used, fresh].sort())
})
