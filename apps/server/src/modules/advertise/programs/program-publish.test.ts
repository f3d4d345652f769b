import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Caller, useApp } from '#test/harness.ts'
import {
  buildProgramInput,
  createApprovedAd,
  createScreens,
  formatDayFromToday,
  readAdUses,
} from '#test/fixtures/program-fixture.ts'
import { endPrograms } from './program-schedule.ts'
import { listTargetScreens } from './program-targets.ts'

const server = useApp()
const ROOT = '/api/v1/advertise/program'
const ACTIONS = ['list', 'query', 'add', 'edit', 'remove', 'copy', 'publish', 'pause', 'withdraw', 'audit']
const PERMISSIONS = ACTIONS.map((action) => `advertiseManage:ProgramList:${action}`)

let staff: Caller
let other: Caller
let ad: number
let screens: { modelId: number; ids: number[]; sns: string[] }
beforeAll(async () => {
  staff = await server.by({ permissions: PERMISSIONS })
  other = await server.by({ permissions: PERMISSIONS })
  ad = await createApprovedAd(server.db, { name: '早餐' })
  screens = await createScreens(server.db, { count: 3 })
})

const post = (path: string, body: object = {}, who = staff) => who.call('POST', `${ROOT}/${path}`, body)
const read = async (id: number) => (await staff.call('GET', `${ROOT}/${id}`)).data
const versionsOf = async (id: number) =>
  (await staff.call('GET', `${ROOT}/${id}/versions`)).data.list.map(
    ({ verNo, state }: { verNo: number; state: number }) => [verNo, state],
  )
async function draft(fields: object = {}) {
  const body = buildProgramInput({ items: [{ adId: ad }], targetIds: screens.ids, ...fields })
  return (await staff.call('POST', ROOT, body)).data.id as number
}

describe('AD-05 publishing', () => {
  test('publishing writes and delivers an immutable version, and later changes are published as the next version', async () => {
    const id = await draft()
    const dryRun = await staff.call('GET', `${ROOT}/dryRun?id=${id}`)
    expect(dryRun.data).toMatchObject({
      hasTargets: true,
      screens: 3,
      needsApproval: false,
      totalBytes: 300_000,
      maxBytes: 100_000,
    })
    expect(dryRun.data.firstDayPlays).toBeLessThanOrEqual(3 * 8640)
    const tomorrow = await draft({ dateFrom: formatDayFromToday(1) })
    const later = await staff.call('GET', `${ROOT}/dryRun?id=${tomorrow}`)
    expect(later.data).toMatchObject({ firstDayPlays: 3 * 8640, isRestOfToday: false })
    expect(await post(`publish/${id}`, { verNo: 0 })).toMatchObject({
      code: 200,
      msg: '发布成功',
      data: { status: 2, verNo: 1, isWaiting: false, screens: 3 },
    })
    expect((await post(`publish/${id}`, { verNo: 0 })).msg).toBe('节目单已发布新的版本，请刷新后重试')
    const { rev } = await read(id)
    const next = buildProgramInput({ items: [{ adId: ad, weight: 7 }], targetIds: screens.ids })
    await staff.call('PUT', ROOT, { ...next, id, rev })
    expect(await read(id)).toMatchObject({ status: 2, verNo: 1, publishedVer: 1, hasChanges: true })
    expect((await post(`publish/${id}`)).data.verNo).toBe(2)
    expect(await read(id)).toMatchObject({ verNo: 2, publishedVer: 2, hasChanges: false })
    const again = await Promise.all([1, 2, 3].map(() => post(`publish/${id}`)))
    expect(again.map(({ data }) => data.verNo)).toEqual([2, 2, 2])
    expect(await versionsOf(id)).toEqual([
      [2, 2],
      [1, 3],
    ])
    expect((await post(`republish/${id}`, { verNo: 1 })).data.verNo).toBe(3)
    const { rows } = await server.db.execute<{ weight: number }>(
      sql`select (body->'items'->0->>'weight')::int as weight from ad_program_versions where program_id = ${id} order by ver_no`,
    )
    expect(rows.map(({ weight }) => weight)).toEqual([1, 7, 1])
    expect((await read(id)).hasChanges).toBe(true)
  })

  test('only one of 50 simultaneous publish requests writes a version', async () => {
    const id = await draft()
    const replies = await Promise.all(Array.from({ length: 50 }, () => post(`publish/${id}`, { verNo: 0 })))
    expect(replies.filter(({ code }) => code === 200)).toHaveLength(1)
    expect(new Set(replies.map(({ msg }) => msg))).toEqual(new Set(['发布成功', '节目单已发布新的版本，请刷新后重试']))
    expect(await versionsOf(id)).toEqual([[1, 2]])
  })

  test('a published program can be paused, resumed and withdrawn; only a withdrawn program can be deleted', async () => {
    const id = await draft()
    await post(`publish/${id}`)
    expect((await staff.call('DELETE', `${ROOT}/${id}`)).msg).toBe('节目单已发布，请先撤回再删除')
    expect(await post(`pause/${id}`)).toMatchObject({ msg: '已暂停', data: { status: 4 } })
    expect((await post(`pause/${id}`)).msg).toBe('节目单不在投放中，不能暂停')
    expect((await post(`resume/${id}`)).data.status).toBe(2)
    expect(await post(`withdraw/${id}`)).toMatchObject({ msg: '已撤回', data: { status: 5 } })
    expect(await versionsOf(id)).toEqual([[1, 3]])
    expect((await staff.call('DELETE', `${ROOT}/${id}`)).code).toBe(200)
    const { rows } = await server.db.execute<{ action: string }>(
      sql`select action from oper_logs where biz_type = 'adProgram' and biz_id = ${String(id)} and status = 1 order by oper_id`,
    )
    expect(rows.map(({ action }) => action.slice(0, 5))).toEqual([
      '新增节目单',
      '发布节目单',
      '暂停节目单',
      '恢复节目单',
      '撤回节目单',
      '删除节目单',
    ])
  })

  test.each<[string, object, object]>([
    ['请先选择投放对象', { targetIds: [] }, {}],
    ['投放日期已结束，请修改结束日期', { dateFrom: formatDayFromToday(-3), dateTo: formatDayFromToday(-1) }, {}],
    ['插播将打断 3 块屏幕正在播放的内容，请输入屏幕数量确认', { insertMode: 1 }, { screens: 2 }],
  ])('publishing is refused with the message %s', async (msg, fields, body) => {
    expect((await post(`publish/${await draft(fields)}`, body)).msg).toBe(msg)
  })

  test('publishing is refused while an ad of the program is disabled', async () => {
    const stopped = await createApprovedAd(server.db, { name: '停用的' })
    const id = await draft({ items: [{ adId: stopped }] })
    await server.db.execute(sql`update ads set enable_stat = 0 where id = ${stopped}`)
    expect((await post(`publish/${id}`)).msg).toBe('广告《停用的》已停用')
  })
})

