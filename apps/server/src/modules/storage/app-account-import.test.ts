import { beforeAll, expect, test, vi } from 'vitest'
import { createUser } from '#core/auth/rights.ts'
import { findImport } from '#core/spreadsheet/import/import.ts'
import { importLines } from '#core/spreadsheet/import/take-lines.ts'
import { recordQueries } from '#test/device-queries.ts'
import { type Caller, useApp } from '#test/harness.ts'

const app = useApp()
let me: Caller
beforeAll(async () => {
  me = await app.as('AccountAdministration:accountList:import')
})

/** Imports lines without the limit of a request, as the job of a long import does. */
interface Options {
  readonly dryRun?: '0' | '1'
  readonly update?: '0' | '1'
  readonly head?: string
  readonly who?: Caller
}
async function take(lines: readonly string[], options: Options = {}) {
  const { dryRun = '0', update = '0', head = '账号,手机号,昵称', who = me } = options
  const rights = await app.services.sessions.rightsOf(who.uid)
  return importLines(
    { services: app.services, now: new Date(), user: createUser(rights!, { id: '', tenantId: 1 }) },
    {
      definition: findImport('appAccount')!,
      input: { dryRun, update } as { dryRun: '0' | '1' },
      table: { name: 'a.csv', bytes: Buffer.from([head, ...lines].join('\n')) },
    },
  )
}
const stored = async (prefix: string) =>
  (
    await app.services.database.pool.query(
      `select account, mobile_no as mobile, nickname as name, rev from app_accounts
       where account ilike $1 and deleted_at is null order by lower(account)`,
      [`${prefix}%`],
    )
  ).rows

test('an import of 4,000 lines and its dry run send fewer than 50 SQL statements each', async () => {
  const lines = Array.from({ length: 4000 }, (_, at) => `many_${at},138${String(at).padStart(8, '0')},张三`)
  for (const dryRun of ['1', '0'] as const) {
    const sent = await recordQueries(async () =>
      expect(await take(lines, { dryRun })).toMatchObject({ created: 4000, failed: 0 }),
    )
    expect(sent.length).toBeLessThan(50)
    expect(await stored('many_')).toHaveLength(dryRun === '1' ? 0 : 4000)
  }
  const again = await recordQueries(async () =>
    expect(await take(lines, { update: '1' })).toMatchObject({ updated: 4000, failed: 0 }),
  )
  expect(again.length).toBeLessThan(50)
})

test('several lines of one account apply in file order, and a later line may use a mobile number that became free', async () => {
  await take(['pass_a,13711110001,甲', 'pass_b,13711110002,乙'])
  const lines = [
    'PASS_A,13711110003,',
    'pass_b,13711110001,乙二',
    'pass_c,13711110002,丙',
    'pass_c,,丙二',
    'pass_d,13711110003,丁',
    'pass_a,,甲三',
  ]
  for (const dryRun of ['1', '0'] as const)
    expect(await take(lines, { dryRun, update: '1' })).toMatchObject({
      created: 1,
      updated: 4,
      rows: [{ row: 6, field: '手机号', msg: '与第2行的手机号重复' }],
    })
  expect(await stored('pass_')).toEqual([
    { account: 'pass_a', mobile: '13711110003', name: '甲三', rev: 1 },
    { account: 'pass_b', mobile: '13711110001', name: '乙二', rev: 1 },
    { account: 'pass_c', mobile: '13711110002', name: '丙二', rev: 0 },
  ])
})

test('an account that another call creates during the import refuses only its own line', async () => {
  const other = await app.services.database.pool.connect()
  await other.query('begin')
  await other.query(`insert into app_accounts (tenant_id, account, mobile_no) values
    (1, 'race_1', null), (1, 'other', '13722220002')`)
  const importing = take(['race_1,,甲', 'race_2,13722220002,乙', 'race_3,,丙'])
  try {
    await vi.waitFor(async () => {
      const { rows } = await app.db.execute(
        `select pid from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
      )
      expect(rows).toHaveLength(1)
    }, 10_000)
  } finally {
    await other.query('commit')
    other.release()
  }
  expect(await importing).toMatchObject({
    created: 1,
    rows: [
      { row: 2, field: '账号', msg: '账号已存在' },
      { row: 3, field: '手机号', msg: '手机号已被使用' },
    ],
  })
  expect((await stored('race_')).map(({ account }) => account)).toEqual(['race_1', 'race_3'])
})

test('a repeated account or mobile number is reported with the number of the earlier line', async () => {
  const lines = ['twice_a,13711120001,甲', 'TWICE_A,,乙', 'twice_b,13711120001,丙', 'twice_c,12345,丁']
  for (const dryRun of ['1', '0'] as const)
    expect(await take(lines, { dryRun })).toMatchObject({
      created: 1,
      rows: [
        { row: 3, field: '账号', msg: '与第2行的账号重复' },
        { row: 4, field: '手机号', msg: '与第2行的手机号重复' },
        { row: 5, field: '手机号', msg: expect.stringContaining('应为11位手机号') },
      ],
    })
})

test('an account limited to its own records updates only App accounts that it created', async () => {
  await take(['victim_1,13911110000,原昵称'])
  const who = await app.by({ permissions: ['AccountAdministration:accountList:import'], dataScope: 4 })
  await take(['victim_2,,自己的'], { who })
  const lines = ['Victim_1,13922220000,被改', 'victim_2,,改过的']
  for (const dryRun of ['1', '0'] as const)
    expect(await take(lines, { who, dryRun, update: '1' })).toMatchObject({
      updated: 1,
      failed: 1,
      rows: [{ row: 2, field: '账号', msg: '账号已存在' }],
    })
  expect(await stored('victim_')).toMatchObject([
    { account: 'victim_1', mobile: '13911110000', name: '原昵称' },
    { account: 'victim_2', name: '改过的' },
  ])
})
