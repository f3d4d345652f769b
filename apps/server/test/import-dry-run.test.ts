import { sql } from 'drizzle-orm'
import { beforeAll, expect, test } from 'vitest'
import { createUser } from '#core/auth/rights.ts'
import type { Db } from '#core/database/client.ts'
import { formatCell } from '#core/spreadsheet/columns.ts'
import { findExportDefinition } from '#core/spreadsheet/export.ts'
import { matchHeaderFields, readFieldTitle } from '#core/spreadsheet/header.ts'
import { findImport } from '#core/spreadsheet/import/import.ts'
import { importLines } from '#core/spreadsheet/import/take-lines.ts'
import { stock, tenantOf, uidOf } from '#test/fixtures/license-fixture.ts'
import { type Caller, useApp } from '#test/harness.ts'

const app = useApp()
let me: Caller
const ids = { tenant: 0, package: 0 }

beforeAll(async () => {
  me = await app.by({ superAdmin: true })
  await app.by({ tenant: '收方' })
  ids.tenant = await tenantOf(app.db, '收方')
  await app.db.execute(sql`insert into device_types (type_name, type_code) values ('摄像机', 'cam')`)
  await app.db.execute(sql`insert into device_models (type_id, model_name, model_code, cloud_channels)
    select id, '双目', 'D2', 2 from device_types where type_code = 'cam'`)
  await app.db.execute(sql`insert into devices (sn, tenant_id, model_id)
    select sn, 1, m.id from device_models m, unnest(array['DRY-OLD', 'CAM-1', 'CAM-2']) sn where m.model_code = 'D2'`)
  await app.db.execute(sql`insert into agents (tenant_id, agent_code, agent_name) values (1, 'AGT_DRY', '小智')`)
  await app.db.execute(sql`insert into app_accounts (tenant_id, account, mobile_no) values (1, 'old', '13500000009')`)
  await stock(app.db, { prefix: 'DRY', count: 3 })
  await app.db.execute(sql`insert into license_grants (grant_no, tenant_id, type_code, quota, valid_from, valid_to, status)
    values ('G-DRY', ${ids.tenant}, 'P2P', 9, '2020-01-01', '2099-12-31', 1)`)
  const terms = { recordType: 1, storageDays: 7, periodType: 2, periodCount: 1, price: 900, channels: 4 }
  const input = { packageName: '套餐', packageCode: 'DRY', ...terms }
  ids.package = (await me.call('POST', '/api/v1/oss/package', input)).data.id
})

/** Locks that the transaction holds, except those of plain reads. The use of a sequence locks the sequence too. */
const listLocks = async (db: Db) => {
  const { rows } = await db.execute<{ name: string }>(sql`
    select distinct coalesce(relation::regclass::text, locktype) || ' ' || mode as name from pg_locks
    where pid = pg_backend_pid() and mode <> 'AccessShareLock' and locktype in ('relation', 'advisory') order by 1`)
  return rows.map(({ name }) => name)
}

/** Imports a table. Returns the report, and the locks at the end of the transaction. */
async function run(kind: string, text: string, input: object) {
  const rights = await app.services.sessions.rightsOf(me.uid)
  const definition = findImport(kind)!
  let locks: string[] = []
  const { dryRun: _, ...report } = await importLines(
    { services: app.services, now: new Date(), user: createUser(rights!, { id: '', tenantId: 1 }) },
    {
      definition: {
        ...definition,
        async finish(ctx, state) {
          await definition.finish?.(ctx, state)
          locks = await listLocks(ctx.db)
        },
      },
      input: input as { dryRun: '0' | '1' },
      table: { name: 'd.csv', bytes: Buffer.from(text) },
    },
  )
  return { report, locks }
}