describe('AD-05 a takeover needs a second person', () => {
  test('a dry run of a tenant finds the accounts of the tenant that may approve', async () => {
    const tenant = '审批客户'
    const customer = await server.by({ tenant, permissions: PERMISSIONS })
    const { rows } = await server.db.execute<{ id: number }>(
      sql`select tenant_id as id from accounts where uid = ${customer.uid}`,
    )
    const tenantId = rows[0]?.id as number
    const own = await createScreens(server.db, { tenantId })
    const items = [{ adId: await createApprovedAd(server.db, { tenantId }) }]
    const program = buildProgramInput({ items, targetIds: own.ids, insertMode: 1 })
    const { data } = await customer.call('POST', ROOT, program)
    const approval = async () => (await customer.call('GET', `${ROOT}/dryRun?id=${data.id}`)).data
    expect(await approval()).toMatchObject({ needsApproval: true, hasApprover: false })
    await server.by({ tenant, permissions: PERMISSIONS })
    expect(await approval()).toMatchObject({ needsApproval: true, hasApprover: true })
  })

  test('another account must approve a takeover; until then the published version stays live', async () => {
    const id = await draft({ programName: '插播' })
    await post(`publish/${id}`)
    const { rev } = await read(id)
    const takeover = buildProgramInput({ items: [{ adId: ad }], targetIds: screens.ids, insertMode: 1 })
    await staff.call('PUT', ROOT, { ...takeover, id, rev })
    const approval = async () => (await staff.call('GET', `${ROOT}/dryRun?id=${id}`)).data
    expect(await approval()).toMatchObject({ needsApproval: true, hasApprover: true })
    await server.db.execute(sql`update accounts set status = 0 where uid <> ${staff.uid}`)
    expect(await approval()).toMatchObject({ needsApproval: true, hasApprover: false })
    await server.db.execute(sql`update accounts set status = 1`)
    expect(await post(`publish/${id}`, { screens: 3 })).toMatchObject({
      msg: '已提交，等待另一人审批',
      data: { isWaiting: true, status: 2 },
    })
    expect(await read(id)).toMatchObject({ publishedVer: 1, waitingVer: 2, status: 2, isOwnWaiting: true })
    expect((await other.call('GET', `${ROOT}/${id}`)).data).toMatchObject({ waitingVer: 2, isOwnWaiting: false })
    expect((await post(`publish/${id}`, { screens: 3 })).msg).toBe('节目单正在等待审批，请先撤回')
    const verdict = { id, verNo: 2, auditStatus: 2 }
    expect((await post('audit', verdict)).msg).toBe('不能审批自己提交的发布，请由另一人审批')
    expect((await post('audit', { ...verdict, auditStatus: 3 }, other)).msg).toBe('请填写驳回原因')
    expect((await post('audit', { ...verdict, auditStatus: 3, remark: '改' }, other)).msg).toBe('审批完成')
    expect(await read(id)).toMatchObject({ rejectedRemark: '改', verNo: 2 })
    expect(await read(id)).toMatchObject({ publishedVer: 1, waitingVer: 0, status: 2 })
    await post(`publish/${id}`, { screens: 3 })
    expect((await post('audit', { ...verdict, verNo: 3 }, other)).data).toMatchObject({ status: 2, verNo: 3 })
    expect(await versionsOf(id)).toEqual([
      [3, 2],
      [2, 4],
      [1, 3],
    ])
  })

  test('a takeover that waits for approval can be withdrawn', async () => {
    const id = await draft({ insertMode: 2, priority: 4 })
    expect((await post(`publish/${id}`, { screens: 3 })).data.status).toBe(1)
    const listed = await staff.call('GET', `${ROOT}/page?status=1`)
    expect(listed.data.list.map((row: { id: number }) => row.id)).toContain(id)
    expect((await post(`withdraw/${id}`)).data.status).toBe(0)
    expect((await post('audit', { id, verNo: 1, auditStatus: 2 }, other)).msg).toBe('版本 1 已被撤回，不需要再审批')
    expect(await versionsOf(id)).toEqual([[1, 5]])
  })

  test('approving and resuming a takeover are refused while a conflicting takeover is live', async () => {
    const own = await createScreens(server.db, { count: 1 })
    const takeover = () => draft({ targetIds: own.ids, insertMode: 1, priority: 9 })
    const [first, second] = [await takeover(), await takeover()]
    for (const id of [first, second]) await post(`publish/${id}`, { screens: 1 })
    expect((await post('audit', { id: first, verNo: 1, auditStatus: 2 }, other)).code).toBe(200)
    expect((await post('audit', { id: second, verNo: 1, auditStatus: 2 }, other)).msg).toMatch(/^请先处理冲突：/)
    expect(await read(second)).toMatchObject({ status: 1, publishedVer: 0, waitingVer: 1 })
    await post(`pause/${first}`)
    expect((await post('audit', { id: second, verNo: 1, auditStatus: 2 }, other)).code).toBe(200)
    expect((await post(`resume/${first}`)).msg).toMatch(/^请先处理冲突：/)
    expect((await read(first)).status).toBe(4)
    await post(`withdraw/${second}`)
    expect((await post(`resume/${first}`)).data.status).toBe(2)
    await post(`withdraw/${first}`)
  })

  test('only one of two conflicting takeovers that are approved simultaneously goes live', async () => {
    const own = await createScreens(server.db, { count: 1 })
    const takeover = () => draft({ targetIds: own.ids, insertMode: 1, priority: 9 })
    const ids = [await takeover(), await takeover()]
    for (const id of ids) await post(`publish/${id}`, { screens: 1 })
    const verdicts = await Promise.all(ids.map((id) => post('audit', { id, verNo: 1, auditStatus: 2 }, other)))
    expect(verdicts.map(({ code }) => code === 200).sort()).toEqual([false, true])
    expect(verdicts.find(({ code }) => code !== 200)?.msg).toMatch(/^请先处理冲突：/)
    for (const id of ids) await post(`withdraw/${id}`)
  })
})

