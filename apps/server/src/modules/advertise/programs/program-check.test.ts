import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Caller, useApp } from '#test/harness.ts'
import {
  buildProgramInput,
  createApprovedAd,
  createScreens,
  formatDayFromToday,
} from '#test/fixtures/program-fixture.ts'

const server = useApp({ OMS_AD_TWO_PERSON: 'off' })
const ROOT = '/api/v1/advertise/program'
const PERMISSIONS = ['list', 'query', 'add', 'edit', 'publish', 'pause'].map((a) => `advertiseManage:ProgramList:${a}`)

let staff: Caller
let ad: number
let screens: { modelId: number; ids: number[]; sns: string[] }
beforeAll(async () => {
  staff = await server.by({ permissions: PERMISSIONS })
  ad = await createApprovedAd(server.db, { name: '早餐' })
  screens = await createScreens(server.db, { count: 3 })
})

const get = (path: string) => staff.call('GET', `${ROOT}/${path}`)
async function draft(fields: object = {}) {
  const body = buildProgramInput({ items: [{ adId: ad }], targetIds: screens.ids, ...fields })
  return (await staff.call('POST', ROOT, body)).data.id as number
}
const publish = (id: number, body: object = {}) => staff.call('POST', `${ROOT}/publish/${id}`, body)

describe('AD-05 the conflict check', () => {
  test('a program whose shares exceed 100 on some screens cannot be published, and the screens are counted', async () => {
    const own = await createScreens(server.db, { count: 2 })
    const first = await draft({ programName: '份额甲', shareOfVoice: 60, targetIds: own.ids })
    expect((await publish(first)).code).toBe(200)
    const second = await draft({ programName: '份额乙', shareOfVoice: 50, targetIds: [...own.ids, ...screens.ids] })
    const { data } = await get(`conflict?id=${second}`)
    expect(data).toMatchObject({ screens: 5, sets: 2 })
    expect(data.errors).toHaveLength(1)
    expect(data.errors[0]).toMatchObject({ code: 'sharesAbove100', screens: 2 })
    expect((await publish(second)).msg).toMatch(/^份额合计超过100%：/)
  })

  test('the conflict check reports ads that expire before the program ends', async () => {
    const ending = await createApprovedAd(server.db, { name: '将到期', validTo: buildProgramInput().dateFrom })
    const id = await draft({ items: [{ adId: ending }] })
    const { data } = await get(`conflict?id=${id}`)
    expect(data.errors.map(({ code }: { code: string }) => code)).toEqual(['adEndsEarlier'])
    expect((await publish(id)).msg).toMatch(/^请先处理冲突：广告《将到期》有效期至/)
  })

  test('the conflict check counts screens that lack the codec of a video', async () => {
    const video = await createApprovedAd(server.db, { type: 2 })
    const other = await createScreens(server.db, { count: 2, codecs: ['vp9'] })
    const { data } = await get(`conflict?id=${await draft({ items: [{ adId: video }], targetIds: other.ids })}`)
    expect(data.warnings.map(({ text }: { text: string }) => text)).toContain('屏幕不支持部分广告的编码')
    const named = await createScreens(server.db, { count: 1, codecs: ['h264'] })
    const played = await get(`conflict?id=${await draft({ items: [{ adId: video }], targetIds: named.ids })}`)
    expect(played.data.warnings.map(({ code }: { code: string }) => code)).not.toContain('codecUnsupported')
    // Players try codecs that they do not report, for example FLAC.
    await server.db.execute(sql`update ad_versions set body = jsonb_set(body, '{files,0,codec}', '"flac"')
      where ad_id = ${video}`)
    const tried = await get(`conflict?id=${await draft({ items: [{ adId: video }], targetIds: other.ids })}`)
    expect(tried.data.warnings.filter(({ code }: { code: string }) => code === 'codecUnsupported')).toEqual([])
  })

  test('the conflict check counts screens whose size differs from the resolution of the program, if it has one', async () => {
    const own = await createScreens(server.db, { count: 3 })
    await server.db.execute(sql`update ad_screens set width = 1080, height = 1920 where device_id = ${own.ids[0]}`)
    await server.db.execute(sql`update ad_screens set width = 0, height = 0 where device_id = ${own.ids[1]}`)
    const adId = await createApprovedAd(server.db, {})
    const warned = async (resolution: string) => {
      const id = await draft({ items: [{ adId }], targetIds: own.ids, resolution })
      const { data } = await get(`conflict?id=${id}`)
      return data.warnings.filter(({ code }: { code: string }) => code === 'otherResolution')
    }
    expect(await warned('1920×1080')).toEqual([
      { code: 'otherResolution', text: '屏幕的分辨率不是 1920×1080', screens: 1, adId: null },
    ])
    expect(await warned('')).toEqual([])
  })
})

