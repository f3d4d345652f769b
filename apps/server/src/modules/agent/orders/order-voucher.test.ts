import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import type { Caller } from '#test/harness.ts'
import { useOrders } from '#test/fixtures/order-fixture.ts'

const lab = useOrders()
const { app, people, confirm, get, newDevice, newPackage, place } = lab
const PDF = Buffer.from('%PDF-1.4 receipt')

async function upload(caller: Caller, name = '回单.pdf', content = PDF, purpose = 'agentVoucher') {
  const boundary = '----oms-voucher'
  const head =
    `--${boundary}\r\ncontent-disposition: form-data; name="purpose"\r\n\r\n${purpose}\r\n` +
    `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="${name}"\r\n` +
    'content-type: application/octet-stream\r\n\r\n'
  const payload = Buffer.concat([Buffer.from(head), content, Buffer.from(`\r\n--${boundary}--\r\n`)])
  const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` }
  return (await caller.inject({ method: 'POST', url: '/api/v1/file/upload', payload, headers })).json()
}
const newOrder = async () =>
  (await place({ packageId: (await newPackage()).id, deviceIds: [(await newDevice()).id] })).id

test('AGENT-13 the voucher files of a payment are stored and logged, and only readers of the order can open them', async () => {
  const id = await newOrder()
  const files = [await upload(people.accountant), await upload(people.accountant, '合同.pdf')]
  expect((await confirm(id, { voucherFiles: files.map(({ data }) => data.id) })).code).toBe(200)
  const expected = files.map(({ data }) => ({ name: data.name, url: data.url }))
  expect((await get(id)).voucherFiles).toEqual(expected)
  expect((await get(id, people.tenant)).voucherFiles).toEqual(expected)
  const open = async (who: Caller) => (await who.inject({ url: files[0].data.url })).body
  expect([await open(people.seller), await open(people.tenant)]).toEqual([PDF.toString(), PDF.toString()])
  const colleague = await app.by({ tenant: '订购公司', permissions: ['agent:order:list'] })
  const stranger = await app.by({ tenant: '凭证外人', permissions: ['agent:order:query'] })
  for (const who of [colleague, stranger]) expect(await open(who)).toContain('文件不存在')
  const { rows } = await app.db.execute(
    sql`select used_time is not null as used from files where purpose = 'agentVoucher'`,
  )
  expect(rows).toEqual([{ used: true }, { used: true }])
  const log = await lab.one<{ diff: { title: string; to: string }[] }>(
    sql`select diff from oper_logs where biz_type = 'agentOrder' and biz_id = ${String(id)} and action like '确认收款%'`,
  )
  expect(log.diff.find(({ title }) => title === '凭证文件')?.to).toBe('回单.pdf、合同.pdf')
})

test('AGENT-13 a voucher file of another account, order or purpose is refused, and the order stays pending', async () => {
  const [used, id] = [await newOrder(), await newOrder()]
  const { data: first } = await upload(people.accountant)
  expect((await confirm(used, { voucherFiles: [first.id] })).code).toBe(200)
  const { data: foreign } = await upload(people.seller)
  const { data: other } = await upload(people.accountant, '附件.pdf', PDF, 'file')
  for (const file of [first.id, foreign.id, other.id, '0'.repeat(32)])
    expect(await confirm(id, { voucherFiles: [file] })).toMatchObject({
      code: 400,
      msg: '凭证文件不存在，请重新上传',
      data: { field: 'voucherFiles' },
    })
  expect(await confirm(id, { voucherFiles: Array(4).fill(foreign.id) })).toMatchObject({ msg: '凭证文件最多3个' })
  expect(await get(id)).toMatchObject({ state: 0, voucherFiles: [] })
  const clerk = await app.by({ permissions: ['agent:order:list', 'agent:order:query'] })
  expect((await upload(clerk)).code).toBe(501)
})
