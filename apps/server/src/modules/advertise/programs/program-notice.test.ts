import { sql } from 'drizzle-orm'
import { beforeAll, expect, test } from 'vitest'
import { type Caller, useApp } from '#test/harness.ts'
import { buildProgramInput, createApprovedAd, createScreens } from '#test/fixtures/program-fixture.ts'

const app = useApp({ OMS_AD_TWO_PERSON: 'on' })
const ROOT = '/api/v1/advertise/program'
const PERMISSIONS = ['list', 'query', 'add', 'publish', 'audit'].map((a) => `advertiseManage:ProgramList:${a}`)
const AUDIT_ADS = 'advertiseManage:adList:audit'

let author: Caller
let inside: number
let outside: number
const staff: Record<string, Caller> = {}

const tenantOf = async (name: string) => {
  const { rows } = await app.db.execute<{ id: number }>(sql`select id from tenants where name = ${name}`)
  return rows[0]!.id
}
beforeAll(async () => {
  const permissions = [...PERMISSIONS, AUDIT_ADS]
  const tenant = '范围之内'
  staff.owner = await app.by({ tenant, permissions })
  staff.ownRecords = await app.by({ tenant, permissions, dataScope: 4 })
  await app.by({ tenant: '范围之外' })
  ;[inside, outside] = [await tenantOf(tenant), await tenantOf('范围之外')]
  author = await app.by({ superAdmin: true })
  staff.all = await app.by({ permissions })
  staff.inside = await app.by({ permissions, dataScope: 3, scopeIds: [inside] })
  staff.outside = await app.by({ permissions, dataScope: 3, scopeIds: [outside] })
  staff.mine = await app.by({ permissions, dataScope: 4 })
  for (const tenantId of [1, inside, outside]) await createScreens(app.db, { tenantId, count: 1 })
})

/** Returns the names of the accounts of `staff` that received messages with this text since the last call. */
async function readersOf(text: string) {
  const { rows } = await app.db.execute<{ ids: number[] }>(
    sql`select target_ids as ids from notices where title like ${`%${text}%`} or content like ${`%${text}%`}`,
  )
  const uids = rows.flatMap(({ ids }) => ids)
  return Object.entries(staff).flatMap(([name, { uid }]) => (uids.includes(uid) ? [name] : []))
}
async function submit(programName: string, targetIds: readonly number[]) {
  const items = [{ adId: await createApprovedAd(app.db) }]
  const input = buildProgramInput({ programName, items, targetType: 4, targetIds })
  const { data } = await author.call('POST', ROOT, input)
  expect(await author.call('POST', `${ROOT}/publish/${data.id}`)).toMatchObject({ data: { isWaiting: true } })
  return data.id as number
}

test.each([
  ['a tenant', () => [inside], ['all', 'inside']],
  ['two tenants', () => [inside, outside], ['all']],
] as const)(
  'AD-05 a platform program for %s is sent for approval only to staff whose data scope contains its targets',
  async (kind, targets, readers) => {
    const name = `审批${kind}`
    const id = await submit(name, targets())
    await expect.poll(() => readersOf(name)).toEqual(readers)
    const verdict = { id, verNo: 1, auditStatus: 3, remark: '不合适' }
    const others = Object.entries(staff).filter(([key]) => !readers.some((reader) => reader === key))
    for (const [key, caller] of others)
      expect((await caller.call('POST', `${ROOT}/audit`, verdict)).code, key).not.toBe(200)
    expect(await staff[readers.at(-1)!]!.call('POST', `${ROOT}/audit`, verdict)).toMatchObject({ code: 200 })
  },
)

test('AD-05 accounts limited to their own records get no approval requests for programs of others', async () => {
  const creator = await app.by({ tenant: '范围之内', permissions: PERMISSIONS })
  const { ids } = await createScreens(app.db, { tenantId: inside, count: 1 })
  const items = [{ adId: await createApprovedAd(app.db, { tenantId: inside }) }]
  const { data } = await creator.call('POST', ROOT, buildProgramInput({ programName: '客户的', items, targetIds: ids }))
  await creator.call('POST', `${ROOT}/publish/${data.id}`)
  await expect.poll(() => readersOf('节目单待审批：客户的')).toEqual(['owner'])
})

test('AD-03 staff get no review request for an ad that is shown to a tenant outside their data scope', async () => {
  const id = await submit('在用', [inside, outside])
  const { rows } = await app.db.execute<{ adId: number }>(
    sql`select ad_id as "adId" from ad_uses where program_id = ${id}`,
  )
  const { adId } = rows[0]!
  const ads = '/api/v1/advertise/ad'
  const { rev } = (await author.call('GET', `${ads}/${adId}`)).data
  const text = { id: adId, rev, confirmRemoval: 1, adName: '文字', adType: 4, text: { content: '改写' } }
  expect(await author.call('PUT', ads, text)).toMatchObject({ code: 200 })
  expect(await author.call('POST', `${ads}/submit/${adId}`)).toMatchObject({ code: 200 })
  await expect.poll(() => readersOf('广告待审核')).toEqual(['all'])
})
