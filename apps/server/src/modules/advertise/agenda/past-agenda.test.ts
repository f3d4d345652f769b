import { sql } from 'drizzle-orm'
import { beforeAll, expect, test } from 'vitest'
import { formatLocalTime } from '#core/time/zone.ts'
import { type Caller, useApp } from '#test/harness.ts'
import {
  buildProgramInput,
  createApprovedAd,
  createScreens as createScreensNow,
  formatDayFromToday,
} from '../programs/program-fixture.ts'

const server = useApp({ OMS_AD_TWO_PERSON: 'off' })
const ROOT = '/api/v1/advertise/program'
const PERMISSIONS = ['list', 'query', 'add', 'edit', 'publish', 'pause', 'withdraw', 'remove'].map(
  (action) => `advertiseManage:ProgramList:${action}`,
)
const HOUR_MS = 3_600_000

let staff: Caller
const ads: number[] = []
beforeAll(async () => {
  staff = await server.by({ permissions: PERMISSIONS })
  for (const name of ['旧广告', '新广告']) ads.push(await createApprovedAd(server.db, { name }))
  await server.db.execute(sql`update ad_versions set submit_time = now() - interval '9 days'`)
})

/** Creates screens that were paired 30 hours ago. */
async function createScreens(...args: Parameters<typeof createScreensNow>) {
  const made = await createScreensNow(...args)
  await server.db.execute(sql`update ad_screen_periods set from_time = now() - interval '30 hours'
    where device_id = any(${sql.param(made.ids)}::int[])`)
  return made
}
const post = (path: string, body: object = {}) => staff.call('POST', path === '' ? ROOT : `${ROOT}/${path}`, body)
const input = (fields: object) => buildProgramInput({ dateFrom: formatDayFromToday(-2), ...fields })
/** Moves the newest recorded state of a program into the past. */
const moveState = (id: number, hoursAgo: number) =>
  server.db.execute(sql`update ad_program_states set since = now() - make_interval(hours => ${hoursAgo}::int)
    where id = (select max(id) from ad_program_states where program_id = ${id})`)
const agenda = async (sn: string, hoursAgo: number) => {
  const time = formatLocalTime(Date.now() - hoursAgo * HOUR_MS, 'Asia/Shanghai')
  return (await staff.call('GET', `${ROOT}/agenda?sn=${sn}&time=${encodeURIComponent(time)}`)).data
}
type Because = { programId: number; text: string }
const textsOf = (data: { because: Because[] }) =>
  Object.fromEntries(data.because.map(({ programId, text }) => [programId, text]))

test('AD-12 the agenda of a past moment has the version in force at that moment, also after a replacement, a pause and a deletion', async () => {
  const own = await createScreens(server.db, { count: 1 })
  const sn = own.sns[0]!
  const { id } = (await post('', input({ items: [{ adId: ads[0] }], targetIds: own.ids, programName: '甲' }))).data
  await moveState(id, 20)
  await post(`publish/${id}`)
  await moveState(id, 10)
  const { rev } = (await staff.call('GET', `${ROOT}/${id}`)).data
  const next = input({ items: [{ adId: ads[1] }], targetIds: own.ids, programName: '甲' })
  await staff.call('PUT', ROOT, { ...next, id, rev })
  await post(`publish/${id}`)
  await moveState(id, 8)
  await post(`pause/${id}`)
  await moveState(id, 6)
  await post(`withdraw/${id}`)
  await moveState(id, 4)
  expect((await staff.call('DELETE', `${ROOT}/${id}`)).code).toBe(200)
  await moveState(id, 2)
  expect(await agenda(sn, 12)).toMatchObject({ planned: { programId: 0 }, because: [], isPast: true, isRecorded: true })
  expect((await agenda(sn, 9)).planned).toMatchObject({ programId: id, adName: '旧广告' })
  const replaced = await agenda(sn, 7)
  expect(replaced).toMatchObject({ planned: { programId: id, adName: '新广告' }, reported: null, isPast: true })
  expect(replaced.segments.some(({ programs }: { programs: unknown[] }) => programs.length > 0)).toBe(true)
  const paused = await agenda(sn, 5)
  expect([paused.planned.programId, textsOf(paused)]).toEqual([0, { [id]: '已暂停' }])
  expect(await agenda(sn, 3)).toMatchObject({ planned: { programId: 0 }, because: [] })
  const present = (await staff.call('GET', `${ROOT}/agenda?sn=${sn}`)).data
  expect(present).toMatchObject({ planned: { programId: 0 }, isPast: false, isRecorded: true })
})