test('AD-05 the dry run counts screens by tenant, model and state, and the bytes that they must download', async () => {
  const big = await createApprovedAd(server.db, { size: 5_000_000 })
  const { data } = await get(`dryRun?id=${await draft({ items: [{ adId: big }, { adId: big }] })}`)
  expect(data).toMatchObject({ screens: 3, totalBytes: 15_000_000, maxBytes: 5_000_000, readyScreens: 0 })
  expect(data.models).toEqual([expect.objectContaining({ id: screens.modelId, count: 3 })])
  expect(data.states).toEqual([{ state: 4, count: 3 }])
  expect(data.sample.map(({ sn }: { sn: string }) => sn)).toEqual(screens.sns)
})

test('AD-05 the dry run counts the bytes of the rendition that each screen plays', async () => {
  const own = await createScreens(server.db, { count: 3 })
  await server.db.execute(sql`update ad_screens set width = 1080, height = 1920 where device_id = ${own.ids[1]}`)
  await server.db.execute(sql`update ad_screens set codecs = '{vp9}' where device_id = ${own.ids[2]}`)
  const both = await createApprovedAd(server.db, { type: 2, size: 4_000_000 })
  const upright = {
    materialId: 0,
    sha256: 'f'.repeat(64),
    size: 3_000_000,
    mime: 'video/mp4',
    width: 1080,
    height: 1920,
  }
  await server.db.execute(sql`update ad_versions set body = jsonb_set(body, '{files,1}',
    ${JSON.stringify({ ...upright, codec: 'avc1.42c015', chunks: [] })}::jsonb) where ad_id = ${both}`)
  const { data } = await get(`dryRun?id=${await draft({ items: [{ adId: both }], targetIds: own.ids })}`)
  expect(data).toMatchObject({ totalBytes: 7_000_000, maxBytes: 4_000_000, readyScreens: 1 })
  expect(data.sample.map(({ bytes }: { bytes: number }) => bytes)).toEqual([4_000_000, 3_000_000, 0])
})

test('AD-05 a program that exceeds the storage capacity of a screen cannot be published', async () => {
  const huge = await createApprovedAd(server.db, { type: 2, size: 9 * 1024 ** 3 })
  const id = await draft({ items: [{ adId: huge }] })
  expect((await publish(id)).msg).toBe('该屏幕的节目超出容量：9.0 GB，最多 8 GB')
})

test('AD-05 the screens of all delivery states add up to the targeted screens', async () => {
  const own = await createScreens(server.db, { count: 4 })
  await server.db.execute(sql`update ad_screens set last_report_time = now(), failed = '[{"sha256":"","reason":"校验失败"}]'
    where device_id = ${own.ids[0]}`)
  const id = await draft({ targetIds: own.ids })
  await publish(id)
  const { data } = await get(`delivery/${id}`)
  expect(data).toMatchObject({ total: 4, failures: [{ reason: '校验失败', count: 1 }] })
  expect(data.states).toEqual([
    { state: 3, count: 1 },
    { state: 4, count: 3 },
  ])
  expect((await get(`delivery/${id}?state=3`)).data.list[0]).toMatchObject({ sn: own.sns[0], reason: '校验失败' })
})

