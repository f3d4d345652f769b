import { randomBytes } from 'node:crypto'
import { eq, sql } from 'drizzle-orm'
import { beforeAll, describe, expect, test } from 'vitest'
import { files, notices, operLogs } from '#core/schema/system.ts'
import { type Caller, useApp } from '#test/harness.ts'
import { sendMessage } from './inbox.ts'

const app = useApp()
const ALL = ['list', 'query', 'add', 'edit', 'remove', 'publish', 'revoke', 'readUsers'].map(
  (action) => `system:noticeManage:${action}`,
)
const NOTICE = '/api/v1/sys/notice'
const NO_FILE = 'f'.repeat(32)
const LATE = '结束时间必须晚于开始时间'
let admin: Caller

beforeAll(async () => {
  admin = await app.by({ superAdmin: true })
})

const body = (more: object = {}) => ({
  title: '系统升级',
  type: 1,
  content: '<p>今晚升级</p>',
  priority: 2,
  target: 4,
  targetIds: [admin.uid],
  ...more,
})

async function draft(more: object = {}, who = admin) {
  const { code, msg, data } = await who.call('POST', NOTICE, body(more))
  expect([code, msg]).toEqual([200, '新增成功'])
  return data.noticeId as number
}

async function upload(purpose: string, tenantId = 1) {
  const id = randomBytes(16).toString('hex')
  const digests = { md5: 'm', sha1: 's', sha256: 'x' }
  await app.db.insert(files).values({ id, tenantId, uid: admin.uid, purpose, name: '说明.pdf', size: 12, ...digests })
  return id
}

describe('managing notices', () => {
  test('MODULE-01 a notice can be drafted, listed, changed, published, withdrawn and deleted', async () => {
    const id = await draft({ title: '第一份', summary: '', isTop: 1 })
    const page = await admin.call('GET', `${NOTICE}/page?title=第一&status=0&pageSize=10`)
    expect(page.data).toMatchObject({ total: 1, list: [{ noticeId: id, status: 0, targetCount: 1, readCount: 0 }] })
    const one = await admin.call('GET', `${NOTICE}/${id}`)
    expect(one.data).toMatchObject({ content: '<p>今晚升级</p>', summary: '今晚升级', isTop: 1, rev: 0 })
    expect(one.data.targets).toMatchObject([{ id: admin.uid }])
    const saved = await admin.call('PUT', NOTICE, { ...body({ title: '改过' }), noticeId: id, rev: 0 })
    expect(saved).toMatchObject({ code: 200, data: { rev: 1 } })
    expect(await admin.call('POST', `${NOTICE}/publish/${id}`)).toMatchObject({ code: 200, msg: '发布成功' })
    expect((await admin.call('GET', `${NOTICE}/${id}`)).data).toMatchObject({ status: 1, title: '改过' })
    expect(await admin.call('POST', `${NOTICE}/revoke/${id}`)).toMatchObject({ code: 200, msg: '已撤回' })
    expect(await admin.call('DELETE', `${NOTICE}/${id}`)).toMatchObject({ code: 200, msg: '删除成功' })
    expect(await admin.call('GET', `${NOTICE}/${id}`)).toMatchObject({ code: 400, msg: '通知公告不存在或已被删除' })
  })

  test('a published notice can be neither changed, deleted nor published again', async () => {
    const id = await draft()
    await admin.call('POST', `${NOTICE}/publish/${id}`)
    const { rev } = (await admin.call('GET', `${NOTICE}/${id}`)).data
    for (const answer of [
      await admin.call('PUT', NOTICE, { ...body(), noticeId: id, rev }),
      await admin.call('DELETE', `${NOTICE}/${id}`),
      await admin.call('POST', `${NOTICE}/publish/${id}`),
    ])
      expect(answer.code).toBe(501)
    const draftId = await draft()
    expect((await admin.call('POST', `${NOTICE}/revoke/${draftId}`)).code).toBe(501)
  })

  test('saving an old revision of a notice is refused', async () => {
    const id = await draft()
    await admin.call('PUT', NOTICE, { ...body({ title: '甲' }), noticeId: id, rev: 0 })
    const late = await admin.call('PUT', NOTICE, { ...body({ title: '乙' }), noticeId: id, rev: 0 })
    expect(late).toMatchObject({ code: 400, data: { conflict: { rev: 1 } } })
  })

  test.each([
    ['no title', { title: '' }, '请输入标题', 'title'],
    ['a long title', { title: 'x'.repeat(51) }, '标题不能超过50个字符', 'title'],
    ['no words', { content: '<script>x</script>' }, '请输入内容', 'content'],
    ['a long text', { content: 'x'.repeat(65_537) }, '内容不能超过65536个字符', 'content'],
    ['an unknown type', { type: 9 }, '请选择类型', 'type'],
    ['nobody addressed', { target: 2, targetIds: [] }, '请选择发送对象', 'targetIds'],
    ['unknown accounts', { targetIds: [2_000_000_000] }, '发送对象不存在或已停用，请重新选择', 'targetIds'],
    ['an end before the start', { startTime: '2030-01-02 00:00:00', endTime: '2030-01-01 00:00:00' }, LATE, 'endTime'],
    ['no such day', { startTime: '2030-02-30 00:00:00' }, '日期不存在', 'startTime'],
    ['an unknown file', { attachments: [NO_FILE] }, '附件不存在，请重新上传', 'attachments'],
    ['six files', { attachments: Array.from({ length: 6 }, () => NO_FILE) }, '附件最多5个', 'attachments'],
    ['an unknown picture', { content: `<img src="/api/v1/file/${NO_FILE}">` }, '图片不存在，请重新上传', 'content'],
  ])('a notice with %s is refused', async (_name, wrong, msg, field) => {
    expect(await admin.call('POST', NOTICE, body(wrong))).toMatchObject({ code: 400, msg, data: { field } })
  })

  test('executable content is removed before a notice is stored', async () => {
    const id = await draft({ content: '<p onclick="x()">好</p><img src=x onerror=x()><a href="javascript:x()">看</a>' })
    const [row] = await app.db.select().from(notices).where(eq(notices.noticeId, id))
    expect(row?.content).not.toMatch(/onclick|onerror|javascript|<img/)
  })

  test('attachments and pictures of a notice are marked as used, and files of other accounts are refused', async () => {
    const file = await upload('notice')
    const picture = await upload('notice')
    const id = await draft({ attachments: [file], content: `<p>看图</p><img src="/api/v1/file/${picture}">` })
    expect((await admin.call('GET', `${NOTICE}/${id}`)).data.attachments).toEqual([
      { id: file, name: '说明.pdf', size: 12 },
    ])
    for (const each of [file, picture]) {
      const [row] = await app.db.select().from(files).where(eq(files.id, each))
      expect(row?.usedTime).not.toBeNull()
    }
    for (const foreign of [await upload('notice', 999), await upload('component')])
      expect(await admin.call('POST', NOTICE, body({ attachments: [foreign] }))).toMatchObject({ code: 400 })
  })

  test('a notice whose end time has passed cannot be published', async () => {
    const id = await draft({ endTime: '2020-01-01 00:00:00' })
    expect(await admin.call('POST', `${NOTICE}/publish/${id}`)).toMatchObject({ code: 400, data: { field: 'endTime' } })
  })

  test('changing a notice logs the differences without the whole text', async () => {
    const id = await draft({ title: '甲' })
    await admin.call('PUT', NOTICE, { ...body({ title: '乙' }), noticeId: id, rev: 0 })
    const [row] = await app.db
      .select()
      .from(operLogs)
      .where(sql`biz_type = 'notice' and biz_id = ${String(id)} and title = '修改通知公告'`)
    expect(row?.diff).toEqual([{ field: 'title', title: '标题', from: '甲', to: '乙' }])
    expect(row?.operParam).not.toContain('今晚升级')
  })
})

