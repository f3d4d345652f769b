import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Caller, useApp } from '#test/harness.ts'
import {
  createApprovedAd,
  formatDayFromToday,
  buildProgramInput,
  createScreens,
  readAdUses,
} from '#test/fixtures/program-fixture.ts'

const server = useApp()
const ROOT = '/api/v1/advertise/program'
const PERMISSIONS = ['list', 'query', 'add', 'edit', 'remove', 'copy'].map(
  (action) => `advertiseManage:ProgramList:${action}`,
)

let staff: Caller
let ad: number
let video: number
beforeAll(async () => {
  staff = await server.by({ permissions: PERMISSIONS })
  ad = await createApprovedAd(server.db, { name: '早餐' })
  video = await createApprovedAd(server.db, { name: '片', type: 2 })
})

const create = (fields: object, who = staff) => who.call('POST', ROOT, buildProgramInput(fields))
const read = async (id: number, who = staff) => (await who.call('GET', `${ROOT}/${id}`)).data

describe('AD-04 the content of a program', () => {
  test('items are numbered, videos get the duration of their file, and the total duration is the sum', async () => {
    const made = await create({ items: [{ adId: ad, duration: 12 }, { adId: video, duration: 99 }, { adId: ad }] })
    expect(made).toMatchObject({ code: 200, msg: '新增成功' })
    const detail = await read(made.data.id)
    expect(
      detail.items.map(({ itemId, adName, duration }: { itemId: number; adName: string; duration: number }) => [
        itemId,
        adName,
        duration,
      ]),
    ).toEqual([
      [1, '早餐', 12],
      [2, '片', 15],
      [3, '早餐', 10],
    ])
    expect(detail).toMatchObject({ totalDuration: 37, itemCount: 3, status: 0, verNo: 0, hasChanges: false })
    expect(await readAdUses(server.db, made.data.id)).toEqual([ad, video])
  })

  test('moved items keep their ids, and new items get new ids', async () => {
    const { data } = await create({ items: [{ adId: ad }, { adId: video }] })
    const body = { ...buildProgramInput({ items: [{ itemId: 2, adId: video }, { adId: ad }] }), id: data.id, rev: 0 }
    expect((await staff.call('PUT', ROOT, body)).data).toEqual({ rev: 1 })
    expect((await read(data.id)).items.map(({ itemId }: { itemId: number }) => itemId)).toEqual([2, 3])
    expect((await staff.call('PUT', ROOT, body)).code).toBe(400)
    const only = { ...buildProgramInput({ items: [{ itemId: 2, adId: video }] }), id: data.id, rev: 1 }
    await staff.call('PUT', ROOT, only)
    expect(await readAdUses(server.db, data.id)).toEqual([video])
  })

  test('limits of an item are stored, shown and logged as entered', async () => {
    const limits = { startDt: '2026-12-01 08:00:00', endDt: '2026-12-24 22:00:00' }
    const { data } = await create({ items: [{ adId: ad, ...limits }] })
    expect((await read(data.id)).items).toEqual([expect.objectContaining(limits)])
    const { rows } = await server.db.execute(
      sql`select diff from oper_logs where biz_id = ${String(data.id)} order by oper_id`,
    )
    expect(JSON.stringify(rows)).toContain('早餐（10秒，自2026-12-01 08:00:00，至2026-12-24 22:00:00）')
  })

  const part = (start: string, end: string) => ({ start, end })
  test.each<[string | RegExp, object]>([
    ['请输入节目单名称', { programName: ' ' }],
    ['最多32个字符', { programName: '节'.repeat(33) }],
    ['请至少添加一条广告', { items: [] }],
    ['结束日期不能早于开始日期', { dateFrom: formatDayFromToday(2) }],
    ['投放日期最长10年', { dateTo: '9999-12-31' }],
    [/^结束日期最晚为10年后的/, { dateFrom: '9995-01-01', dateTo: '9999-12-31' }],
    ['时段开始和结束不能相同', { dayParts: [part('08:00', '08:00')] }],
    ['时段不能重叠', { dayParts: [part('22:00', '02:00'), part('01:00', '03:00')] }],
    ['请选择星期', { weekdays: 0 }],
    ['只有平台的节目单可以按客户投放', { targetType: 4, targetIds: [1], tenant: true }],
    ['投放对象不存在或已被删除', { targetIds: [2_000_000_000] }],
  ])('an invalid program is refused with the message %s', async (msg, { tenant, ...fields }: { tenant?: boolean }) => {
    const who = tenant ? await server.by({ tenant: '客户乙', permissions: PERMISSIONS }) : staff
    const own = tenant ? await createApprovedAd(server.db, { tenantId: await tenantOf(who) }) : ad
    const message = typeof msg === 'string' ? msg : expect.stringMatching(msg)
    expect(await create({ items: [{ adId: own }], ...fields }, who)).toMatchObject({ code: 400, msg: message })
  })

  test('a program with more than 100 ads, an unapproved ad or an ad of another tenant is refused', async () => {
    const items = Array.from({ length: 101 }, () => ({ adId: ad }))
    expect((await create({ items })).msg).toBe('节目单最多100条广告')
    const waiting = await createApprovedAd(server.db, { name: '未审' })
    await server.db.execute(`update ads set approved_ver = 0 where id = ${waiting}`)
    expect((await create({ items: [{ adId: waiting }] })).msg).toBe('广告《未审》未通过审核')
    const wrong = { items: [{ adId: waiting }, { adId: 2_000_000_000 }], targetIds: [2_000_000_000] }
    expect((await create(wrong)).data.fields).toEqual([
      { field: 'items.0.adId', msg: '广告《未审》未通过审核' },
      { field: 'items.1.adId', msg: '广告不存在或已被删除' },
      { field: 'targetIds', msg: '投放对象不存在或已被删除' },
    ])
    const customer = await server.by({ tenant: '客户甲', permissions: PERMISSIONS })
    expect((await create({ items: [{ adId: ad }] }, customer)).msg).toBe('广告不存在或已被删除')
  })

  test('targets outside the tenant of the program are refused', async () => {
    const customer = await server.by({ tenant: '客户丙', permissions: PERMISSIONS })
    const tenantId = await tenantOf(customer)
    const own = await createApprovedAd(server.db, { tenantId })
    const foreign = await createScreens(server.db)
    const mine = await createScreens(server.db, { tenantId })
    const items = [{ adId: own }]
    expect((await create({ items, targetIds: foreign.ids }, customer)).msg).toBe('投放对象不存在或已被删除')
    const made = await create({ items, targetIds: mine.ids }, customer)
    expect((await read(made.data.id, customer)).targets.map(({ name }: { name: string }) => name)).toEqual(mine.sns)
    expect((await read(made.data.id)).tenantName).toBe('客户丙')
  })
})

