import { sql } from 'drizzle-orm'
import { beforeAll, expect, test } from 'vitest'
import { type Caller, useApp } from './harness.ts'
import { deviceOf, ticketBy } from '#modules/ticket/ticket-fixture.ts'

const app = useApp()
/** List call of each console page. */
const CALL_OF: Readonly<Record<string, string>> = {
  '/device/apkManage': '/api/v1/device/info/page',
  '/tenantManage/tenant': '/api/v1/tenant/page',
  '/AccountAdministration/accountList': '/api/v1/account/app/page',
  '/AfterService/Questions': '/api/v1/feedback/page',
  '/AfterService/PendingList': '/api/v1/feedback/pending/page',
  '/LicenseManage/Certificate': '/api/v1/license/cert/page',
  '/upgrade/ota': '/api/v1/device/ota',
  '/system/userList': '/api/v1/sys/account/all/page',
  '/system/loginLog?tab=online': '/api/v1/sys/online/page',
}
/** Pages without a list of the counted rows. */
const NO_LIST = ['/system/AboutUs', '/system/operLog', '/notice', '/system/noticeManage']

let admin: Caller
let desk: Caller

interface Figure {
  readonly name: string
  readonly value: number
  readonly url: string
}

const get = async (who: Caller, path: string) => (await who.call('GET', path)).data

/** Returns all linked figures of the home page. */
async function figuresOf(who: Caller): Promise<Figure[]> {
  const { blocks } = await get(who, '/api/v1/home/summary')
  const { list: todo } = await get(who, '/api/v1/home/todo')
  const { spreads } = await get(who, '/api/v1/home/blocks')
  const lines = []
  for (const by of spreads) lines.push(...(await get(who, `/api/v1/home/distribution?by=${by}`)).list)
  return [
    ...blocks.flatMap(({ title, value, url, items, parts = [] }: Block) => [
      ...(items ? [] : [{ name: title, value, url }]),
      ...parts.map((part) => ({ name: `${title} ${part.title}`, value: part.value, url: part.url })),
    ]),
    ...lines,
    ...todo.map(({ title, count, url }: { title: string; count: number; url: string }) => ({
      name: title,
      value: count,
      url,
    })),
  ].filter(({ url }) => url !== '')
}
interface Block {
  readonly title: string
  readonly value: number
  readonly url: string
  readonly items?: unknown
  readonly parts?: readonly { title: string; value: number; url: string }[]
}

/** Returns the number of rows on the page behind a figure; undefined for a page without a list. */
async function rowsBehind(who: Caller, url: string): Promise<number | undefined> {
  const [path = '', query = ''] = url.split('?')
  const call = CALL_OF[url] ?? CALL_OF[path]
  if (!call) return undefined
  const { code, msg, data } = await who.call('GET', `${call}?${CALL_OF[url] ? '' : query}&pageNum=1&pageSize=10`)
  if (code !== 200) throw new Error(`${url}: ${code} ${msg}`)
  return data.total
}

beforeAll(async () => {
  admin = await app.by({ superAdmin: true })
  desk = await app.as('AfterService:PendingList:list', 'AfterService:PendingList:query')
  for (const sn of ['FIG00001', 'FIG00002', 'FIG00003']) await deviceOf(app.db, 1, { sn })
  await app.db.execute(sql`update devices set online = 1 where sn = 'FIG00001'`)
  await app.db.execute(sql`update devices set activate_time = null, ver_code = null where sn = 'FIG00002'`)
  const first = await ticketBy(admin, { content: '甲' })
  await ticketBy(admin, { content: '乙' })
  await app.db.execute(sql`update tickets set handler_id = ${admin.uid}, sla_state = 3 where id = ${first}`)
  await app.db.execute(sql`insert into licenses (uid, vendor, type_code, batch_id, tenant_id, state)
    select 'OMSX-00000' || g || '-ABCDE', 9, 'P2P', 1, case when g < 3 then null else 1 end, case when g < 3 then 0 else 1 end from generate_series(1, 5) g`)
})

test('every figure of the home page equals the rows of the page it opens', async () => {
  for (const who of [admin, desk]) {
    const figures = await figuresOf(who)
    const seen = []
    for (const { name, value, url } of figures) {
      const rows = await rowsBehind(who, url)
      if (rows !== undefined) seen.push({ name, url, value, rows })
    }
    expect(seen.filter(({ value, rows }) => value !== rows)).toEqual([])
    expect(seen.length).toBeGreaterThan(who === admin ? 12 : 0)
  }
})

test('the home page links only to pages that this test knows', async () => {
  const blocks: Block[] = (await get(admin, '/api/v1/home/summary')).blocks
  // A block without an address has no link.
  const paths = blocks.filter(({ url }) => url !== '').map(({ url }) => url.split('?')[0] ?? '')
  const known = new Set([...Object.keys(CALL_OF).map((url) => url.split('?')[0]), ...NO_LIST])
  expect(paths.filter((path) => !known.has(path))).toEqual([])
})