describe('targets of notices', () => {
  test('the target form finds tenants, roles and accounts by name, and counts the addressed accounts', async () => {
    const member = await app.by({ tenant: '乙公司' })
    const [tenant] = (await admin.call('GET', `${NOTICE}/targets?target=2&keyword=乙公司`)).data.list
    expect(tenant).toMatchObject({ name: '乙公司' })
    const roles = await admin.call('GET', `${NOTICE}/targets?target=3&keyword=${member.account}`)
    expect(roles.data.list).toMatchObject([{ id: member.roleId, detail: '乙公司' }])
    const accounts = await admin.call('GET', `${NOTICE}/targets?target=4&keyword=${member.account}`)
    expect(accounts.data.list).toMatchObject([{ id: member.uid, detail: `${member.account} · 乙公司` }])
    const count = async (query: string) => (await admin.call('GET', `${NOTICE}/audience?${query}`)).data.count
    expect(await count(`target=2&targetIds=${tenant.id}`)).toBe(1)
    expect(await count(`target=3&targetIds=${member.roleId}`)).toBe(1)
    expect(await count(`target=4&targetIds=${member.uid}&targetIds=${admin.uid}`)).toBe(2)
  })

  test('a notice by a manager of a tenant reaches only accounts of that tenant', async () => {
    const manager = await app.by({ tenant: '丙公司', permissions: ALL })
    const other = await app.by({ tenant: '丁公司' })
    const refused = async (more: object) =>
      expect(await manager.call('POST', NOTICE, body(more))).toMatchObject({ code: 400 })
    await refused({ target: 4, targetIds: [other.uid] })
    await refused({ target: 3, targetIds: [other.roleId] })
    await refused({ target: 2, targetIds: [1] })
    expect((await manager.call('GET', `${NOTICE}/targets?target=4`)).data.list).toHaveLength(1)
    expect((await manager.call('GET', `${NOTICE}/targets?target=2`)).data.list).toEqual([])
    const id = await draft({ target: 1, targetIds: [] }, manager)
    expect((await manager.call('GET', `${NOTICE}/${id}`)).data).toMatchObject({ targetCount: 1 })
  })

  test('staff limited to one tenant cannot address all accounts', async () => {
    const narrow = await app.by({ permissions: ALL, dataScope: 2 })
    expect(await narrow.call('POST', NOTICE, body({ target: 1 }))).toMatchObject({
      code: 400,
      msg: '您的数据范围不包含全部客户，请指定发送对象',
    })
  })

  test('limited staff can neither see nor change a notice to accounts outside their data scope', async () => {
    const narrow = await app.by({ permissions: ALL, dataScope: 2 })
    const other = await app.by({ tenant: '戊公司' })
    const id = await draft({ target: 4, targetIds: [admin.uid, other.uid] })
    const changed = { ...body({ targetIds: [narrow.uid] }), noticeId: id, rev: 0 }
    for (const [method, url, input] of [
      ['PUT', NOTICE, changed],
      ['POST', `${NOTICE}/publish/${id}`],
      ['DELETE', `${NOTICE}/${id}`],
    ] as const)
      expect(await narrow.call(method, url, input)).toMatchObject({ code: 400, msg: '通知公告不存在或已被删除' })
    const message = { topic: 'ticket' as const, title: '工单已分派给您', text: '丁公司的工单', uids: [narrow.uid] }
    await sendMessage(app.services, app.db, message)
    const shared = [await draft({ title: '全员草稿', target: 1 }), await draft({ title: '全员', target: 1 })]
    await admin.call('POST', `${NOTICE}/publish/${shared[1]}`)
    const listed = (await narrow.call('GET', `${NOTICE}/page?pageSize=100`)).data.list as { noticeId: number }[]
    const titles = (listed as unknown as { title: string }[]).map(({ title }) => title)
    expect(listed.map(({ noticeId }) => noticeId)).not.toContain(id)
    expect(titles).not.toContain('工单已分派给您')
    expect(titles).not.toContain('全员草稿')
    expect(titles).toContain('全员')
    const history = async (noticeId: number) =>
      (await narrow.call('GET', `/api/v1/sys/operlog/biz/notice/${noticeId}`)).data.list
    for (const noticeId of [id, ...shared]) expect(await history(noticeId)).toEqual([])
    const inside = await draft({ target: 4, targetIds: [admin.uid, narrow.uid] })
    expect(await narrow.call('PUT', NOTICE, { ...changed, noticeId: inside })).toMatchObject({ code: 200 })
    expect(await history(inside), 'its own change, not the creation by another account').toHaveLength(1)
  })

  test('limited staff cannot read in the log the text of a notice from before it was addressed to their tenants', async () => {
    const other = await app.by({ tenant: '庚公司' })
    const narrow = await app.by({ permissions: ALL, dataScope: 2 })
    const id = await draft({ target: 4, targetIds: [other.uid], content: '<p>只给庚公司</p>' })
    const moved = { ...body({ target: 4, targetIds: [narrow.uid] }), noticeId: id, rev: 0 }
    expect(await admin.call('PUT', NOTICE, moved)).toMatchObject({ code: 200 })
    expect(await narrow.call('GET', `${NOTICE}/${id}`)).toMatchObject({ code: 200 })
    const seen = await narrow.call('GET', '/api/v1/sys/operlog/page?pageSize=100')
    expect(JSON.stringify(seen)).not.toContain('庚公司')
  })

  test('a notice of another tenant returns the same error as an unknown notice', async () => {
    const manager = await app.by({ tenant: '丙公司', permissions: ALL })
    const id = await draft()
    for (const [method, url] of [
      ['GET', `${NOTICE}/${id}`],
      ['DELETE', `${NOTICE}/${id}`],
      ['POST', `${NOTICE}/publish/${id}`],
      ['POST', `${NOTICE}/revoke/${id}`],
      ['GET', `${NOTICE}/readUsers/${id}`],
    ] as const)
      expect(await manager.call(method, url)).toMatchObject({ code: 400, msg: '通知公告不存在或已被删除' })
    expect((await manager.call('GET', `${NOTICE}/page`)).data.list.every(({ title }: { title: string }) => title)).toBe(
      true,
    )
  })

  test('PERM-04 each call for notices requires its own permission', async () => {
    const reader = await app.as('system:noticeManage:list')
    for (const [method, url] of [
      ['GET', `${NOTICE}/1`],
      ['POST', NOTICE],
      ['PUT', NOTICE],
      ['DELETE', `${NOTICE}/1`],
      ['POST', `${NOTICE}/publish/1`],
      ['POST', `${NOTICE}/revoke/1`],
      ['GET', `${NOTICE}/readUsers/1`],
    ] as const)
      expect(await reader.call(method, url)).toMatchObject({ code: 501, msg: '您没有权限！' })
  })
})