test('AD-12 the agenda returns the program that plays, and the reason why each other program does not play', async () => {
  const own = await createScreens(server.db, { count: 1 })
  const high = await draft({ programName: '高', priority: 5, targetIds: own.ids })
  const low = await draft({ programName: '低', targetIds: own.ids })
  const paused = await draft({ programName: '停', targetIds: own.ids })
  const unpublished = await draft({ programName: '稿', targetIds: own.ids })
  for (const id of [high, low, paused]) await publish(id)
  await staff.call('POST', `${ROOT}/pause/${paused}`)
  const { data } = await get(`agenda?sn=${own.sns[0]}`)
  expect(data.planned).toMatchObject({ programId: high, programName: '高', adName: '早餐' })
  const because = Object.fromEntries(
    data.because.map(({ programId, text }: { programId: number; text: string }) => [programId, text]),
  )
  expect(because).toMatchObject({
    [high]: '正在播放',
    [low]: '优先级低于《高》',
    [paused]: '已暂停',
    [unpublished]: '未发布',
  })
  expect(data.segments[0].programs).toEqual([expect.objectContaining({ id: high })])
  expect(data).toMatchObject({ reported: null, differs: false })
  const now = { programId: low, itemId: 1, adId: ad, since: Date.now() - 1000 }
  await server.db.execute(sql`update ad_screens set now_playing = ${JSON.stringify(now)}::jsonb, last_report_time = now()
    where device_id = ${own.ids[0]}`)
  const told = (await get(`agenda?sn=${own.sns[0]}`)).data
  expect(told.lastReportTime).toMatch(/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/)
  await server.db.execute(sql`update devices set online = 0 where id = ${own.ids[0]}`)
  expect((await get(`agenda?sn=${own.sns[0]}`)).data).toMatchObject({ online: 0, lastReportTime: told.lastReportTime })
  expect(told).toMatchObject({ differs: true, reported: { programName: '低', adName: '早餐' } })
})

test('AD-12 the agenda names ads that a screen skips because of missing codecs or failed files', async () => {
  const own = await createScreens(server.db, { count: 1, codecs: ['vp9'] })
  const video = await createApprovedAd(server.db, { name: '视频', type: 2 })
  const picture = await createApprovedAd(server.db, { name: '图' })
  const unplayable = await draft({ programName: '编码', targetIds: own.ids, items: [{ adId: video }] })
  const broken = await draft({ programName: '坏文件', targetIds: own.ids, items: [{ adId: picture }] })
  for (const id of [unplayable, broken]) expect((await publish(id)).code).toBe(200)
  await server.db.execute(sql`update ad_screens set failed = (
      select jsonb_build_array(jsonb_build_object('sha256', sha256, 'reason', 'hash')) from ad_materials
      where ad_id = ${picture}) where device_id = ${own.ids[0]}`)
  const { data } = await get(`agenda?sn=${own.sns[0]}`)
  const texts = data.because.map(({ programId, text }: { programId: number; text: string }) => [programId, text])
  expect(Object.fromEntries(texts)).toMatchObject({ [unplayable]: '屏幕不支持该编码', [broken]: '文件未就绪' })
  expect(data.planned).toMatchObject({ programId: 0 })
})

test('AD-12 agenda and preview omit a program that exceeds the capacity of the screen, and give the reason', async () => {
  const own = await createScreens(server.db, { count: 1 })
  const fields = { items: [{ adId: ad }], targetIds: own.ids }
  const id = await draft({ ...fields, programName: '满' })
  await publish(id)
  await server.db.execute(sql`with made as (
      insert into ad_programs (tenant_id, program_name, date_from, date_to, target_type, target_ids, ver_no, published_ver, status)
      select tenant_id, '占位', date_from, date_to, target_type, target_ids, 1, 1, 2 from ad_programs, generate_series(1, 50)
      where id = ${id} returning id)
    insert into ad_program_versions (program_id, ver_no, tenant_id, body, target_type, target_ids, state, publish_by)
    select made.id, 1, tenant_id, body || jsonb_build_object('id', made.id, 'name', '占位', 'priority', 9), target_type,
      target_ids, 2, 1 from made, ad_program_versions where program_id = ${id}`)
  const { data } = await get(`agenda?sn=${own.sns[0]}`)
  expect(data.because).toContainEqual(expect.objectContaining({ programId: id, text: '超出屏幕容量' }))
  expect(data.planned.programName).toBe('占位')
  const further = buildProgramInput({ ...fields, programName: '再来' })
  const preview = (await staff.call('POST', `${ROOT}/manifest`, { ...further, deviceId: own.ids[0] })).data
  expect(preview.left.toSorted()).toEqual(['再来', '满'].toSorted())
  expect(preview.programs).toHaveLength(50)
  expect((await staff.call('POST', `${ROOT}/conflict`, further)).data.errors).toMatchObject([
    { code: 'tooLarge', text: '该屏幕的节目超出容量：52 个节目单，最多 50 个' },
  ])
})

