import { and, asc, eq, inArray, isNull } from 'drizzle-orm'
import { beforeAll, expect, test } from 'vitest'
import { accounts } from '#core/schema/account.ts'
import { files, menus, operLogs } from '#core/schema/system.ts'
import { tenantScenes } from '#core/schema/tenant.ts'
import { type Caller, useApp } from '#test/harness.ts'

const app = useApp()
const SCENE = '/api/v1/sys/scene'
const ROLE_LIST = 'system:rolemanagement:list'
let admin: Caller
let serial = 0
beforeAll(async () => {
  admin = await app.by({ superAdmin: true })
})

const idsOf = async (...perms: string[]) => {
  const rows = await app.db
    .select({ id: menus.id })
    .from(menus)
    .where(and(inArray(menus.perms, perms), isNull(menus.deletedAt)))
  return rows.map(({ id }) => id)
}
const input = (menuIds: number[] = [], over = {}) => {
  serial += 1
  return { sceneName: `场景${serial}`, sceneCode: `scene_${serial}`, menuIds, ...over }
}
const made = async (perms: string[] = [], over = {}): Promise<number> =>
  (await admin.call('POST', SCENE, input(await idsOf(...perms), over))).data.id
const sync = (id: number, body: object) => admin.call('POST', `${SCENE}/sync/${id}`, body)
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
/** Creates an account of a tenant with these permissions. The tenant uses only the given scenes. */
const customer = async (name: string, permissions: string[], scenes: number[]) => {
  const person = await app.by({ tenant: name, permissions })
  const [row] = await app.db.select().from(accounts).where(eq(accounts.uid, person.uid))
  const tenantId = row!.tenantId as number
  await app.db.delete(tenantScenes).where(eq(tenantScenes.tenantId, tenantId))
  for (const id of scenes) await sync(id, { tenantIds: [tenantId] })
  return { person, tenantId }
}

test('a scene can be added, listed, changed and deleted', async () => {
  const { data } = await admin.call('POST', SCENE, input(await idsOf(ROLE_LIST), { sceneName: '门店版', isDefault: 1 }))
  const listed = await admin.call('GET', `${SCENE}/page?sceneName=门店`)
  expect(listed.data).toMatchObject({ total: 1, list: [{ isDefault: 1, menuCount: 1, tenantCount: 0, status: 1 }] })
  const detail = (await admin.call('GET', `${SCENE}/${data.id}`)).data
  expect(detail.menuIds).toEqual(await idsOf(ROLE_LIST))
  const saved = await admin.call('PUT', SCENE, { ...detail, sceneName: '门店高级版' })
  expect(saved).toMatchObject({ code: 200, data: { rev: 1 } })
  expect(await admin.call('PUT', SCENE, { ...detail, sceneName: '晚到' })).toMatchObject({
    data: { conflict: { rev: 1 } },
  })
  const rows = await app.db
    .select()
    .from(operLogs)
    .where(eq(operLogs.bizId, String(data.id)))
  expect(rows.flatMap(({ bizType, diff }) => (bizType === 'scene' ? diff : []))).toContainEqual(
    expect.objectContaining({ title: '场景名称', from: '门店版', to: '门店高级版' }),
  )
  expect((await admin.call('DELETE', `${SCENE}/${data.id}`)).code).toBe(200)
  expect(await admin.call('GET', `${SCENE}/${data.id}`)).toMatchObject({ msg: '业务场景不存在或已被删除' })
})

test('the operation log of a scene names permissions, labels and status; a save without changes is not logged', async () => {
  const id = await made([ROLE_LIST], { sceneName: '有日志的', isDefault: 1 })
  const { data: detail } = await admin.call('GET', `${SCENE}/${id}`)
  const fewer = { ...detail, menuIds: [] }
  expect((await admin.call('PUT', SCENE, fewer)).data).toEqual({ rev: 1 })
  expect((await admin.call('PUT', SCENE, { ...fewer, rev: 1 })).data).toEqual({ rev: 1 })
  await admin.call('POST', `${SCENE}/disable/${id}`)
  const rows = await app.db
    .select({ diff: operLogs.diff })
    .from(operLogs)
    .where(and(eq(operLogs.bizType, 'scene'), eq(operLogs.bizId, String(id))))
    .orderBy(asc(operLogs.operId))
  const [added, changed, disabled] = rows.map(({ diff }) => diff).filter((diff) => diff.length > 0)
  expect(added).toContainEqual({ field: 'isDefault', title: '默认场景', from: null, to: '是' })
  expect(changed).toEqual([{ field: 'menuIds', title: '菜单权限', from: [expect.stringContaining(ROLE_LIST)], to: [] }])
  expect(disabled).toEqual([{ field: 'status', title: '状态', from: '启用', to: '停用' }])
})

test('names and codes of scenes are unique, and the error names the field', async () => {
  await made([], { sceneName: '同名', sceneCode: 'same' })
  expect(await admin.call('POST', SCENE, input([], { sceneName: '同名' }))).toMatchObject({
    data: { field: 'sceneName' },
  })
  expect(await admin.call('POST', SCENE, input([], { sceneCode: 'same' }))).toMatchObject({
    data: { field: 'sceneCode' },
  })
  expect(await admin.call('POST', SCENE, input([], { sceneCode: '9x' }))).toMatchObject({ code: 400 })
  expect(await admin.call('POST', SCENE, input([987_654]))).toMatchObject({ data: { field: 'menuIds' } })
})

