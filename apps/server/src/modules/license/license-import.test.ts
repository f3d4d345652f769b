import { sql } from 'drizzle-orm'
import { beforeAll, expect, test } from 'vitest'
import { decrypt } from '#core/crypto/keys.ts'
import { registerImports } from '#core/spreadsheet/import/import.ts'
import { breaches, CERT, CERT_ALL, modelOf, uidOf } from '#test/fixtures/license-fixture.ts'
import { type Caller, useApp } from '#test/harness.ts'

const server = useApp()
let me: Caller

beforeAll(async () => {
  registerImports(server.services)
  me = await server.as(...CERT_ALL)
  await modelOf(server.db, 'C10')
})

const HEAD = '*UID,密钥,厂商,授权类型,型号编码,到期时间,备注'

const take = (who: Caller, lines: readonly string[], fields: Record<string, string>, path = 'import') =>
  takeFile(who, [HEAD, ...lines].join('\n'), fields, path)

async function takeFile(who: Caller, content: string, fields: Record<string, string>, path = 'import') {
  const b = 'x-license'
  const parts = Object.entries(fields).map(
    ([key, value]) => `--${b}\r\nContent-Disposition: form-data; name="${key}"\r\n\r\n${value}\r\n`,
  )
  const file = `--${b}\r\nContent-Disposition: form-data; name="file"; filename="d.csv"\r\nContent-Type: text/csv\r\n\r\n${content}\r\n--${b}--\r\n`
  const headers = { 'content-type': `multipart/form-data; boundary=${b}` }
  const payload = [...parts, file].join('')
  return (await who.inject({ method: 'POST', url: `${CERT}/${path}`, headers, payload })).json()
}

const LINES = [
  `${uidOf('IMP', 1)},key-one,PPCS,,c10,2030-01-31,好`,
  `imp000002sssss,,,480p,,,`.replace('sssss', uidOf('IMP', 2).slice(-5).toLowerCase()),
  'BAD,,,,,,',
  `${uidOf('IMP', 1)},,,,,,`,
  `${uidOf('IMP', 3)},,TUTK,,,,`,
  `${uidOf('IMP', 4)},,,,NOPE,,`,
  `${uidOf('IMP', 5)},,,,,2030-02-30,`,
]

test('MODULE-01 an import stores valid lines with encrypted keys, reports invalid lines, and refuses a repeated file', async () => {
  const fields = { vendor: '2', typeCode: 'p2p', batchNo: 'B-IMP', orderNo: 'PO-1' }
  const { data: shown } = await take(me, LINES, { vendor: '2', typeCode: 'P2P' }, 'preview')
  expect(shown.rows).toHaveLength(7)
  expect(shown.rows[1]).toEqual({
    row: 3,
    uid: uidOf('IMP', 2),
    hasKey: false,
    typeCode: '480p',
    modelCode: '',
    expireTime: '',
    problem: '',
  })
  expect(JSON.stringify(shown)).not.toContain('key-one')
  for (const dryRun of ['1', '0']) {
    const { data } = await take(me, LINES, { ...fields, dryRun })
    expect(data).toMatchObject({ total: 7, created: 2, updated: 0, failed: 5, dryRun: dryRun === '1' })
    expect(data.rows).toEqual([
      { row: 4, field: 'UID', msg: 'PPCS的UID格式不正确，应为前缀-序号-校验，如 VSTC-000123-ABCDE' },
      { row: 5, field: 'UID', msg: '与第2行的UID重复' },
      { row: 6, field: '厂商', msg: '厂商「TUTK」与批次的厂商PPCS不一致' },
      { row: 7, field: '型号编码', msg: '型号编码「NOPE」不存在' },
      { row: 8, field: '到期时间', msg: '日期不存在' },
    ])
  }
  expect(await take(me, LINES, { ...fields, batchNo: 'B-AGAIN', dryRun: '0' })).toMatchObject({
    code: 400,
    msg: '该文件已导入过（批次 B-IMP，2个），未做任何更改',
  })
  expect(await take(me, [`${uidOf('IMP', 9)},,,,,,`], { ...fields, dryRun: '0' })).toMatchObject({
    msg: '批次号已存在',
    data: { field: 'batchNo' },
  })
  expect((await take(me, [`${uidOf('IMP', 1)},,,,,,`], { vendor: '2', dryRun: '0' })).data).toMatchObject({
    created: 0,
    failed: 1,
    rows: [{ msg: 'UID已存在' }],
  })
  const { rows } = await server.db.execute(
    sql`select uid, type_code as type, key_sealed like 'v1.%' as sealed, expire_time::date::text as ends, state from licenses order by id`,
  )
  expect(rows).toEqual([
    { uid: uidOf('IMP', 1), type: 'P2P', sealed: true, ends: '2030-01-31', state: 0 },
    { uid: uidOf('IMP', 2), type: '480P', sealed: false, ends: null, state: 0 },
  ])
  expect((await me.call('GET', '/api/v1/license/batch/page')).data.list).toMatchObject([
    { batchNo: 'B-IMP', total: 2, stock: 2, orderNo: 'PO-1', fileName: 'd.csv' },
  ])
  expect(await breaches(server.db)).toEqual([])
})

