import { dictTypes } from '@oms/contract/system/dict-type.ts'
import { deviceTypes } from '@oms/contract/device/device-type.ts'
import type { Endpoint } from '@oms/contract/core/endpoint.ts'
import { accounts } from '@oms/contract/account/account-list.ts'
import { SHARED_DATA_MESSAGE } from '@oms/contract/core/shared-data.ts'
import { logs } from '@oms/contract/system/log.ts'
import { notices } from '@oms/contract/system/notice.ts'
import { role } from '@oms/contract/account/role.ts'
import { userApply } from '@oms/contract/tenant/user-apply.ts'
import type { ComponentType } from 'react'
import { afterEach, expect, test, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import AccountListPage from '#modules/account/account-list/account-list.page.tsx'
import DeviceTypeListPage from '#modules/device/models/device-type-list.page.tsx'
import DictTypeListPage from '#modules/system/dict/dict-type-list.page.tsx'
import { OnlineUsers } from '#modules/system/logs/login-log.page.tsx'
import NoticeListPage from '#modules/system/notices/notice-list.page.tsx'
import RoleListPage from '#modules/account/roles/role-list.page.tsx'
import ApplyListPage from '#modules/tenant/apply-list.page.tsx'
import { DataTable } from '#kit/table/data-table.tsx'
import { buildFilledSample, createContractServer } from '#test/form-cases/contract-server.ts'
import { ok, openTab } from '../browser-harness.tsx'

let tab: ReturnType<typeof openTab> | undefined
afterEach(async () => {
  tab?.close()
  tab = undefined
  sessionStorage.clear()
  await page.viewport(1440, 900)
})

const noop = () => {}
const REASON = '内置数据不能删除'
const ROWS = [
  { id: 1, name: '横幅', isBuiltin: 0 },
  { id: 2, name: '海报', isBuiltin: 1 },
]

/** A list whose built-in rows cannot be selected. */
const Rows = ({ rows = ROWS }: { rows?: typeof ROWS }) => (
  <DataTable<(typeof ROWS)[number]>
    total={rows.length}
    isEstimate={false}
    pageNum={1}
    pageSize={20}
    sort={undefined}
    pending={false}
    fetching={false}
    turning={false}
    refusal={null}
    filtered={false}
    onSort={noop}
    onClear={noop}
    onRefresh={noop}
    rows={rows}
    query="1"
    rowKey="id"
    columns={[{ key: 'name', title: '名称', width: 90, render: ({ name }) => name }]}
    findSelectionBlock={({ isBuiltin }) => (isBuiltin === 1 ? REASON : undefined)}
    batch={({ rows: picked }) => <output>已选：{picked.map(({ name }) => name).join('、')}</output>}
  />
)
const checkbox = (name: string) => page.getByRole('checkbox', { name })

test.each([
  ['table', 1440],
  ['card', 390],
] as const)('the disabled checkbox of a row shows its reason by keyboard and pointer: %s', async (_, width) => {
  await page.viewport(width, 900)
  tab = openTab(<Rows rows={ROWS.toReversed()} />)
  await expect.element(checkbox('选择 2')).toBeDisabled()
  await expect.element(checkbox('选择 2')).toHaveAccessibleDescription(REASON)
  checkbox('选择 2').element().focus()
  await expect.element(page.getByRole('tooltip')).toHaveTextContent(REASON)
  await userEvent.keyboard(' ')
  await expect.element(checkbox('选择 2')).not.toBeChecked()
  await expect.element(checkbox('选择 1')).toBeEnabled()
  await expect.element(checkbox('选择 1')).not.toHaveAccessibleDescription()
  await checkbox('选择 1').click({ force: true })
  await expect.element(page.getByText('已选：横幅')).toBeVisible()
})

test('selecting all rows leaves out the rows with a reason', async () => {
  tab = openTab(<Rows />)
  await checkbox('选择本页全部').click()
  await expect.element(page.getByText('已选：横幅', { exact: true })).toBeVisible()
  await expect.element(checkbox('选择 2')).not.toBeChecked()
})

test('the checkbox for all rows gives a reason when no row can be selected', async () => {
  tab = openTab(<Rows rows={[ROWS[1]!]} />)
  await expect.element(checkbox('选择本页全部')).toBeDisabled()
  await expect.element(checkbox('选择本页全部')).toHaveAccessibleDescription('本页没有可以选择的数据')
})

type Row = Record<string, unknown>
const CASES: readonly (readonly [name: string, List: ComponentType, list: Endpoint, row: Row, reason: string])[] = [
  ['accounts', AccountListPage, accounts.list, { uid: 9, changeRefusal: '不能操作' }, '不能操作'],
  ['device types', DeviceTypeListPage, deviceTypes.list, { id: 9, modelCount: 3 }, '有 3 个型号，不能删除'],
  ['dictionaries', DictTypeListPage, dictTypes.list, { dictId: 9, isBuiltin: 1 }, '内置字典类型不能删除，可以停用'],
  ['sessions', OnlineUsers, logs.online, { sessionId: '9', current: true }, '不能强制下线当前会话'],
  ['notices', NoticeListPage, notices.list, { noticeId: 9, isEditable: true, status: 1 }, '公告已发布，请先撤回'],
  ['shared notices', NoticeListPage, notices.list, { noticeId: 9, isEditable: false }, SHARED_DATA_MESSAGE],
  ['roles', RoleListPage, role.list, { id: 9, isBuiltin: 1 }, '内置角色不能停用或删除'],
  ['applications', ApplyListPage, userApply.list, { id: 9, status: 2 }, '已驳回的申请不能再审批'],
]

test.each(CASES)('%s: the disabled checkbox of a row says why', async (_, List, list, row, reason) => {
  const server = createContractServer(
    (fetch) => vi.stubGlobal('fetch', fetch),
    (schema) => buildFilledSample(schema),
  )
  const sample = buildFilledSample(list.result) as { list: Row[] }
  server.on(list, () => ok({ ...sample, list: [{ ...sample.list[0], ...row }], total: 1 }))
  tab = openTab(
    <main>
      <List />
    </main>,
  )
  await expect.element(checkbox('选择 9')).toBeDisabled()
  await expect.element(checkbox('选择 9')).toHaveAccessibleDescription(reason)
})
