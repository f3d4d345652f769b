import { HOME_BLOCKS } from '@oms/contract/home/home.ts'
import { STANDARD_SLA } from '@oms/contract/ticket/ticket-desk.ts'
import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, test } from 'vitest'
import { files, operLogs } from '#core/schema/system.ts'
import { type Caller, useApp } from '#test/harness.ts'

const app = useApp()
const HOME = '/api/v1/home'
const keysOf = async (who: Caller) =>
  (await who.call('GET', `${HOME}/blocks`)).data.blocks.map(({ key }: { key: string }) => key)
const block = async (who: Caller, key: string) => (await who.call('GET', `${HOME}/summary?block=${key}`)).data.blocks[0]
let admin: Caller

beforeAll(async () => {
  admin = await app.by({ superAdmin: true })
})

describe('home page', () => {
  test('MODULE-01 the home page returns exactly the blocks that the account may see', async () => {
    const all = [...HOME_BLOCKS]
    expect(await keysOf(admin)).toEqual(all)
    expect(await keysOf(await app.as())).toEqual(['notices', 'operations'])
    const engineer = await app.as('upgrade:ota:list')
    expect(await keysOf(engineer)).toEqual(['firmware', 'notices', 'operations'])
    expect(await block(engineer, 'accounts')).toBeUndefined()
    const whole = await admin.call('GET', `${HOME}/summary`)
    expect(whole.data.blocks.map(({ key }: { key: string }) => key)).toEqual(all)
    expect(await app.stranger().call('GET', `${HOME}/summary`)).toMatchObject({ code: 401 })
    expect(await admin.call('GET', `${HOME}/summary?block=secrets`)).toMatchObject({ code: 400 })
  })

  test('the home page counts only accounts and sessions within the data scope', async () => {
    const manager = await app.by({ tenant: '甲公司', permissions: ['system:manager:list', 'system:online:list'] })
    await app.by({ tenant: '甲公司' })
    expect(await block(manager, 'accounts')).toMatchObject({ value: 2, delta: 2, url: '/system/manager' })
    expect((await block(manager, 'sessions')).value).toBe(2)
    const { rows } = await app.db.execute<{ n: number }>(
      sql`select count(*)::int as n from accounts where deleted_at is null`,
    )
    expect((await block(admin, 'accounts')).value).toBe(rows[0]?.n)
    const { trend } = await block(admin, 'sessions')
    expect(trend).toHaveLength(7)
  })

  test('the storage block counts files with the same content once', async () => {
    const file = { tenantId: 1, purpose: 'file', name: 'a', size: 1000, md5: 'm', sha1: 's', sha256: 'same' }
    await app.db.insert(files).values([
      { ...file, id: 'a'.repeat(32) },
      { ...file, id: 'b'.repeat(32) },
    ])
    expect(await block(admin, 'storage')).toMatchObject({ value: 1000, unit: 'bytes', detail: '共 2 个文件' })
  })

  test('the message block shows the number of unread messages and the newest messages', async () => {
    const content = '<p>正文</p>'
    const draft = { title: '停机维护', type: 2, content, priority: 2, target: 4, targetIds: [admin.uid] }
    const { data } = await admin.call('POST', '/api/v1/sys/notice', draft)
    await admin.call('POST', `/api/v1/sys/notice/publish/${data.noticeId}`)
    const news = await block(admin, 'notices')
    expect(news).toMatchObject({ value: 1, url: '' })
    expect(news.items[0]).toMatchObject({ id: String(data.noticeId), title: '停机维护', detail: '公告' })
    expect((await block(await app.as(), 'notices')).items).toEqual([])
  })

  test('an account sees its own operations, and the whole operation log only with its permission', async () => {
    const plain = await app.as()
    const [row] = await app.db.select().from(operLogs).limit(1)
    await app.db.insert(operLogs).values({ ...row!, operId: undefined, uid: plain.uid, title: '我的操作', action: '' })
    const own = await block(plain, 'operations')
    expect(own).toMatchObject({ url: '', items: [{ title: '我的操作' }] })
    expect(own.items).toHaveLength(1)
    expect((await block(admin, 'operations')).items.length).toBeGreaterThan(1)
  })

  test('the home page lists pending work only for accounts that can do the work', async () => {
    await admin.call('POST', '/api/v1/sys/notice', {
      title: '草稿',
      type: 1,
      content: '<p>正文</p>',
      priority: 1,
      target: 4,
      targetIds: [admin.uid],
    })
    await app.db.execute(sql`insert into login_failures (key, count, last_time, lock_until)
      values (${`a:${admin.account}`}, 5, now(), now() + interval '10 minutes')`)
    const { list } = (await admin.call('GET', `${HOME}/todo`)).data
    // Whether holidays are missing depends on the current date.
    expect(list.filter(({ key }: { key: string }) => key !== 'calendar')).toMatchObject([
      { key: 'lockedAccounts', count: 1, level: 2, act: { kind: 'unlock', id: admin.uid } },
      { key: 'noticeDrafts', count: 1, level: 3, waitMinutes: 0 },
      { key: 'ownMfa', count: 1, level: 3, waitMinutes: null },
    ])
    expect((await (await app.as()).call('GET', `${HOME}/todo`)).data.list).toEqual([])
  })

  test('pending work over its time limit is first, and the oldest unassigned ticket can be claimed', async () => {
    const agent = await app.as('AfterService:PendingList:list', 'AfterService:PendingList:claim')
    const { rows } = await app.db.execute<{ id: number }>(sql`
      insert into tickets (tenant_id, problem_type, content, feedback_no, create_time, sla_state) values
        (1, 1, '坏', 'HOME1', now() - interval '3 hours', 1), (1, 1, '坏', 'HOME2', now() - interval '1 hour', 1)
      returning id`)
    const todo = async () => (await agent.call('GET', `${HOME}/todo`)).data.list
    const waiting = { key: 'freeTickets', count: 2, level: 2, note: '', act: { kind: 'claim', id: rows[0]!.id } }
    expect(await todo()).toMatchObject([waiting])
    expect((await todo())[0].waitMinutes).toBe(180)
    await app.db.execute(sql`update tickets set handler_id = ${agent.uid}, sla_state = 3 where id = ${rows[1]!.id}`)
    expect(await todo()).toMatchObject([
      { key: 'ownTickets', level: 1, note: '1 个已超时', waitMinutes: 60 },
      { key: 'freeTickets', level: 2, count: 1 },
    ])
    await app.db.execute(sql`delete from tickets where feedback_no like 'HOME%'`)
  })

  test('an account that sees the statistics of ads has the plays of the last days with the value before', async () => {
    const operator = await app.as('advertiseManage:statisticalAnalysis:list', 'advertiseManage:ProgramList:query')
    expect(await keysOf(operator)).toEqual(['adPlays', 'adScreens', 'notices', 'operations'])
    const plays = await block(operator, 'adPlays')
    expect(plays).toMatchObject({ value: 0, before: 0, beforeTitle: '前 30 天' })
    expect(plays.trend).toHaveLength(30)
    expect(await block(operator, 'adScreens')).toMatchObject({ value: 0, url: '/advertiseManage/ProgramList/screens' })
  })

  test('a total has its value 30 days ago and at the end of each day since', async () => {
    await app.db.execute(sql`insert into tenants (tenant_no, name, status, create_time) values
      ('GROW1', '增长客户', 1, now() - interval '2 days'), ('GROW2', '早期客户', 1, now() - interval '90 days')`)
    const { value, before, trend } = await block(admin, 'tenants')
    const created = await app.db.execute<{ n: number }>(
      sql`select count(*)::int as n from tenants where id <> 1 and create_time >= current_date - 29`,
    )
    expect(before).toBe(value - created.rows[0]!.n)
    expect(trend.at(-1).value).toBe(value)
    expect(trend.at(-4).value).toBe(trend.at(-3).value - 1)
    await app.db.execute(sql`delete from tenants where tenant_no like 'GROW%'`)
  })

  test('accounts that can import certificates get a to-do for suppliers with low stock', async () => {
    const keys = async (who: Caller) =>
      (await who.call('GET', `${HOME}/todo`)).data.list.map(({ key }: { key: string }) => key)
    const keeper = await app.as('LicenseManage:Certificate:list', 'LicenseManage:Certificate:import')
    expect(await keys(keeper)).not.toContain('licensesLow')
    await app.db.execute(sql`insert into license_thresholds (vendor, threshold) values (3, 10)
      on conflict (vendor) do update set threshold = 10`)
    expect(await keys(keeper)).toContain('licensesLow')
    const analyst = await app.as('LicenseManage:StatisticalAnalysis:list', 'LicenseManage:Certificate:import')
    const { list } = (await analyst.call('GET', `${HOME}/todo`)).data
    const { count, url } = list.find(({ key }: { key: string }) => key === 'licensesLow')
    expect(url).toBe('/LicenseManage/StatisticalAnalysis?lowVendors=1')
    const { stocks } = (await analyst.call('GET', '/api/v1/license/statistics/summary')).data
    expect(stocks.filter(({ isLow }: { isLow: boolean }) => isLow)).toHaveLength(count)
    expect(await keys(await app.as('LicenseManage:Certificate:list'))).not.toContain('licensesLow')
    await app.db.execute(sql`update license_thresholds set threshold = 0 where vendor = 3`)
  })

  test('accounts that can edit the service calendar get a to-do for missing holidays', async () => {
    const keys = async (who: Caller) =>
      (await who.call('GET', `${HOME}/todo`)).data.list.map(({ key }: { key: string }) => key)
    const keeper = await app.as('AfterService:Questions:list', 'AfterService:Questions:sla')
    const year = new Date().getUTCFullYear()
    const keep = async (holidays: readonly string[]) => {
      const { rev } = (await keeper.call('GET', '/api/v1/feedback/sla')).data
      const calendar = { ...STANDARD_SLA.calendar, holidays, workdays: [] }
      return keeper.call('PUT', '/api/v1/feedback/sla', { ...STANDARD_SLA, calendar, rev })
    }
    expect((await keep([])).code).toBe(200)
    const { missingYear } = (await keeper.call('GET', '/api/v1/feedback/sla')).data
    expect((await keys(keeper)).includes('calendar')).toBe(missingYear > 0)
    expect(await keys(await app.as('AfterService:Questions:list'))).not.toContain('calendar')
    await keep([year - 1, year, year + 1, year + 2].map((each) => `${each}-01-01`))
    expect(await keys(keeper)).not.toContain('calendar')
  })
})