test('AD-12 the agenda accepts a future time, and refuses a past time with an error at the field', async () => {
  const own = await createScreens(server.db, { count: 1 })
  const id = await draft({ programName: '以后', dateTo: formatDayFromToday(30), targetIds: own.ids })
  await publish(id)
  const later = (await get(`agenda?sn=${own.sns[0]}&time=${formatDayFromToday(20)} 12:00:00`)).data
  expect(later).toMatchObject({ planned: { programId: id }, because: [{ text: '正在播放' }] })
  expect(later.at).toBeGreaterThan(later.now)
  expect(await get(`agenda?sn=${own.sns[0]}&time=2020-01-01 12:00:00`)).toMatchObject({
    code: 400,
    msg: '时间已过，请选择现在或以后的时间',
    data: { field: 'time' },
  })
})

test('AD-12 the agenda finds the program of a group of the device among 1,001 programs of other groups', async () => {
  const own = await createScreens(server.db, { count: 1 })
  const group = async (members: readonly number[]) => {
    const { rows } = await server.db.execute<{ id: number }>(sql`insert into device_groups (tenant_id, group_name, kind)
      values (1, ${`日程组${members.length}`}, 1) returning id`)
    for (const id of members)
      await server.db.execute(sql`insert into device_group_members values (${rows[0]!.id}, ${id})`)
    return rows[0]!.id
  }
  const [without, containing] = [await group([]), await group(own.ids)]
  const add = (groupId: number, name: string, count: number) =>
    server.db.execute(sql`insert into ad_programs (tenant_id, program_name, date_from, date_to, target_type, target_ids)
      select 1, ${name}, current_date, current_date + 1, 2, array[${groupId}::int] from generate_series(1, ${count}::int)`)
  await add(without, '组外', 1001)
  await add(containing, '组内', 1)
  const { data } = await get(`agenda?sn=${own.sns[0]}`)
  expect(data.because.map(({ name }: { name: string }) => name)).toEqual(['组内'])
  await server.db.execute(sql`update device_groups set status = 0 where id = ${containing}`)
  expect((await get(`agenda?sn=${own.sns[0]}`)).data.because).toEqual([])
  await server.db.execute(sql`delete from ad_programs where program_name in ('组外', '组内')`)
})

test('AD-12 the agenda finds a draft among 120 other drafts, and hides drafts of the platform from a tenant', async () => {
  const customer = await server.by({ tenant: '日程客户', permissions: PERMISSIONS })
  const { rows } = await server.db.execute<{ id: number }>(
    sql`select tenant_id as id from accounts where uid = ${customer.uid}`,
  )
  const own = await createScreens(server.db, { tenantId: rows[0]?.id as number, count: 1 })
  await server.db.execute(sql`insert into ad_programs (tenant_id, program_name, date_from, date_to, target_type, target_ids)
    select 1, '别处' || n, current_date, current_date + 1, 2, '{2000000000}' from generate_series(1, 120) n`)
  const id = await draft({ programName: '平台草稿', targetIds: own.ids })
  const names = async (who: Caller) =>
    (await who.call('GET', `${ROOT}/agenda?sn=${own.sns[0]}`)).data.because.map(({ name }: { name: string }) => name)
  expect(await names(staff)).toContain('平台草稿')
  expect(await names(customer)).not.toContain('平台草稿')
  await server.db.execute(sql`delete from ad_programs where id = ${id} or program_name like '别处%'`)
})

test('AD-05 conflict check and dry run of a tenant use one database connection each', async () => {
  const customer = await server.by({ tenant: '连接客户', permissions: PERMISSIONS })
  const { rows } = await server.db.execute<{ id: number }>(
    sql`select tenant_id as id from accounts where uid = ${customer.uid}`,
  )
  const tenantId = rows[0]?.id as number
  const own = await createScreens(server.db, { tenantId })
  const ad = await createApprovedAd(server.db, { name: '客户广告', tenantId })
  const body = buildProgramInput({ items: [{ adId: ad }], targetIds: own.ids, programName: '连接' })
  const { id } = (await customer.call('POST', ROOT, body)).data
  const { pool } = server.services.database
  // Only one connection stays free. A call that needs a second connection would wait for it until the timeout.
  const held = await Promise.all(Array.from({ length: (pool.options.max ?? 10) - 1 }, () => pool.connect()))
  try {
    for (const path of [`dryRun?id=${id}`, `conflict?id=${id}`, `agenda?sn=${own.sns[0]}`])
      expect((await customer.call('GET', `${ROOT}/${path}`)).code).toBe(200)
    expect((await customer.call('POST', `${ROOT}/publish/${id}`, {})).code).toBe(200)
  } finally {
    for (const client of held) client.release()
  }
})