test("AD-05 publishing a default program that reaches screens outside the publisher's data scope is refused", async () => {
  const tenant = '默认客户'
  const everyone = await server.by({ tenant, permissions: PERMISSIONS })
  const limited = await server.by({ tenant, permissions: PERMISSIONS, dataScope: 4 })
  const { rows } = await server.db.execute<{ id: number }>(sql`select id from tenants where name = ${tenant}`)
  const tenantId = rows[0]!.id
  const adId = await createApprovedAd(server.db, { tenantId })
  await createScreens(server.db, { tenantId, count: 1 })
  const { data } = await limited.call('POST', ROOT, buildProgramInput({ items: [{ adId }], isDefault: 1 }))
  expect((await post(`publish/${data.id}`, {}, limited)).msg).toBe('默认节目单会投放到您数据范围以外的屏幕')
  expect((await post(`publish/${data.id}`, {}, everyone)).code).toBe(200)
})

test('AD-05 a video in a published program gets the duration of its newly approved file without republishing', async () => {
  const video = await createApprovedAd(server.db, { name: '片', type: 2 })
  const own = await createScreens(server.db, { count: 1 })
  const id = await draft({ items: [{ adId: video }], targetIds: own.ids })
  await post(`publish/${id}`)
  expect(await read(id)).toMatchObject({ totalDuration: 15, hasChanges: false })
  await server.db.execute(sql`insert into ad_versions (ad_id, ver_no, tenant_id, body, content_hash, submit_by, audit_status)
    select ad_id, 2, tenant_id, jsonb_set(body, '{review,durationMs}', '30400'), 'next', 1, 2 from ad_versions
    where ad_id = ${video}`)
  await server.db.execute(sql`update ads set approved_ver = 2, ver_no = 2 where id = ${video}`)
  const program = await read(id)
  expect(program).toMatchObject({ totalDuration: 30, hasChanges: false })
  expect(program.items).toMatchObject([{ duration: 30 }])
  const { data } = await staff.call('GET', `${ROOT}/agenda?sn=${own.sns[0]}`)
  expect(data.planned).toMatchObject({ programId: id, ms: 30_400 })
  expect((await post(`publish/${id}`)).data.verNo).toBe(1)
  await post(`withdraw/${id}`)
})