test('AD-12 in a past agenda an ad plays from its approval on, also when the ad is disabled now', async () => {
  const own = await createScreens(server.db, { count: 1 })
  const adId = await createApprovedAd(server.db, { name: '刚通过' })
  const { id } = (await post('', input({ items: [{ adId }], targetIds: own.ids, programName: '乙' }))).data
  await post(`publish/${id}`)
  await moveState(id, 10)
  await server.db.execute(sql`update ad_versions set submit_time = now() - interval '9 hours', audit_time = now() - interval '5 hours'
    where ad_id = ${adId}`)
  await server.db.execute(sql`update ads set enable_stat = 0 where id = ${adId}`)
  expect(textsOf(await agenda(own.sns[0]!, 7))).toEqual({ [id]: '广告未通过审核' })
  expect((await agenda(own.sns[0]!, 3)).planned).toMatchObject({ programId: id, adName: '刚通过' })
  expect(textsOf((await staff.call('GET', `${ROOT}/agenda?sn=${own.sns[0]}`)).data)).toEqual({ [id]: '广告已停用' })
})

test('AD-12 a past agenda has isRecorded false for moments before the table of states existed', async () => {
  const own = await createScreens(server.db, { count: 1 })
  const { id } = (await post('', input({ items: [{ adId: ads[0] }], targetIds: own.ids, programName: '丙' }))).data
  await post(`publish/${id}`)
  await moveState(id, 10)
  await server.db.execute(sql`update ad_program_states set recorded = 0 where program_id = ${id}`)
  expect(await agenda(own.sns[0]!, 7)).toMatchObject({ planned: { programId: id }, isRecorded: false })
  await server.db.execute(sql`update ad_program_states set recorded = 1 where program_id = ${id}`)
})

test('AD-12 agenda and preview omit a program that exceeds the capacity of the screen, and give the reason', async () => {
  const own = await createScreens(server.db, { count: 1 })
  const fields = { items: [{ adId: ads[0] }], targetIds: own.ids }
  const { id } = (await post('', input({ ...fields, programName: '满' }))).data
  await post(`publish/${id}`)
  await server.db.execute(sql`with made as (
      insert into ad_programs (tenant_id, program_name, date_from, date_to, target_type, target_ids, ver_no, published_ver, status)
      select tenant_id, '占位', date_from, date_to, target_type, target_ids, 1, 1, 2 from ad_programs, generate_series(1, 50)
      where id = ${id} returning id)
    insert into ad_program_versions (program_id, ver_no, tenant_id, body, target_type, target_ids, state, publish_by)
    select made.id, 1, tenant_id, body || jsonb_build_object('id', made.id, 'name', '占位', 'priority', 9), target_type,
      target_ids, 2, 1 from made, ad_program_versions where program_id = ${id}`)
  const { data } = await staff.call('GET', `${ROOT}/agenda?sn=${own.sns[0]}`)
  expect(textsOf(data)[id]).toBe('超出屏幕容量')
  expect(data.planned.programName).toBe('占位')
  const draft = { ...input({ ...fields, programName: '再来' }), deviceId: own.ids[0] }
  const preview = (await post('manifest', draft)).data
  expect(preview.left.toSorted()).toEqual(['再来', '满'].toSorted())
  expect(preview.programs).toHaveLength(50)
  expect((await post('conflict', input({ ...fields, programName: '再来' }))).data.errors).toMatchObject([
    { code: 'tooLarge', text: '该屏幕的节目超出容量：52 个节目单，最多 50 个' },
  ])
})

test('AD-12 a past agenda says when the screen was not paired, and its day begins with the pairing', async () => {
  const own = await createScreens(server.db, { count: 1 })
  const { id } = (await post('', input({ items: [{ adId: ads[0] }], targetIds: own.ids, programName: '未配对' }))).data
  await post(`publish/${id}`)
  await moveState(id, 20)
  await server.db.execute(
    sql`update ad_screen_periods set from_time = now() - interval '3 hours' where device_id = ${own.ids[0]}`,
  )
  expect(await agenda(own.sns[0]!, 4)).toMatchObject({
    planned: { programId: 0 },
    because: [],
    isPaired: false,
    segments: [],
  })
  await server.db.execute(sql`update ad_screens set audience_factor = 5 where device_id = ${own.ids[0]}`)
  const paired = await agenda(own.sns[0]!, 2)
  expect(paired).toMatchObject({ planned: { programId: id }, isPaired: true })
  const first = Math.max(paired.from, Date.now() - 3 * HOUR_MS)
  expect(Math.abs(paired.segments[0].start - first)).toBeLessThan(60_000)
})
