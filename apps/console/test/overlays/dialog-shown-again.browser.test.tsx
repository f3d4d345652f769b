import { Drawer, Input, Modal } from 'antd'
import { useState } from 'react'
import { afterEach, expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { openTab, startServer } from '../browser-harness.tsx'
import '#kit/kit.css'

let tab: ReturnType<typeof openTab> | undefined
afterEach(() => tab?.close())

const dialog = () => document.querySelector<HTMLElement>('.ant-modal')
const field = page.getByRole('textbox', { name: '角色名称' })
const isDialogShown = () => dialog()?.checkVisibility() ?? false

async function hideAndShow() {
  tab?.hide()
  await expect.poll(isDialogShown).toBe(false)
  tab?.show()
  await expect.poll(isDialogShown).toBe(true)
}

function RoleDialog() {
  const [isOpen, setOpen] = useState(true)
  const close = () => setOpen(false)
  return (
    <Modal open={isOpen} title="新增角色" okText="保存" cancelText="取消" onOk={close} onCancel={close}>
      <Input aria-label="角色名称" />
    </Modal>
  )
}

test('an open dialog is visible, keeps its input and closes after its page was hidden and shown again', async () => {
  startServer({})
  tab = openTab(<RoleDialog />)
  await field.fill('值班')
  for (let round = 0; round < 2; round++) {
    await hideAndShow()
    await expect.poll(() => getComputedStyle(dialog()!).opacity).toBe('1')
    expect(dialog()!.className).not.toContain('-appear')
    await expect.element(field).toHaveValue('值班')
  }
  await page.getByRole('button', { name: /取\s?消/ }).click()
  await expect.poll(isDialogShown).toBe(false)
})

test('a dialog whose page was hidden during its opening animation is visible when the page is shown again', async () => {
  startServer({})
  tab = openTab(<RoleDialog />)
  await expect.poll(() => dialog() !== null).toBe(true)
  await hideAndShow()
  await expect.poll(() => getComputedStyle(dialog()!).opacity).toBe('1')
  expect(dialog()!.className).not.toContain('-appear')
})

test('a dialog whose page was hidden during its closing animation is closed when the page is shown again', async () => {
  startServer({})
  tab = openTab(<RoleDialog />)
  await expect.element(field).toBeVisible()
  await page.getByRole('button', { name: /取\s?消/ }).click()
  tab.hide()
  tab.show()
  await expect.poll(isDialogShown).toBe(false)
})

test('an open drawer ends its animation when its page is hidden', async () => {
  startServer({})
  tab = openTab(
    <Drawer open title="角色详情">
      内容
    </Drawer>,
  )
  const drawer = page.getByRole('dialog', { name: '角色详情' })
  await expect.element(drawer).toBeVisible()
  tab.hide()
  await expect.element(drawer).not.toBeInTheDocument()
  tab.show()
  await expect.element(drawer).toBeVisible()
  await expect.poll(() => document.querySelector('.ant-drawer [class*="-appear"]')).toBeNull()
})

test('a dialog fades in to its full opacity', async () => {
  startServer({})
  tab = openTab(<RoleDialog />)
  await expect.element(field).toBeVisible()
  const probe = document.body.appendChild(document.createElement('div'))
  probe.innerHTML =
    '<div class="ant-modal-root"><div class="ant-modal ant-zoom-appear ant-zoom-appear-active"></div></div>'
  const opacity = getComputedStyle(probe.querySelector('.ant-modal')!).opacity
  probe
    .querySelector('.ant-modal')!
    .getAnimations()
    .forEach((each) => each.finish())
  expect(getComputedStyle(probe.querySelector('.ant-modal')!).opacity, `starts with ${opacity}`).toBe('1')
  probe.remove()
})
