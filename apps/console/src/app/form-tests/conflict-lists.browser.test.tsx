import { AdDetail, AdMaterial, ads } from '@oms/contract/advertise/ad.ts'
import { agentProducts, ProductDetail } from '@oms/contract/agent/packages/product.ts'
import { role } from '@oms/contract/role/role.ts'
import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { AdEditForm } from '#modules/advertise/ads/ad-form.tsx'
import { ProductEditForm } from '#modules/agent/packages/product-form.tsx'
import { RolePermission } from '#modules/role/role-permission.tsx'
import { ok, refusal } from '#app/browser-tests/browser-harness.tsx'
import { useContractPage } from '#app/browser-tests/contract-page.tsx'
import { buildRecordSample, buildSample } from '#app/form-cases/contract-server.ts'

const open = useContractPage()
const CONFLICT = refusal(400, '数据已被他人修改', {
  conflict: { by: '张三', isOwn: false, at: '2026-01-01 10:00:00', rev: 2 },
})
const cells = (label: string) =>
  [...(page.getByRole('row', { name: new RegExp(`^${label}`) }).element() as HTMLTableRowElement).cells]
    .slice(1)
    .map(({ textContent }) => textContent)

/** Twenty pages; the pages with the ids 1 to 14 are granted. */
const MENUS = Array.from({ length: 20 }, (_, at) => ({
  id: at + 1,
  parentId: 0,
  name: `页面${at + 1}`,
  type: 'C',
  status: 1,
  perms: '',
  grantable: true,
  children: [],
}))
const granted = (rev: number, checkedIds: readonly number[]) => ok({ menus: MENUS, checkedIds, rev })
const OPENED = Array.from({ length: 14 }, (_, at) => at + 1)

test('a conflict about the permissions of a role names the pages that each side granted and revoked', async () => {
  const row = { id: 7, roleName: '质检', userCount: 0, isBuiltin: 0 }
  const server = open(<RolePermission role={row as never} onClose={() => {}} />)
  server.on(role.allPerm, () => granted(1, OPENED))
  server.on(role.permission, () => CONFLICT)
  await page.getByText('页面20', { exact: true }).click()
  await page.getByText('页面1', { exact: true }).click()
  server.on(role.allPerm, () => granted(2, [...OPENED, 15, 16]))
  await page.getByRole('button', { name: '保存权限' }).click()
  await expect.element(page.getByRole('button', { name: '继续编辑' })).toBeVisible()
  expect(cells('权限')).toEqual(['共 14 项\n新增：页面20\n移除：页面1', '共 16 项\n新增：页面15、页面16'])
})

const material = (fileId: string, fileName: string) => ({
  ...(buildSample(AdMaterial) as object),
  fileId,
  fileName,
  mime: 'image/png',
  probeState: 1,
})
const DETAIL = {
  ...buildRecordSample(AdDetail, ads.update),
  id: 5,
  adName: '春节',
  adType: 1,
  auditRemark: '',
  approvedVer: 0,
  proofs: [],
  tags: [],
  bannedWords: [],
}

test('a conflict about the files of an ad names the files', async () => {
  const [wide, tall, square] = [
    material('a'.repeat(32), '横屏.png'),
    material('b'.repeat(32), '竖屏.png'),
    material('c'.repeat(32), '方屏.png'),
  ]
  const server = open(<AdEditForm row={DETAIL as never} onClose={() => {}} />)
  server.on(ads.get, () => ok({ ...DETAIL, rev: 1, materials: [wide, tall] }))
  server.on(ads.update, () => CONFLICT)
  await page.getByRole('button', { name: '移除' }).nth(1).click()
  server.on(ads.get, () => ok({ ...DETAIL, rev: 2, materials: [wide, tall, square] }))
  await page.getByRole('button', { name: /^保\s?存$/ }).click()
  await expect.element(page.getByRole('button', { name: '继续编辑' })).toBeVisible()
  expect(cells('素材')).toEqual(['共 1 项\n移除：竖屏.png', '共 3 项\n新增：方屏.png'])
})

test('a conflict about the content of a package names the quantities', async () => {
  const row = { ...buildRecordSample(ProductDetail, agentProducts.update), id: 3, models: [], tenants: [], isSold: 0 }
  const detail = (rev: number, allowances: readonly object[]) => ok({ ...row, rev, allowances })
  const server = open(<ProductEditForm row={row as never} onClose={() => {}} />)
  server.on(agentProducts.get, () => detail(1, [{ unit: 1, amount: 30 }]))
  server.on(agentProducts.update, () => CONFLICT)
  await page.getByLabelText('数量').fill('60')
  server.on(agentProducts.get, () =>
    detail(2, [
      { unit: 1, amount: 30 },
      { unit: 2, amount: 5000 },
    ]),
  )
  await page.getByRole('button', { name: /^保\s?存$/ }).click()
  await expect.element(page.getByRole('button', { name: '继续编辑' })).toBeVisible()
  expect(cells('套餐内容')).toEqual(['共 1 项\n修改：设备天数 60', '共 2 项\n新增：对话轮数 5,000'])
})