test('an expired certificate and an unknown type are refused with the reason, in the dry run too', async () => {
  const day = (offset: number) => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10)
  const lines = [
    `${uidOf('EXP', 1)},,,,,2020-01-31,`,
    `${uidOf('EXP', 2)},,,NO-SUCH-TYPE,,,`,
    `${uidOf('EXP', 3)},,,,,${day(1)},`,
    `${uidOf('EXP', 4)},,,own-type,,,`,
    `${uidOf('EXP', 6)},,,NO-SUCH-TYPE,NO-MODEL,2020-01-31,`,
  ]
  const fields = { vendor: '2', typeCode: 'OWN-TYPE' }
  const problems = [
    '到期时间 2020-01-31 已过，不能导入已过期的证书',
    '授权类型「NO-SUCH-TYPE」不存在，请改正，或先以该类型导入批次或申请授权',
  ]
  const { data: shown } = await take(me, lines, fields, 'preview')
  expect(shown.rows.map(({ problem }: { problem: string }) => problem)).toEqual([
    ...problems,
    '',
    '',
    `授权类型：${problems[1]}；型号编码：型号编码「NO-MODEL」不存在；到期时间：${problems[0]}`,
  ])
  const { data } = await take(me, lines, { ...fields, dryRun: '0' })
  expect(data).toMatchObject({
    created: 2,
    failed: 3,
    rows: [
      { row: 2, field: '到期时间', msg: problems[0] },
      { row: 3, field: '授权类型', msg: problems[1] },
      { row: 6, field: '授权类型', msg: problems[1] },
      { row: 6, field: '型号编码', msg: '型号编码「NO-MODEL」不存在' },
      { row: 6, field: '到期时间', msg: problems[0] },
    ],
  })
  // From now on certificates have the type, so that lines of other batches may name it.
  const later = await take(me, [`${uidOf('EXP', 5)},,,OWN-TYPE,,,`], { vendor: '2', dryRun: '0' })
  expect(later.data).toMatchObject({ created: 1, failed: 0 })
})

