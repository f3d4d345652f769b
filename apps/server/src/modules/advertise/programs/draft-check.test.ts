import { sql } from 'drizzle-orm'
import { beforeAll, expect, test } from 'vitest'
import { type Caller, useApp } from '#test/harness.ts'
import { buildProgramInput, createApprovedAd, createScreens } from '#test/fixtures/program-fixture.ts'

const server = useApp({ OMS_AD_TWO_PERSON: 'off' })
const ROOT = '/api/v1/advertise/program'
const PERMISSIONS = ['list', 'query', 'add', 'publish'].map((a) => `advertiseManage:ProgramList:${a}`)

let staff: Caller
let ad: number
beforeAll(async () => {
  staff = await server.by({ permissions: PERMISSIONS })
  ad = await createApprovedAd(server.db, { name: '早餐' })
})

const countPrograms = async () => {
  const { rows } = await server.db.execute<{ count: number }>(sql`select count(*)::int as count from ad_programs`)
  return rows[0]?.count
}
const check = (kind: 'conflict' | 'dryRun', input: object, who = staff) => who.call('POST', `${ROOT}/${kind}`, input)

test('AD-05 an unsaved program can be checked for conflicts and in a dry run without being stored', async () => {
  const { ids } = await createScreens(server.db, { count: 2 })
  const content = buildProgramInput({ items: [{ adId: ad }], targetIds: ids, programName: '份额甲', shareOfVoice: 60 })
  const { data } = await staff.call('POST', ROOT, content)
  expect((await staff.call('POST', `${ROOT}/publish/${data.id}`, {})).code).toBe(200)
  const before = await countPrograms()
  const second = { ...content, programName: '份额乙', shareOfVoice: 50 }
  const found = await check('conflict', second)
  expect(found.data).toMatchObject({ screens: 2, errors: [{ code: 'sharesAbove100', screens: 2 }] })
  expect((await check('dryRun', second)).data).toMatchObject({ screens: 2, hasTargets: true })
  expect((await check('dryRun', { ...second, targetIds: [] })).data).toMatchObject({ screens: 0, hasTargets: false })
  expect(await countPrograms()).toBe(before)
})

test('AD-05 a check of an edited program uses the edited content, not the stored content', async () => {
  const { ids } = await createScreens(server.db, { count: 3 })
  const stored = buildProgramInput({ items: [{ adId: ad }], targetIds: ids.slice(0, 1), programName: '已保存' })
  const { id } = (await staff.call('POST', ROOT, stored)).data
  const edited = { ...stored, id, targetIds: ids }
  expect((await check('conflict', edited)).data).toMatchObject({ screens: 3 })
  expect((await check('dryRun', edited)).data).toMatchObject({ screens: 3 })
  expect((await staff.call('GET', `${ROOT}/dryRun?id=${id}`)).data).toMatchObject({ screens: 1 })
  expect((await staff.call('GET', `${ROOT}/${id}`)).data.targetIds).toEqual(ids.slice(0, 1))
})

test('AD-05 checks refuse the same input as a save: targets and programs outside the data scope and wrong dates', async () => {
  const { ids } = await createScreens(server.db, { count: 1 })
  const tenant = await server.by({ tenant: '检查客户', permissions: PERMISSIONS })
  const content = buildProgramInput({ items: [{ adId: ad }], targetIds: ids })
  const { id } = (await staff.call('POST', ROOT, content)).data
  for (const kind of ['conflict', 'dryRun'] as const) {
    expect((await check(kind, { ...content, id }, tenant)).msg).toMatch(/^节目单/)
    expect((await check(kind, content, tenant)).code).toBe(400)
    expect((await check(kind, { ...content, tenantId: 1 }, tenant)).msg).toBe('请选择客户')
    expect((await check(kind, { ...content, targetIds: [2_000_000_000] })).msg).toBe('投放对象不存在或已被删除')
    expect((await check(kind, { ...content, dateTo: '2000-01-01' })).msg).toBe('结束日期不能早于开始日期')
  }
})