test('a change of a scene applies immediately to the permissions of its tenants', async () => {
  const id = await made([ROLE_LIST])
  const { person, tenantId } = await customer('云店', [ROLE_LIST], [id])
  const may = async () => (await person.call('GET', '/api/v1/tenant/role/list')).code
  await expect.poll(may).toBe(200)
  const detail = (await admin.call('GET', `${SCENE}/${id}`)).data
  await admin.call('PUT', SCENE, { ...detail, menuIds: [] })
  await expect.poll(may).toBe(501)
  await admin.call('PUT', SCENE, { ...detail, rev: detail.rev + 1 })
  await expect.poll(may).toBe(200)
  await admin.call('POST', `${SCENE}/disable/${id}`)
  await expect.poll(may).toBe(501)
  await admin.call('POST', `${SCENE}/enable/${id}`)
  await expect.poll(may).toBe(200)
  expect((await sync(id, { removeIds: [tenantId] })).data).toEqual({ given: 0, taken: 1 })
  await expect.poll(may).toBe(501)
})

test('a scene that tenants use cannot be deleted, and the message counts the tenants', async () => {
  const id = await made([ROLE_LIST])
  const { tenantId } = await customer('用户甲', [], [id])
  expect(await admin.call('DELETE', `${SCENE}/${id}`)).toMatchObject({
    code: 400,
    msg: '还有1个客户使用该场景，请先移除客户再删除',
  })
  const using = await admin.call('GET', `${SCENE}/tenants/${id}?inScene=1`)
  expect(using.data).toMatchObject({ total: 1, list: [{ id: tenantId, inScene: true, accountCount: 1 }] })
  const others = await admin.call('GET', `${SCENE}/tenants/${id}?inScene=0&name=用户甲`)
  expect(others.data.total).toBe(0)
})

test('a scene accepts existing tenants once each, and never the platform', async () => {
  const id = await made()
  expect(await sync(id, { tenantIds: [1] })).toMatchObject({
    code: 400,
    msg: expect.stringContaining('平台不受业务场景限制'),
  })
  expect(await sync(id, { tenantIds: [987_654] })).toMatchObject({ code: 400, msg: '客户不存在或已被删除' })
  const { tenantId } = await customer('同步用', [], [])
  expect(await sync(id, { tenantIds: [tenantId], removeIds: [tenantId] })).toMatchObject({ code: 400 })
  expect((await sync(id, { tenantIds: [tenantId] })).data).toEqual({ given: 1, taken: 0 })
  expect((await sync(id, { tenantIds: [tenantId] })).data).toEqual({ given: 0, taken: 0 })
  expect((await sync(id, {})).code).toBe(200)
})

test('an account cannot change a scene with permissions that it does not hold, and tenants cannot manage scenes', async () => {
  const actions = ['list', 'query', 'add', 'edit', 'remove', 'enable', 'sync']
  const perms = actions.map((action) => `system:sceneManagement:${action}`)
  const manager = await app.as(...perms)
  const strong = await made([ROLE_LIST])
  expect(await manager.call('POST', SCENE, input(await idsOf(ROLE_LIST)))).toMatchObject({ code: 501 })
  expect(await manager.call('POST', `${SCENE}/disable/${strong}`)).toMatchObject({ code: 501 })
  const { data: detail } = await manager.call('GET', `${SCENE}/${strong}`)
  expect((await manager.call('PUT', SCENE, { ...detail, sceneName: '改名', isDefault: 1 })).code).toBe(501)
  const { tenantId } = await customer('授予用', [], [])
  expect((await manager.call('POST', `${SCENE}/sync/${strong}`, { tenantIds: [tenantId] })).code).toBe(501)
  expect((await manager.call('POST', SCENE, input(await idsOf('system:sceneManagement:list')))).code).toBe(200)
  const boss = await app.by({ tenant: '越权公司', permissions: perms })
  for (const path of ['/page', '/1', '/permTree', '/tenants/1'])
    expect(await boss.call('GET', `${SCENE}${path}`)).toMatchObject({ code: 501, msg: '您没有权限！' })
  expect((await boss.call('POST', SCENE, input())).code).toBe(501)
})

test('the cover of a scene is uploaded by the account, kept while in use, and visible only to platform accounts', async () => {
  const own = await picture(admin)
  const foreign = await picture(await app.as())
  const refusal = { code: 400, msg: '封面不正确，请重新上传', data: { field: 'cover' } }
  expect(await admin.call('POST', SCENE, input([], { cover: foreign }))).toEqual(refusal)
  expect(await admin.call('POST', SCENE, input([], { cover: 'https://example.com/a.png' }))).toEqual(refusal)
  const id = await made([], { cover: own })
  const used = async () => {
    const [row] = await app.db
      .select()
      .from(files)
      .where(eq(files.id, own.slice(-32)))
    return row!.usedTime
  }
  expect(await used()).not.toBeNull()
  const save = async (over: object) => {
    const { data } = await admin.call('GET', `${SCENE}/${id}`)
    expect((await admin.call('PUT', SCENE, { ...data, ...over })).code).toBe(200)
  }
  const shown = async (who: Caller) => (await who.inject({ url: own })).rawPayload.equals(PNG)
  const permissions = ['system:sceneManagement:list']
  expect(await shown(await app.by({ permissions }))).toBe(true)
  expect(await shown(await app.by({ tenant: '某客户', permissions }))).toBe(false)
  await save({ cover: '' })
  expect(await used()).toBeNull()
  await save({ cover: own })
  expect((await admin.call('DELETE', `${SCENE}/${id}`)).code).toBe(200)
  expect(await used()).toBeNull()
})