test('the file of failed lines contains the key encrypted, and imports the certificate after a correction', async () => {
  const fields = { vendor: '2', dryRun: '0' }
  const { data } = await take(me, [`${uidOf('SEAL', 1)},key-sealed,,,NOPE,,`], fields)
  expect(data).toMatchObject({ created: 0, failed: 1 })
  const { body } = await me.inject({ method: 'GET', url: `/api/v1/file/${data.file.id}?download=1` })
  expect(body).not.toContain('key-sealed')
  const [head = '', line = ''] = body.replace('\ufeff', '').trim().split('\r\n')
  expect(head).toContain('密钥')
  const [, , , ...cells] = line.split(',')
  const corrected = cells.map((cell) => (cell === 'NOPE' ? 'C10' : cell)).join(',')
  expect((await take(me, [corrected], fields)).data).toMatchObject({ created: 1, failed: 0 })
  const { rows } = await server.db.execute<{ sealed: string }>(
    sql`select key_sealed as sealed from licenses where uid = ${uidOf('SEAL', 1)}`,
  )
  expect(decrypt(server.services.config.secretKey, rows[0]!.sealed)).toBe('key-sealed')
})

/** Asserts that the statistics of these tables were updated after the import. */
async function expectKnownToPlanner(...tables: string[]) {
  const { rows } = await server.db.execute<{ name: string; guess: number }>(
    sql`select relname as name, reltuples::int as guess from pg_class where relname in (${sql.join(
      tables.map((table) => sql`${table}`),
      sql`, `,
    )})`,
  )
  for (const { guess } of rows) expect(guess).toBeGreaterThanOrEqual(4500)
  expect(rows).toHaveLength(tables.length)
}

test('a delivery of more than one batch is imported by a job that counts every line', async () => {
  const lines = Array.from({ length: 4500 }, (_, at) => `${uidOf('JOB', at + 1)},k${at},,,,2031-05-01,`)
  const { data } = await take(me, lines, { vendor: '2', dryRun: '0', batchNo: 'B-JOB' })
  expect(data).toEqual({ jobId: expect.any(Number) })
  await server.services.jobs.drain()
  const { data: done } = await me.call('GET', `/api/v1/account/job/${data.jobId}`)
  expect(done).toMatchObject({ state: 'done', report: { total: 4500, created: 4500, failed: 0 } })
  const { rows } = await server.db.execute(
    sql`select count(*)::int as n from license_events e join licenses l on l.id = e.license_id where l.uid like 'JOB%' and action = 'import'`,
  )
  expect(rows[0]).toEqual({ n: 4500 })
  await expectKnownToPlanner('licenses', 'license_events')
  expect(await breaches(server.db)).toEqual([])
}, 60_000)

test('an export that was not touched is imported on another server, and each certificate keeps its expiry and model', async () => {
  const fields = { vendor: '2', dryRun: '0' }
  await take(me, [`${uidOf('BACK', 1)},,PPCS,P2P,C10,2031-05-01,`, `${uidOf('BACK', 2)},,,,,,`], fields)
  const payload = { format: 'csv', uid: 'BACK', reason: '迁移到另一台服务器' }
  const { body } = await me.inject({ method: 'POST', url: `${CERT}/export/plain`, payload })
  await server.db.execute(sql`delete from licenses where uid like 'BACK%'`)
  expect((await takeFile(me, body, fields)).data).toMatchObject({ created: 2, failed: 0 })
  const { rows } = await server.db.execute(
    sql`select to_char(expire_time, 'YYYY-MM-DD HH24:MI:SS') as ends, model_id is not null as limited
      from licenses where uid like 'BACK%' order by uid`,
  )
  expect(rows).toEqual([
    { ends: '2031-05-01 23:59:59', limited: true },
    { ends: null, limited: false },
  ])
})

test('a tenant cannot import certificates', async () => {
  const customer = await server.by({ tenant: '蓉城', permissions: CERT_ALL })
  expect(await take(customer, [`${uidOf('CUS', 1)},,,,,,`], { vendor: '2', dryRun: '0' })).toMatchObject({ code: 501 })
})

test('the templates of import and allotment are Excel workbooks', async () => {
  for (const path of ['template', 'allot/template']) {
    const reply = await me.inject({ method: 'GET', url: `${CERT}/${path}` })
    expect(reply.rawPayload.subarray(0, 2).toString()).toBe('PK')
  }
})
