import { findPageBrand } from '#core/brand.ts'
import { operLogs } from '#core/schema/system.ts'
import { type Caller, useApp } from '#test/harness.ts'
import { eq } from 'drizzle-orm'
import { beforeAll, expect, test } from 'vitest'

const app = useApp()
const BRAND = '/api/v1/sys/brand'
const RIGHTS = ['system:brand:list', 'system:brand:edit'] as const
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
)
let admin: Caller
let tenant: Caller

beforeAll(async () => {
  admin = await app.as(...RIGHTS)
  tenant = await app.by({ tenant: '甲公司', permissions: RIGHTS })
})

async function upload(who: Caller): Promise<string> {
  const head =
    '--edge\r\ncontent-disposition: form-data; name="file"; filename="logo.png"\r\ncontent-type: image/png\r\n\r\n'
  const reply = await who.inject({
    method: 'POST',
    url: '/api/v1/file/upload?purpose=image',
    headers: { 'content-type': 'multipart/form-data; boundary=edge' },
    payload: Buffer.concat([Buffer.from(head), PNG, Buffer.from('\r\n--edge--\r\n')]),
  })
  return reply.json().data.url
}

const brandOf = async (who: Caller) => (await who.call('GET', '/api/v1/sys/account/perms')).data.brand

test('an accent on which white text cannot be read, and a picture of somebody else, are refused at the field', async () => {
  const refusal = async (input: object) => (await admin.call('PUT', BRAND, { rev: 0, ...input })).data?.field
  expect(await refusal({ accent: '#ffd500' })).toBe('accent')
  expect(await refusal({ accent: 'red' })).toBe('accent')
  expect(await refusal({ logo: await upload(tenant) })).toBe('logo')
  expect(await refusal({ logo: 'https://elsewhere.example/x.png' })).toBe('logo')
})

test('the brand of the installation is on its pages and in its consoles, its picture is public, and the change is logged', async () => {
  const logo = await upload(admin)
  const image = logo.replace('/file/', '/brand/image/')
  expect((await app.stranger().inject({ method: 'GET', url: image })).json().code).not.toBe(200)
  const input = { productName: '云栖运营台', accent: '#0A6B4F', logo, registration: '浙ICP备1号', rev: 0 }
  expect(await admin.call('PUT', BRAND, input)).toMatchObject({ code: 200, data: { rev: 1 } })
  expect((await admin.call('GET', BRAND)).data).toMatchObject({ accent: '#0a6b4f', tenantName: '', watermark: 0 })
  expect(await brandOf(tenant)).toMatchObject({ name: '云栖运营台', accent: '#0a6b4f', logo: image, logoDark: image })
  expect(await findPageBrand(app.db)).toMatchObject({ name: '云栖运营台', logo: image, registration: '浙ICP备1号' })
  const picture = await app.stranger().inject({ method: 'GET', url: image })
  expect([picture.statusCode, picture.headers['content-type']]).toEqual([200, 'image/png'])
  const [row] = await app.db.select().from(operLogs).where(eq(operLogs.bizType, 'brand'))
  expect(row?.diff).toContainEqual({ field: 'productName', title: '产品名称', from: '', to: '云栖运营台' })
})

test('a tenant changes name, logo, accent and watermark for its own accounts only', async () => {
  const own = { productName: '甲公司', watermark: 1, footer: '不属于客户', rev: 0 }
  expect(await tenant.call('PUT', BRAND, own)).toMatchObject({ code: 200 })
  expect((await tenant.call('GET', BRAND)).data).toMatchObject({
    tenantName: '甲公司',
    productName: '甲公司',
    footer: '',
  })
  expect(await brandOf(tenant)).toMatchObject({ name: '甲公司', accent: '#0a6b4f', watermark: true })
  expect(await brandOf(admin)).toMatchObject({ name: '云栖运营台', watermark: false })
  const other = await app.by({ tenant: '乙公司', permissions: RIGHTS })
  expect(await brandOf(other)).toMatchObject({ name: '云栖运营台', watermark: false })
})

test('changing the brand needs its permission, the revision, and for the installation a scope of all tenants', async () => {
  const reader = await app.as('system:brand:list')
  expect(await reader.call('PUT', BRAND, { rev: 1 })).toMatchObject({ code: 501 })
  expect(await admin.call('PUT', BRAND, { productName: '旧', rev: 0 })).toMatchObject({
    data: { conflict: { rev: 1 } },
  })
  const limited = await app.by({ permissions: RIGHTS, dataScope: 3, scopeIds: [] })
  expect(await limited.call('PUT', BRAND, { productName: '改', rev: 1 })).not.toMatchObject({ code: 200 })
})
