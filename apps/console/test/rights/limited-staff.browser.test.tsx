import type { Endpoint } from '@oms/contract/core/endpoint.ts'
import { accounts } from '@oms/contract/account/account-list.ts'
import { SHARED_DATA_MESSAGE } from '@oms/contract/core/shared-data.ts'
import { licenseCerts } from '@oms/contract/license/license.ts'
import { role } from '@oms/contract/account/role.ts'
import { staff } from '@oms/contract/account/staff.ts'
import type { ReactNode } from 'react'
import { afterEach, expect, test, vi } from 'vitest'
import { page } from 'vitest/browser'
import { buildFilledSample, createContractServer } from '#test/form-cases/contract-server.ts'
import AccountListPage from '#modules/account/account-list/account-list.page.tsx'
import LicenseListPage from '#modules/license/license-list.page.tsx'
import RoleListPage from '#modules/account/roles/role-list.page.tsx'
import StaffListPage from '#modules/account/staff/staff-list.page.tsx'
import { ok, openTab } from '../browser-harness.tsx'

let tab: ReturnType<typeof openTab> | undefined
afterEach(() => {
  tab?.close()
  tab = undefined
  sessionStorage.clear()
})

const REFUSAL = '该账号的权限或数据范围超出您自己的，不能操作'
type Row = Record<string, unknown>

/** Opens a list with one row, for staff limited to chosen tenants. */
async function openList(shown: ReactNode, list: Endpoint, row: Row, width = 1440) {
  await page.viewport(width, 900)
  const server = createContractServer(
    (fetch) => vi.stubGlobal('fetch', fetch),
    (schema) => buildFilledSample(schema),
  )
  const sample = buildFilledSample(list.result) as { list: Row[] }
  server.on(list, () => ok({ list: [{ ...sample.list[0], ...row }], total: 1 }))
  tab = openTab(<main>{shown}</main>, ['*:*:*'], false)
}

/** Opens the menu of the row and returns the names of its enabled and disabled entries. */
async function readMenu() {
  await page.getByRole('button', { name: '更多', exact: true }).first().click()
  await expect.element(page.getByRole('menuitem').first()).toBeVisible()
  const entries = [...document.querySelectorAll('[role="menuitem"]')]
  const isOff = (entry: Element) => entry.getAttribute('aria-disabled') === 'true'
  return { off: entries.filter(isOff), on: entries.filter((entry) => !isOff(entry)) }
}

test.each([
  ['accounts of all tenants', AccountListPage, accounts.list],
  ['staff', StaffListPage, staff.list],
] as const)(
  '%s: all actions on an account with more permissions are disabled and show the reason',
  async (_, List, list) => {
    await openList(<List />, list, { uid: 9, locked: true, mfaEnabled: true, changeRefusal: REFUSAL })
    const { off, on } = await readMenu()
    expect(on.map(({ textContent }) => textContent)).toEqual([])
    expect(off.length).toBeGreaterThan(0)
    for (const entry of off) expect(entry.textContent).toContain(REFUSAL)
    await expect.element(page.getByRole('switch')).toBeDisabled()
    await expect.element(page.getByRole('checkbox', { name: '选择 9' })).toBeDisabled()
  },
)

test('a role with more permissions can be read; the actions that change the role are disabled with a reason', async () => {
  const reason = '该角色的权限或数据范围超出您自己的，不能操作'
  await openList(<RoleListPage />, role.list, { id: 9, isBuiltin: 0, userCount: 0, changeRefusal: reason })
  const { off, on } = await readMenu()
  expect(on.map(({ textContent }) => textContent)).not.toContain('编辑')
  expect(off.map(({ textContent }) => textContent)).toEqual(['编辑', '删除'].map((label) => label + reason))
  await expect.element(page.getByRole('switch')).toBeDisabled()
})

test('limited staff can only view certificates in stock, because all tenants share these certificates', async () => {
  await openList(<LicenseListPage />, licenseCerts.list, { id: 9, state: 0, tenantId: null })
  const { off } = await readMenu()
  expect(off.map(({ textContent }) => textContent)).toEqual([`报废${SHARED_DATA_MESSAGE}`])
  await expect.element(page.getByRole('checkbox', { name: '选择 9' })).toBeDisabled()
})

test('limited staff can scrap certificates of a tenant in their data scope', async () => {
  await openList(<LicenseListPage />, licenseCerts.list, { id: 9, state: 0, tenantId: 7 })
  const { on } = await readMenu()
  expect(on.map(({ textContent }) => textContent)).toEqual(['报废'])
})

test('on a phone, limited staff cannot select the card of a certificate in stock', async () => {
  await openList(<LicenseListPage />, licenseCerts.list, { id: 9, state: 0, tenantId: null }, 390)
  await expect.element(page.getByRole('checkbox', { name: '选择 9' })).toBeDisabled()
})
