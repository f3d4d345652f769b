import { role } from '@oms/contract/account/role.ts'
import { Button, Modal } from 'antd'
import { afterEach, expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { EnableSwitch } from '#kit/list/enable-switch.tsx'
import { ReasonedButton } from '#kit/feedback/reasoned-button.tsx'
import { openTab, startServer } from './browser-harness.tsx'

let tab: ReturnType<typeof openTab> | undefined
afterEach(() => tab?.close())

const control = () => page.getByRole('switch', { name: '质检：启用或停用' })
const tooltip = () => page.getByRole('tooltip')

const show = (permissions: string[], reason?: string) => {
  const server = startServer({})
  tab = openTab(<EnableSwitch calls={role} id={1} on name="质检" warning="" reason={reason} />, permissions)
  return server
}

test('a switch with a reason keeps its place in the tab order and shows the reason', async () => {
  const server = show(['*:*:*'], '内置角色不能停用')
  await expect.element(control()).toBeDisabled()
  await expect.element(control()).toHaveAccessibleDescription('内置角色不能停用')
  await userEvent.tab()
  await expect.element(control()).toHaveFocus()
  await expect.element(tooltip()).toHaveTextContent('内置角色不能停用')
  await userEvent.keyboard('{Enter}')
  await expect.element(control()).toBeChecked()
  expect(server.requests).toEqual([])
})

test('a switch without the permission says so', async () => {
  show(['a:b:list'])
  await expect.element(control()).toHaveAccessibleDescription('您没有修改状态的权限')
})

test('disabled buttons with a reason in a tooltip keep their distance in the footer of a dialog', async () => {
  await page.viewport(1280, 720)
  startServer({})
  const button = (name: string) => (
    <ReasonedButton key={name} reason="请先选择文件">
      {name}
    </ReasonedButton>
  )
  tab = openTab(
    <Modal
      open
      title="导入证书"
      footer={
        <>
          <Button>取消导入</Button>
          {['校验全部', '导入全部'].map(button)}
          <Button>完成导入</Button>
        </>
      }
    />,
  )
  await expect.element(page.getByRole('button', { name: '完成导入' })).toBeVisible()
  const boxes = [...document.querySelectorAll('.ant-modal-footer .ant-btn')].map((each) => each.getBoundingClientRect())
  expect(boxes.slice(1).map(({ left }, at) => Math.round(left - boxes[at]!.right))).toEqual([8, 8, 8])
})

test('a submit button with a reason does not submit its form', async () => {
  startServer({})
  let submitted = 0
  tab = openTab(
    <form onSubmit={(event) => (event.preventDefault(), (submitted += 1))}>
      <ReasonedButton htmlType="submit" reason="请先选择文件">
        导入
      </ReasonedButton>
    </form>,
  )
  await page.getByRole('button', { name: /导\s?入/ }).click({ force: true })
  await expect.element(tooltip()).toHaveTextContent('请先选择文件')
  expect(submitted).toBe(0)
})
