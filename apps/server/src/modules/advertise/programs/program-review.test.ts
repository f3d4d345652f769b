import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Caller, useApp } from '#test/harness.ts'
import { buildProgramInput, createApprovedAd, createScreens } from '#test/fixtures/program-fixture.ts'

const app = useApp({ OMS_AD_TWO_PERSON: 'on' })
const ROOT = '/api/v1/advertise/program'
const rights = (...actions: string[]) => actions.map((action) => `advertiseManage:ProgramList:${action}`)

let author: Caller
let approver: Caller
let screens: { ids: number[]; sns: string[] }
const ads: number[] = []
beforeAll(async () => {
  author = await app.by({ permissions: rights('list', 'query', 'add', 'edit', 'publish', 'withdraw', 'pause') })
  // The approver sees the waiting version without the permission to open programs.
  approver = await app.by({ permissions: rights('list', 'audit') })
  screens = await createScreens(app.db, { count: 2 })
  for (const name of ['早餐', '午餐', '晚餐']) ads.push(await createApprovedAd(app.db, { name }))
})

const post = (path: string, body: object, who: Caller) => who.call('POST', `${ROOT}/${path}`, body)
const review = (id: number, verNo: number, who = approver) => who.call('GET', `${ROOT}/review?id=${id}&verNo=${verNo}`)
const decide = (id: number, verNo: number, auditStatus: 2 | 3, remark = '') =>
  post('audit', { id, verNo, auditStatus, remark }, approver)
const contentOf = (fields: object) =>
  buildProgramInput({ items: [{ adId: ads[0] }], targetIds: screens.ids, ...fields })

async function submit(fields: object = {}) {
  const { data } = await author.call('POST', ROOT, contentOf(fields))
  await post(`publish/${data.id}`, {}, author)
  return data.id as number
}

async function edit(id: number, fields: object) {
  const { rev } = (await author.call('GET', `${ROOT}/${id}`)).data
  expect(await author.call('PUT', ROOT, { ...contentOf(fields), id, rev })).toMatchObject({ code: 200 })
}

describe('AD-05 the review of a version', () => {
  test('returns the waiting version with targets, items and manifest, while the edited content changes', async () => {
    const id = await submit({
      programName: '早间',
      priority: 3,
      dayParts: [{ start: '06:30', end: '10:00' }],
      items: [{ adId: ads[0], duration: 15, weight: 2, maxPlaysPerHour: 6 }],
    })
    await edit(id, { programName: '偷改', priority: 9, items: [{ adId: ads[1] }], targetIds: [screens.ids[0]] })
    await app.db.execute(sql`update ads set ad_name = '改名未审核' where id = ${ads[0]}`)
    const { data } = await review(id, 1)
    await app.db.execute(sql`update ads set ad_name = '早餐' where id = ${ads[0]}`)
    expect(data).toMatchObject({ inForce: null, waitingVer: 1, status: 1 })
    expect(data.version).toMatchObject({
      verNo: 1,
      state: 1,
      programName: '早间',
      priority: 3,
      dayParts: [{ start: '06:30', end: '10:00' }],
      screens: 2,
      targets: screens.ids.map((target, at) => ({ id: target, name: screens.sns[at] })),
      isDefault: 0,
      totalDuration: 15,
    })
    expect(data.version.items).toMatchObject([
      {
        adId: ads[0],
        adName: '早餐',
        adType: 1,
        codec: '',
        duration: 15,
        weight: 2,
        maxPlaysPerHour: 6,
        approvedVer: 1,
      },
    ])
    expect(data.manifest.programs).toMatchObject([{ id, name: '早间', priority: 3, items: [{ adId: ads[0] }] }])
    expect(data.manifest.ads).toMatchObject([{ id: ads[0], name: '早餐' }])
    expect(await decide(id, 1, 2)).toMatchObject({ code: 200 })
    const { rows } = await app.db.execute<{ name: string }>(
      sql`select body ->> 'name' as name from ad_program_versions where program_id = ${id} and state = 2`,
    )
    expect(rows).toEqual([{ name: '早间' }])
  })

  test('contains the version in force, and items keep their ids from version to version', async () => {
    const id = await submit({ items: [{ adId: ads[0] }, { adId: ads[1] }] })
    await decide(id, 1, 2)
    const { items } = (await author.call('GET', `${ROOT}/${id}`)).data
    await edit(id, { items: [{ ...items[1], duration: 20 }, { adId: ads[2] }], targetIds: [screens.ids[1]] })
    await post(`publish/${id}`, {}, author)
    await post(`pause/${id}`, {}, author)
    const { data } = await review(id, 2)
    const ids = (version: { items: { itemId: number }[] }) => version.items.map(({ itemId }) => itemId)
    expect(data).toMatchObject({ waitingVer: 2, status: 4, inForce: { verNo: 1, targetCount: 2 } })
    expect(ids(data.inForce)).toEqual(items.map(({ itemId }: { itemId: number }) => itemId))
    expect(ids(data.version)[0]).toBe(items[1].itemId)
    expect(ids(data.inForce)).not.toContain(ids(data.version)[1])
  })

  test('needs the permission to approve, and is refused for versions that do not exist', async () => {
    const id = await submit()
    expect((await review(id, 1, author)).code).not.toBe(200)
    expect((await review(id, 7)).msg).toBe('版本不存在或已被删除')
    expect((await review(9_999_999, 1)).msg).toBe('节目单不存在或已被删除')
    const foreign = await app.by({ tenant: '别的客户', permissions: rights('list', 'audit') })
    expect((await review(id, 1, foreign)).msg).toBe('节目单不存在或已被删除')
  })

  test('refuses staff whose data scope does not contain the targets', async () => {
    for (const tenant of ['范围之内', '范围之外']) await app.by({ tenant })
    const { rows } = await app.db.execute<{ id: number }>(
      sql`select id from tenants where name in ('范围之内', '范围之外') order by name = '范围之外'`,
    )
    const [inside, outside] = rows.map(({ id }) => id)
    await createScreens(app.db, { tenantId: outside!, count: 1 })
    const limited = await app.by({ permissions: rights('list', 'audit'), dataScope: 3, scopeIds: [inside!] })
    const id = await submit({ targetType: 4, targetIds: [outside] })
    expect((await review(id, 1)).code).toBe(200)
    expect((await review(id, 1, limited)).msg).toBe('该节目单投放到您数据范围之外的客户，您只能查看')
  })
})

