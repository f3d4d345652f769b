import { eq } from 'drizzle-orm'
import { beforeAll, expect, test } from 'vitest'
import { files, operLogs } from '#schema/system.ts'
import { type Caller, useApp } from '#test/harness.ts'

const app = useApp()
const SCENE = '/api/v1/sys/scene'
const INDUSTRY = '/api/v1/tenant/industry'
const TYPE = '/api/v1/device/type'
let admin: Caller
let serial = 0
beforeAll(async () => {
  admin = await app.by({ superAdmin: true })
})

const done = async (method: 'POST' | 'PUT' | 'DELETE', url: string, body?: object) => {
  const answer = await admin.call(method, url, body)
  expect(answer.code, answer.msg).toBe(200)
  return answer.data
}
const next = () => (serial += 1)
const industry = async (name: string, parentId = 0): Promise<number> =>
  (await done('POST', INDUSTRY, { name, code: `C${next()}`, parentId })).id
const deviceType = async (typeName: string): Promise<number> =>
  (await done('POST', TYPE, { typeName, typeCode: `T${next()}` })).id
const input = (over: object = {}) => ({
  sceneName: `场景${next()}`,
  sceneCode: `scene_${serial}`,
  menuIds: [],
  ...over,
})
const made = async (over: object = {}): Promise<number> => (await done('POST', SCENE, input(over))).id
const read = async (id: number) => (await admin.call('GET', `${SCENE}/${id}`)).data
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const picture = async (who: Caller): Promise<string> => {
  const part = (name: string) => `--b\r\ncontent-disposition: form-data; name="${name}`
  const head = `${part('purpose')}"\r\n\r\nimage\r\n${part('file')}"; filename="a.png"\r\n\r\n`
  const payload = Buffer.concat([Buffer.from(head), PNG, Buffer.from('\r\n--b--\r\n')])
  const headers = { 'content-type': 'multipart/form-data; boundary=b' }
  return (await who.inject({ method: 'POST', url: '/api/v1/file/upload', headers, payload })).json().data.url
}
const options = async () => {
  const { data } = await admin.call('GET', '/api/v1/tenant/scene/options')
  return new Map<number, number[]>(
    data.list.map((each: { id: number; industryIds: number[] }) => [each.id, each.industryIds]),
  )
}

test('a scene has recommended industries and device types, and the list filters by both', async () => {
  const top = await industry('零售')
  const below = await industry('便利店', top)
  const type = await deviceType('收银机')
  const id = await made({ industryIds: [top, top], deviceTypeIds: [type] })
  expect(await read(id)).toMatchObject({
    industryIds: [top],
    industryNames: ['零售'],
    deviceTypeIds: [type],
    deviceTypeNames: ['收银机'],
  })
  const other = await made({ industryIds: [below] })
  const found = async (query: string) =>
    (await admin.call('GET', `${SCENE}/page?${query}`)).data.list.map((each: { id: number }) => each.id).sort()
  expect(await found(`industryId=${below}`)).toEqual([id, other])
  expect(await found(`industryId=${top}`)).toEqual([id])
  expect(await found(`deviceTypeId=${type}`)).toEqual([id])
  expect((await options()).get(other)).toEqual([below])
  const types = (await admin.call('GET', `${SCENE}/deviceTypes`)).data.list
  expect(types).toContainEqual({ id: type, typeName: '收银机', status: 1 })
})