const tenantOf = async ({ uid }: Caller) => {
  const { rows } = await server.db.execute<{ id: number }>(`select tenant_id as id from accounts where uid = ${uid}`)
  return rows[0]?.id as number
}

test('AD-04 copying a program creates a draft with the same content', async () => {
  const { data } = await create({ programName: '节'.repeat(32), items: [{ adId: ad, weight: 3 }], isDefault: 1 })
  const copied = await staff.call('POST', `${ROOT}/copy/${data.id}`)
  expect(copied.msg).toBe('复制成功')
  const detail = await read(copied.data.id)
  expect(detail).toMatchObject({ programName: `${'节'.repeat(29)} 副本`, isDefault: 0, status: 0 })
  expect(detail.items[0]).toMatchObject({ adId: ad, weight: 3 })
  expect((await create({ items: [{ adId: ad }], isDefault: 1 })).msg).toBe('已有默认节目单，请先取消原来的默认节目单')
})

test('AD-04 every filter of the list works, and a deleted program no longer counts as a use of its ads', async () => {
  const { data } = await create({ programName: '查找我', items: [{ adId: ad }], insertMode: 2, priority: 9 })
  const find = (query: string) => staff.call('GET', `${ROOT}/page?programName=查找我&${query}`)
  for (const query of [
    'status=0',
    'insertMode=2',
    `adId=${ad}`,
    `playDate=${formatDayFromToday(1)}`,
    'targetType=1',
    'orderByColumn=priority',
  ])
    expect((await find(query)).data.total, query).toBe(1)
  for (const query of ['status=1', 'insertMode=1', `adId=${video}`, `playDate=${formatDayFromToday(2)}`])
    expect((await find(query)).data.total, query).toBe(0)
  const offered = async (query: string) => (await staff.call('GET', `${ROOT}/option/usedAd?${query}`)).data.list
  expect((await offered('')).map((each: { id: number }) => each.id)).toContain(ad)
  expect((await offered(`keyword=没有这个广告&adId=${video}`)).map((each: { id: number }) => each.id)).toEqual([video])
  expect((await staff.call('DELETE', `${ROOT}/${data.id}`)).msg).toBe('删除成功')
  expect(await readAdUses(server.db, data.id)).toEqual([])
  expect((await staff.call('GET', `${ROOT}/${data.id}`)).msg).toBe('节目单不存在或已被删除')
})