test('AD-05 targets can be devices, device groups, models or tenants, limited to the tenant of the program', async () => {
  const { db } = server
  const customer = await server.by({ tenant: '目标客户' })
  const { rows } = await db.execute<{ id: number }>(
    sql`select tenant_id as id from accounts where uid = ${customer.uid}`,
  )
  const tenantId = rows[0]?.id as number
  const mine = await createScreens(db, { tenantId })
  const target = (owner: number, targetType: number, targetIds: number[]) =>
    listTargetScreens(db, { tenantId: owner, targetType, targetIds })
  expect(await target(1, 1, [...mine.ids, 2_000_000_000])).toEqual(mine.ids)
  expect(await target(tenantId, 1, screens.ids)).toEqual([])
  expect(await target(1, 3, [mine.modelId, screens.modelId])).toEqual([...screens.ids, ...mine.ids])
  expect(await target(tenantId, 3, [mine.modelId, screens.modelId])).toEqual(mine.ids)
  expect(await target(1, 4, [tenantId])).toEqual(mine.ids)
  const group = async (kind: number, rule: object | null) => {
    const made = await db.execute<{ id: number }>(sql`insert into device_groups (tenant_id, group_name, kind, rule)
      values (${tenantId}, ${`组${kind}`}, ${kind}, ${rule && JSON.stringify(rule)}::jsonb) returning id`)
    return made.rows[0]?.id as number
  }
  const fixed = await group(1, null)
  await db.execute(sql`insert into device_group_members values (${fixed}, ${mine.ids[0]})`)
  const dynamic = await group(2, { snPrefix: mine.sns[1] })
  expect(await target(tenantId, 2, [fixed])).toEqual([mine.ids[0]])
  expect(await target(tenantId, 2, [fixed, dynamic])).toEqual(mine.ids)
  await db.execute(sql`update device_groups set status = 0 where id = ${dynamic}`)
  expect(await target(tenantId, 2, [dynamic])).toEqual([])
  expect(await listTargetScreens(db, { tenantId, targetType: 1, targetIds: [], isDefault: 1 })).toEqual(mine.ids)
})

test('AD-05 a program ends after its last daypart, also when this daypart crosses midnight', async () => {
  const id = await draft({
    dateTo: formatDayFromToday(0),
    dateFrom: formatDayFromToday(0),
    dayParts: [{ start: '22:00', end: '02:00' }],
  })
  await post(`publish/${id}`)
  const at = (clock: string) => new Date(`${formatDayFromToday(1)}T${clock}+08:00`)
  await endPrograms(server.services, at('01:59:59'))
  expect((await read(id)).status).toBe(2)
  await endPrograms(server.services, at('02:00:00'))
  expect(await read(id)).toMatchObject({ status: 5, publishedVer: 0 })
  expect(await readAdUses(server.db, id)).toEqual([ad])
})

describe('AD-05 items of published programs', () => {
  test('a new item never gets the id of a removed item of a published version', async () => {
    const id = await draft({ items: [{ adId: ad }, { adId: ad }] })
    expect((await post(`publish/${id}`, { verNo: 0 })).code).toBe(200)
    const save = async (items: readonly object[]) => {
      const { rev } = await read(id)
      return staff.call('PUT', ROOT, { ...buildProgramInput({ items, targetIds: screens.ids }), id, rev })
    }
    expect((await save([{ itemId: 1, adId: ad }])).code).toBe(200)
    expect((await save([{ itemId: 1, adId: ad }, { adId: ad }])).code).toBe(200)
    expect((await read(id)).items.map(({ itemId }: { itemId: number }) => itemId)).toEqual([1, 3])
  })
})
