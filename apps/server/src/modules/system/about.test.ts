import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eq } from 'drizzle-orm'
import { beforeAll, describe, expect, test } from 'vitest'
import { readFacts } from '#core/process/build-facts.ts'
import { operLogs } from '#core/schema/system.ts'
import { type Caller, useApp } from '#test/harness.ts'

const app = useApp()
const ABOUT = '/api/v1/sys/about'
let admin: Caller

beforeAll(async () => {
  admin = await app.as('system:AboutUs:list', 'system:AboutUs:edit')
})

describe('about page', () => {
  test('MODULE-01 the about page shows product, version and runtime environment', async () => {
    const { data } = await admin.call('GET', ABOUT)
    expect(data).toMatchObject({ product: '运营管理系统 OMS', storage: 'local', timeZone: 'Asia/Shanghai' })
    expect(data.version).toMatch(/^\d+\.\d+\.\d+/)
    expect(data.database).toMatch(/^PostgreSQL \d+/)
    expect(data.databaseBytes).toBeGreaterThan(1_000_000)
    expect(data.schemaVersion).toMatch(/^\d{4}_/)
    expect(data.startTime).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)
    expect(data.releases[0].version).toBe('0.1.0')
  })

  test('a tenant sees the product on the about page but not the server', async () => {
    const customer = await app.by({ tenant: '甲公司', permissions: ['system:AboutUs:list', 'system:AboutUs:edit'] })
    const { data } = await customer.call('GET', ABOUT)
    expect(data).toMatchObject({ product: '运营管理系统 OMS', node: '', database: '', platform: '', databaseBytes: 0 })
    expect(await customer.call('PUT', ABOUT, { company: '改', rev: 0 })).toMatchObject({ code: 501 })
  })

  test('changing the contact texts requires a permission and the revision, and is logged', async () => {
    const contact = { company: '示例公司', phone: '400-000-0000', website: 'https://example.com', rev: 0 }
    expect(await admin.call('PUT', ABOUT, contact)).toMatchObject({ code: 200, data: { rev: 1 } })
    expect((await admin.call('GET', ABOUT)).data.contact).toMatchObject({ ...contact, email: '', rev: 1 })
    expect(await admin.call('PUT', ABOUT, contact)).toMatchObject({ code: 400, data: { conflict: { rev: 1 } } })
    const [row] = await app.db.select().from(operLogs).where(eq(operLogs.bizType, 'about'))
    expect(row?.diff).toContainEqual({ field: 'company', title: '公司名称', from: '', to: '示例公司' })
    const reader = await app.as('system:AboutUs:list')
    expect(await reader.call('PUT', ABOUT, contact)).toMatchObject({ code: 501, msg: '您没有权限！' })
    expect(await (await app.as()).call('GET', ABOUT)).toMatchObject({ code: 501 })
  })

  test('an omitted contact text keeps its stored value, and a save without texts keeps the revision', async () => {
    const { contact } = (await admin.call('GET', ABOUT)).data
    expect(contact.company).toBe('示例公司')
    expect(await admin.call('PUT', ABOUT, { rev: contact.rev })).toMatchObject({
      code: 200,
      data: { rev: contact.rev },
    })
    expect((await admin.call('GET', ABOUT)).data.contact).toEqual(contact)
    const saved = await admin.call('PUT', ABOUT, { phone: '', rev: contact.rev })
    expect(saved).toMatchObject({ code: 200, data: { rev: contact.rev + 1 } })
    expect((await admin.call('GET', ABOUT)).data.contact).toEqual({ ...contact, phone: '', rev: contact.rev + 1 })
  })

  test.each(['javascript:x()', 'ftp://a.example', 'https://'])('the website %s is refused', async (website) =>
    expect(await admin.call('PUT', ABOUT, { website, rev: 1 })).toMatchObject({
      code: 400,
      data: { field: 'website' },
    }),
  )
})

test('the list of dependencies is read from the file of the build, and an invalid file gives an empty list', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'oms-licences-'))
  const write = (text: string) => {
    writeFileSync(join(folder, 'licences.json'), text)
    return readFacts(join(folder, 'licences.json'))
  }
  const one = { name: 'x', version: '1.0.0', licence: 'MIT', homepage: 'https://x.example', scope: 'runtime' }
  const facts = { version: '1.2.3', build: 'abc', licence: '', dependencies: [one] }
  expect(write(JSON.stringify(facts))).toEqual(facts)
  expect(write('{"version":1}')).toBeUndefined()
  expect(readFacts(join(folder, 'none.json'))).toBeUndefined()
  rmSync(folder, { recursive: true })
  expect(await admin.call('GET', `${ABOUT}/dependencies`)).toMatchObject({ code: 200 })
})
