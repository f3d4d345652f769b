import { sql } from 'drizzle-orm'
import { beforeAll, expect, test } from 'vitest'
import { type Caller, useApp } from '#test/harness.ts'
import { buildProgramInput, createApprovedAd, createScreens } from '#test/fixtures/program-fixture.ts'

const server = useApp({ OMS_AD_TWO_PERSON: 'off' })
const ROOT = '/api/v1/advertise/program'
const PERMISSIONS = ['list', 'query', 'add', 'publish', 'pause'].map((a) => `advertiseManage:ProgramList:${a}`)
let staff: Caller
let screens: readonly number[]
const programs: number[] = []

const loaded = async () => {
  await server.services.fleet.ready()
  return programs.filter((id) => server.services.adDelivery.index.programs.has(id)).length
}

beforeAll(async () => {
  staff = await server.by({ permissions: PERMISSIONS })
  const adId = await createApprovedAd(server.db)
  screens = (await createScreens(server.db, { count: 4 })).ids
  for (const targetIds of [screens, screens.slice(0, 2), screens]) {
    const body = buildProgramInput({ items: [{ adId }], targetIds })
    programs.push((await staff.call('POST', ROOT, body)).data.id)
  }
  for (const id of programs) await staff.call('POST', `${ROOT}/publish/${id}`, {})
  await staff.call('POST', `${ROOT}/pause/${programs[2]}`, {})
})

const counts = (who: Caller = staff) =>
  who.call('GET', `${ROOT}/deliveryCount?${programs.map((id) => `ids=${id}`).join('&')}`)
/** Stores a report of a screen with the ETag of its present manifest and `lacking` missing files. */
async function report(deviceId: number, lacking = 0) {
  const { fleet, adDelivery } = server.services
  const { etag } = adDelivery.index.manifestOf(fleet.slots.slotOf(deviceId))
  await server.db.execute(sql`update ad_screens set applied_etag = ${etag}, total_files = 1, ready_files = ${1 - lacking}
    where device_id = ${deviceId}`)
}

test('AD-05 the counts of the list agree with the delivery of each program in force', async () => {
  await expect.poll(loaded, { timeout: 20_000 }).toBe(2)
  await report(screens[0]!)
  await report(screens[1]!, 1)
  await report(screens[3]!)
  const { data } = await counts()
  expect(data.list.toSorted((a: { id: number }, b: { id: number }) => a.id - b.id)).toEqual([
    { id: programs[0], screens: 4, ready: 2 },
    { id: programs[1], screens: 2, ready: 1 },
  ])
  for (const { id, screens: all, ready } of data.list) {
    const { states, total } = (await staff.call('GET', `${ROOT}/delivery/${id}`)).data
    const count = states.find(({ state }: { state: number }) => state === 2)?.count ?? 0
    expect([total, count]).toEqual([all, ready])
  }
})

test('AD-05 a tenant gets no delivery counts of platform programs', async () => {
  const tenant = await server.by({ tenant: '进度客户', permissions: PERMISSIONS })
  expect((await counts(tenant)).data).toEqual({ list: [] })
})