test('a change is logged with old values; deleted and newly added disabled recommendations are refused', async () => {
  const [a, b] = [await industry('餐饮'), await industry('教育')]
  const type = await deviceType('门锁')
  const id = await made({ industryIds: [a] })
  const detail = await read(id)
  await done('PUT', SCENE, { ...detail, industryIds: [b], deviceTypeIds: [type] })
  const rows = await app.db
    .select()
    .from(operLogs)
    .where(eq(operLogs.bizId, String(id)))
  const diffs = rows.flatMap(({ bizType, diff }) => (bizType === 'scene' ? diff : []))
  expect(diffs).toContainEqual({ field: 'industryIds', title: '推荐行业', from: ['餐饮'], to: ['教育'] })
  expect(diffs).toContainEqual({ field: 'deviceTypeIds', title: '适用设备类型', from: [], to: ['门锁'] })
  const again = { ...(await read(id)) }
  expect(await admin.call('PUT', SCENE, { ...again, industryIds: [b, 987_654] })).toEqual({
    code: 400,
    msg: '所选行业中有1个不存在或已被删除，请重新选择',
    data: { field: 'industryIds' },
  })
  expect(await admin.call('POST', SCENE, input({ deviceTypeIds: [987_654] }))).toMatchObject({
    msg: '所选设备类型中有1个不存在或已被删除，请重新选择',
    data: { field: 'deviceTypeIds' },
  })
  await done('POST', `${INDUSTRY}/disable/${b}`)
  await done('POST', `${TYPE}/disable/${type}`)
  expect(await admin.call('POST', SCENE, input({ industryIds: [b] }))).toMatchObject({
    msg: '行业「教育」已停用，不能新选',
    data: { field: 'industryIds' },
  })
  expect(await admin.call('POST', SCENE, input({ deviceTypeIds: [type] }))).toMatchObject({
    msg: '设备类型「门锁」已停用，不能新选',
  })
  await done('PUT', SCENE, { ...again, description: '停用的仍可保留' })
  expect(await read(id)).toMatchObject({ industryIds: [b], deviceTypeIds: [type] })
})

test('deleting an industry or device type keeps its scenes, and merging an industry replaces it in scenes', async () => {
  const [gone, from, to] = [await industry('消失'), await industry('合并前'), await industry('合并后')]
  const type = await deviceType('旧类型')
  const id = await made({ industryIds: [gone, from], deviceTypeIds: [type] })
  const both = await made({ industryIds: [from, to] })
  const opened = await read(id)
  await done('DELETE', `${INDUSTRY}/${gone}`)
  await done('DELETE', `${TYPE}/${type}`)
  await done('POST', `${INDUSTRY}/merge`, { fromId: from, toId: to })
  expect(await read(id)).toMatchObject({ industryIds: [to], deviceTypeIds: [], deviceTypeNames: [] })
  expect(await read(both)).toMatchObject({ industryNames: ['合并后'] })
  // The form was opened before the deletion.
  expect(await admin.call('PUT', SCENE, opened)).toMatchObject({
    msg: '所选行业中有2个不存在或已被删除，请重新选择',
    data: { field: 'industryIds' },
  })
  await done('PUT', SCENE, { ...(await read(id)), remark: '照常保存' })
  expect(await read(id)).toMatchObject({ remark: '照常保存', industryIds: [to] })
})

test('the cover of a scene is uploaded by the account, kept while in use, and visible only to platform accounts', async () => {
  const own = await picture(admin)
  const foreign = await picture(await app.as())
  const refusal = { code: 400, msg: '封面不正确，请重新上传', data: { field: 'cover' } }
  expect(await admin.call('POST', SCENE, input({ cover: foreign }))).toEqual(refusal)
  expect(await admin.call('POST', SCENE, input({ cover: 'https://example.com/a.png' }))).toEqual(refusal)
  const id = await made({ cover: own })
  const used = async () => {
    const [row] = await app.db
      .select()
      .from(files)
      .where(eq(files.id, own.slice(-32)))
    return row!.usedTime
  }
  expect(await used()).not.toBeNull()
  const shown = async (who: Caller) => (await who.inject({ url: own })).rawPayload.equals(PNG)
  const permissions = ['system:sceneManagement:list']
  expect(await shown(await app.by({ permissions }))).toBe(true)
  expect(await shown(await app.by({ tenant: '某客户', permissions }))).toBe(false)
  await done('PUT', SCENE, { ...(await read(id)), cover: '' })
  expect(await used()).toBeNull()
  await done('PUT', SCENE, { ...(await read(id)), cover: own })
  await done('DELETE', `${SCENE}/${id}`)
  expect(await used()).toBeNull()
})

test('the number of recommendations is limited, and tenants cannot query the selectable device types', async () => {
  const many = Array.from({ length: 101 }, (_, at) => at + 1)
  expect(await admin.call('POST', SCENE, input({ industryIds: many }))).toMatchObject({
    code: 400,
    msg: '推荐行业不能超过100个',
  })
  expect(await admin.call('POST', SCENE, input({ deviceTypeIds: ['x'] }))).toMatchObject({ code: 400 })
  const boss = await app.by({ tenant: '某客户', permissions: ['system:sceneManagement:list'] })
  expect((await boss.call('GET', `${SCENE}/deviceTypes`)).code).toBe(501)
})