describe('AD-05 a decision about a version that does not wait', () => {
  test('is refused with the state of the version and the number of the version that waits instead', async () => {
    const id = await submit()
    expect((await decide(id, 9, 2)).msg).toBe('版本不存在或已被删除')
    await post(`withdraw/${id}`, {}, author)
    expect((await decide(id, 1, 2)).msg).toBe('版本 1 已被撤回，不需要再审批')
    await post(`publish/${id}`, {}, author)
    expect((await decide(id, 1, 2)).msg).toBe('版本 1 已被撤回，现在等待审批的是版本 2')
    expect((await review(id, 1)).data).toMatchObject({ version: { state: 5 }, waitingVer: 2 })
    expect((await author.call('GET', `${ROOT}/${id}`)).data).toMatchObject({ waitingVer: 2, publishedVer: 0 })
    await app.db.execute(sql`update accounts set realname = '杜伟' where uid = ${approver.uid}`)
    await decide(id, 2, 3, '时长不足')
    expect((await decide(id, 2, 2)).msg).toBe('版本 2 已由杜伟驳回，不需要再审批')
    await post(`publish/${id}`, {}, author)
    await decide(id, 3, 2)
    expect((await decide(id, 3, 3, '晚了')).msg).toBe('版本 3 已由杜伟审批通过，不需要再审批')
  })
})

describe('AD-05 notices of decisions', () => {
  const noticesOf = async (uid: number, name: string) => {
    const { rows } = await app.db.execute<{ title: string; content: string; priority: number }>(
      sql`select title, content, priority from notices
        where ${uid} = any(target_ids) and title like ${`%${name}`} order by notice_id`,
    )
    return rows
  }

  test('the submitter is notified of a rejection with its reason, and of an approval', async () => {
    const id = await submit({ programName: '通知 & 甲' })
    await decide(id, 1, 3, '时长不足')
    await post(`publish/${id}`, {}, author)
    await decide(id, 2, 2)
    await expect.poll(() => noticesOf(author.uid, '通知 & 甲')).toHaveLength(2)
    const link = `<p><a href="/advertiseManage/ProgramList?programName=%E9%80%9A%E7%9F%A5+%26+%E7%94%B2">查看节目单</a></p>`
    expect(await noticesOf(author.uid, '通知 & 甲')).toEqual([
      {
        title: '节目单已驳回：通知 & 甲',
        content: `<p>节目单「通知 &amp; 甲」的版本 1 被驳回：时长不足</p>${link}`,
        priority: 3,
      },
      {
        title: '节目单已通过审批：通知 & 甲',
        content: `<p>节目单「通知 &amp; 甲」的版本 2 已通过审批，正在发布到屏幕。</p>${link}`,
        priority: 2,
      },
    ])
    const [request] = await noticesOf(approver.uid, '通知 & 甲')
    expect(request).toMatchObject({ title: '节目单待审批：通知 & 甲' })
    expect(request!.content).toContain('href="/advertiseManage/ProgramList?todo=1"')
  })

  test('a refused decision sends no notice', async () => {
    const id = await submit({ programName: '过期通知' })
    await app.db.execute(sql`update ad_program_versions
      set body = jsonb_set(body, '{dateTo}', '"2020-01-01"') where program_id = ${id}`)
    expect((await decide(id, 1, 2)).msg).toBe('投放日期已结束，不能通过')
    await decide(id, 1, 3, '已过期')
    await expect.poll(() => noticesOf(author.uid, '过期通知')).toHaveLength(1)
  })
})
