import { deviceGroups } from '@oms/contract/device/device-group.ts'
import { role } from '@oms/contract/account/role.ts'
import { staff } from '@oms/contract/account/staff.ts'
import { expect, test, vi } from 'vitest'
import { page } from 'vitest/browser'
import { BatchCallButton } from '#kit/list/batch-call-button.tsx'
import { BatchAction } from '#kit/list/batch-action.tsx'
import { RoleMembers } from '#modules/account/roles/role-dialogs.tsx'
import { TicketBatch } from '#modules/ticket/ticket-rows.tsx'
import { ok } from './browser-harness.tsx'
import { useContractPage } from './contract-page.tsx'

const open = useContractPage()
const noop = () => {}
const ROWS = [1, 2].map((id) => ({ id, name: `设备${id}` }))
const dialog = () => page.getByRole('dialog')

test('an action that ends something names the count and the effect before its call', async () => {
  const onCall = vi.fn<() => Promise<void>>(async () => {})
  const clear = vi.fn<() => void>()
  open(
    <BatchCallButton
      label="移除所选设备"
      to={deviceGroups.removeDevices}
      picked={{ rows: ROWS, clear }}
      onCall={onCall}
      confirm={{ title: '移除 2 台设备？', content: '设备本身不会被删除。', okText: '移除', danger: true }}
    />,
  )
  await page.getByRole('button', { name: '移除所选设备' }).click()
  await expect.element(dialog().getByText('设备本身不会被删除。')).toBeVisible()
  await expect.element(dialog().getByText('移除 2 台设备？').last()).toBeVisible()
  expect(onCall).not.toHaveBeenCalled()
  await dialog()
    .getByRole('button', { name: /移\s?除/ })
    .click()
  await expect.poll(() => onCall.mock.calls).toEqual([[ROWS]])
  await expect.poll(() => clear.mock.calls.length).toBe(1)
})

test('the confirmation of a batch states its effect', async () => {
  open(
    <BatchAction
      label="删除"
      to={staff.remove}
      picked={{ rows: ROWS, clear: noop }}
      input={({ id }) => ({ ids: [id] })}
      nameOf={({ name }) => name}
      danger
      effect="这些账号立即退出登录，且不能恢复。"
    />,
  )
  await page.getByRole('button', { name: /删\s?除/ }).click()
  await expect.element(dialog().getByText('删除 2 项')).toBeVisible()
  await expect.element(dialog().getByText('这些账号立即退出登录，且不能恢复。')).toBeVisible()
})

test('removing several members of a role asks first', async () => {
  await page.viewport(1440, 900)
  const server = open(<RoleMembers role={{ id: 7, roleName: '质检' } as never} onClose={noop} />)
  const list = [1, 2].map((uid) => ({
    uid,
    account: `a${uid}`,
    realname: '',
    mobileNo: '',
    status: 1,
    changeRefusal: null,
  }))
  server.on(role.accountInRole, () => ok({ list, total: 2, pageNum: 1, pageSize: 20 }))
  await page.getByRole('checkbox', { name: '选择本页全部' }).click()
  await page.getByRole('button', { name: '移除所选用户' }).click()
  await expect.element(page.getByText('移除 2 个用户？').last()).toBeVisible()
  await expect.element(page.getByText('这些用户立即失去角色「质检」的权限。')).toBeVisible()
  expect(server.inputsOf(role.removeUserRole)).toEqual([])
})

test('closing tickets states the effect, and merging one ticket says why not', async () => {
  const row = { id: 1, feedbackNo: 'FB1', tenantId: 1, tags: [], priority: 2 }
  open(<TicketBatch picked={{ rows: [row] as never, clear: noop }} />)
  await expect.element(page.getByRole('button', { name: '合并' })).toHaveAccessibleDescription('请至少选择两个工单')
  await page.getByRole('button', { name: '关闭' }).click()
  await expect.element(dialog().getByText('关闭后停止计时，并清空处理人员', { exact: false })).toBeVisible()
})