const KEY = 'a1'.repeat(32)
const TABLES: Record<string, { readonly text: string; readonly input?: () => object; readonly problems: number }> = {
  device: {
    text: '*序列号,设备名称,型号编码,固件版本号\nDRY-NEW,新,D2,7\nDRY-OLD,旧,D2,8\nDRY-NEW,重,D2,7\n',
    input: () => ({ update: '1' }),
    problems: 1,
  },
  agentDevice: {
    text: [
      '*MAC,*智能体编码,名称,序列号,HMAC 密钥',
      `02:00:00:00:0e:01,AGT_DRY,新,CHIP-1,${KEY}`,
      '02:00:00:00:0e:02,AGT_DRY,旧,DRY-OLD,',
      '02:00:00:00:0e:02,AGT_DRY,重,,',
      '02:00:00:00:0e:03,AGT_DRY,重,CHIP-1,',
      '02:00:00:00:0e:01,AGT_DRY,重,DRY-OLD,',
    ].join('\n'),
    problems: 3,
  },
  appAccount: {
    text: '账号,手机号\nnew,13500000001\nOld,13500000002\nnext,13500000009\nlast,13500000001\nNEW,13500000003\nlast,13500000001',
    input: () => ({ update: '1' }),
    problems: 1,
  },
  license: {
    text: `*UID,密钥\n${uidOf('NEW', 1)},key\n${uidOf('DRY', 1)},\n${uidOf('NEW', 1)},\n`,
    input: () => ({ vendor: 2, typeCode: 'P2P', orderNo: '', remark: '' }),
    problems: 2,
  },
  'license-allot': {
    text: `*UID\n${uidOf('DRY', 1)}\n${uidOf('DRY', 2)}\n${uidOf('DRY', 1)}\nNOPE\n`,
    input: () => ({ tenantId: ids.tenant }),
    problems: 2,
  },
  'storage-grant': {
    text: '*序列号,通道,份数\nCAM-1,0,2\nCAM-1,1,1\nCAM-2,0,1\nCAM-2,0,1\nNOPE,0,1\n',
    input: () => ({ packageId: ids.package, effectMode: 1, source: 2, amount: 0, reason: '批量' }),
    problems: 2,
  },
}

test.each(Object.entries(TABLES))(
  'a dry run of the import %s locks no row, uses no id and returns the report of the import',
  async (kind, { text, input, problems }) => {
    const dry = await run(kind, text, { ...input?.(), dryRun: '1' })
    expect(dry.locks).toEqual([])
    expect(dry.report.rows).toHaveLength(problems)
    const real = await run(kind, text, { ...input?.(), dryRun: '0' })
    expect(real.report).toEqual(dry.report)
    expect(real.locks).not.toEqual([])
  },
)

test.each([
  ['device', 'device'],
  ['appAccount', 'appAccount'],
  ['account', 'staff'],
  ['agentDevice', 'agentDevice'],
  ['license', 'license'],
  ['license-allot', 'license-plain'],
  ['storage-grant', 'storage-entitlement'],
])('the import %s accepts a table with the columns of the export %s', (kind, exported) => {
  const columns = findExportDefinition(exported)?.all.map(({ title }) => title) ?? []
  expect(columns).not.toEqual([])
  expect(() => matchHeaderFields(findImport(kind)!, columns)).not.toThrow()
})

test('the report names the columns that an import ignores', async () => {
  const { report } = await run('device', '序列号,在线状态,,状态,型号编码\nNOTE-1,在线,,启用,D2\n', {
    update: '0',
    dryRun: '1',
  })
  expect(report).toMatchObject({ failed: 0, notes: ['以下列不导入：在线状态、状态'] })
})

const quote = (text: string) => `"${text.replaceAll('"', '""')}"`
const KINDS = [
  ...Object.entries(TABLES).map(([kind, { input }]) => ({ kind, input })),
  { kind: 'account', input: undefined },
]

test.each(KINDS)(
  'importing the unchanged template of $kind is refused because of its example line',
  async ({ kind, input }) => {
    const { columns, schema, example } = findImport(kind)!
    const keys = columns.map((spec) => (typeof spec === 'string' ? spec : spec[0]))
    const lines = [
      keys.map((key) => readFieldTitle(schema, key)),
      keys.map((key) => formatCell(example[key])),
      // An example line whose other cells were changed is still the example.
      keys.map((key) => (formatCell(example[key]).includes('示例行') ? formatCell(example[key]) : '1')),
    ]
    const isMarked = lines[2]!.some((cell) => cell !== '1')
    const text = lines.slice(0, isMarked ? 3 : 2).map((cells) => cells.map(quote).join(','))
    const { report } = await run(kind, text.join('\n'), { ...input?.(), dryRun: '0' })
    expect(report).toMatchObject({ created: 0, updated: 0, failed: text.length - 1 })
    expect(report.rows).toEqual(text.slice(1).map((_, at) => ({ row: at + 2, msg: '这是模板的示例行，请删除' })))
  },
)
