import { AD_TYPE } from '@oms/contract/advertise/engine/manifest.ts'
import { ALL_PERMISSIONS } from '@oms/contract/catalogue.ts'
import { sql } from 'drizzle-orm'
import { beforeAll, expect, test } from 'vitest'
import { type Caller, useApp } from '#test/harness.ts'
import {
  buildProgramInput,
  createApprovedAd,
  createScreens,
  formatDayFromToday,
} from '#test/fixtures/program-fixture.ts'

const app = useApp({ OMS_AD_TWO_PERSON: 'off' })
const ROOT = '/api/v1/advertise/program'
const SECRET = '外部秘密'
let staff: Caller
let limited: Caller
let customer: Caller
let inside: number
let outside: number
let screens: { ids: number[]; sns: string[] }

const tenantOf = async (name: string) => {
  const { rows } = await app.db.execute<{ id: number }>(sql`select id from tenants where name = ${name}`)
  return rows[0]!.id
}
beforeAll(async () => {
  staff = await app.by({ superAdmin: true })
  customer = await app.by({ tenant: '范围之内', permissions: [...ALL_PERMISSIONS] })
  await app.by({ tenant: '范围之外' })
  ;[inside, outside] = [await tenantOf('范围之内'), await tenantOf('范围之外')]
  limited = await app.by({ permissions: [...ALL_PERMISSIONS], dataScope: 3, scopeIds: [inside] })
  screens = await createScreens(app.db, { tenantId: inside, count: 1 })
})

const foreignAd = (fields: object = {}) => createApprovedAd(app.db, { tenantId: outside, name: SECRET, ...fields })
/** Creates a draft of the platform for the screens of a tenant in the data scope. */
async function draft(adIds: readonly number[], fields: object = {}) {
  const items = adIds.map((adId) => ({ adId }))
  const input = buildProgramInput({ items, targetType: 4, targetIds: [inside], ...fields })
  return (await staff.call('POST', ROOT, input)).data.id as number
}

test('AD-05 the conflict check shows limited staff no name and id of ads outside their data scope', async () => {
  const disabled = await foreignAd()
  const ending = [
    await foreignAd({ validTo: formatDayFromToday(0) }),
    await foreignAd({ validTo: formatDayFromToday(0) }),
  ]
  const own = await createApprovedAd(app.db, { name: '平台的', validTo: formatDayFromToday(0) })
  const id = await draft([disabled, ...ending, own])
  await app.db.execute(sql`update ads set enable_stat = 0 where id = ${disabled}`)
  const path = `${ROOT}/conflict?id=${id}`
  const known = (await staff.call('GET', path)).data.errors
  expect(known.filter(({ text }: { text: string }) => text.includes(SECRET))).toHaveLength(2)
  const { errors } = (await limited.call('GET', path)).data
  const end = `有效期至 ${formatDayFromToday(0)}，早于节目单的最后投放日期`
  expect(errors.toSorted((a: { text: string }, b: { text: string }) => (a.text < b.text ? -1 : 1))).toEqual(
    [
      { code: 'adDisabled', text: '广告《数据范围之外的广告 1》已停用', screens: 1, adId: null },
      { code: 'adEndsEarlier', text: `广告《数据范围之外的广告 2》${end}`, screens: 1, adId: null },
      { code: 'adEndsEarlier', text: `广告《数据范围之外的广告 3》${end}`, screens: 1, adId: null },
      { code: 'adEndsEarlier', text: `广告《平台的》${end}`, screens: 1, adId: own },
    ].toSorted((a, b) => (a.text < b.text ? -1 : 1)),
  )
  const answers = ['conflict', 'dryRun'].map((call) => limited.call('GET', `${ROOT}/${call}?id=${id}`))
  for (const answer of await Promise.all(answers)) expect(JSON.stringify(answer)).not.toContain(SECRET)
})

test('AD-12 agenda and preview hide the names of ads of tenants outside the data scope', async () => {
  const id = await draft([await foreignAd()], { programName: '平台节目' })
  expect(await staff.call('POST', `${ROOT}/publish/${id}`)).toMatchObject({ code: 200 })
  const agenda = (who: Caller) => who.call('GET', `${ROOT}/agenda?sn=${screens.sns[0]}`)
  expect((await agenda(staff)).data.planned).toMatchObject({ programName: '平台节目', adName: SECRET })
  const own = await createApprovedAd(app.db, { tenantId: inside, name: '自己的' })
  const preview = buildProgramInput({ items: [{ adId: own }], targetIds: screens.ids, deviceId: screens.ids[0] })
  for (const who of [limited, customer]) {
    expect((await agenda(who)).data.planned).toMatchObject({ programName: '平台节目', adName: '数据范围之外的广告' })
    const manifest = await who.call('POST', `${ROOT}/manifest`, preview)
    expect(manifest.data.ads).toMatchObject([
      { name: '数据范围之外的广告', type: AD_TYPE.text, text: { content: '数据范围之外的广告' }, files: [] },
      { name: '自己的', type: AD_TYPE.image, text: null, files: [{ mime: 'image/png' }] },
    ])
    expect(JSON.stringify([await agenda(who), manifest])).not.toContain(SECRET)
  }
})

test('AD-12 the agenda shows the names of ads of the platform and of the own tenant', async () => {
  await app.db.execute(sql`update ad_programs set status = 5, published_ver = 0`)
  const own = await createApprovedAd(app.db, { tenantId: inside, name: '自己的' })
  for (const [adId, name] of [
    [own, '自己的'],
    [await createApprovedAd(app.db, { name: '平台的' }), '平台的'],
  ] as const) {
    const id = await draft([adId])
    expect(await staff.call('POST', `${ROOT}/publish/${id}`)).toMatchObject({ code: 200 })
    for (const who of [limited, customer])
      expect((await who.call('GET', `${ROOT}/agenda?sn=${screens.sns[0]}`)).data.planned.adName).toBe(name)
    await staff.call('POST', `${ROOT}/withdraw/${id}`)
  }
})
