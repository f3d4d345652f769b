import { Button } from 'antd'
import { useState } from 'react'
import { afterEach, expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { RoleForm } from '#modules/account/roles/role-form.tsx'
import { GC_MS, held, ok, openTab, pause, refusal, startServer } from '#test/browser-harness.tsx'
import { conflictBy, READ, ROLE, SAVE } from './role-conflict.ts'

const CONFLICT = conflictBy(false)

let tab: ReturnType<typeof openTab> | undefined
afterEach(() => {
  tab?.close()
  tab = undefined
})

/** A page with one editable role, like the role list. */
function RolePage() {
  const [edited, setEdited] = useState<typeof ROLE>()
  return (
    <main>
      <Button onClick={() => setEdited(ROLE)}>编辑</Button>
      <Button onClick={() => setEdited({ ...ROLE, id: 8 })}>下一个</Button>
      {edited && <RoleForm role={edited as never} onClose={() => setEdited(undefined)} />}
    </main>
  )
}

async function openForm(routes: Parameters<typeof startServer>[0] = {}) {
  const server = startServer({ [READ]: () => ok(ROLE), [SAVE]: () => ok({ rev: 4 }, '修改成功'), ...routes })
  tab = openTab(<RolePage />)
  await page.getByRole('button', { name: '编辑' }).click()
  await expect.element(name()).toHaveValue('质检')
  return { server, tab }
}
const name = () => page.getByLabelText('角色名称')
/** Locates the error below its field. A toast is outside the dialog. */
const atField = () => page.getByRole('dialog').getByText('角色名称已存在')

async function reopen(tab: ReturnType<typeof openTab>) {
  tab.hide()
  await expect.element(page.getByRole('dialog')).not.toBeInTheDocument()
  tab.show()
  await expect.element(name()).toBeVisible()
}

const save = () => page.getByRole('button', { name: '保存', exact: true }).click()

test('saving sends the loaded revision and closes the form', async () => {
  const { server } = await openForm()
  await name().fill('质检一组')
  await save()
  await expect.element(page.getByRole('dialog')).not.toBeInTheDocument()
  expect(server.inputsOf(SAVE)).toMatchObject([{ id: 7, roleName: '质检一组', rev: 3 }])
})

test('the form sends nothing when the user presses Enter again in the closing dialog', async () => {
  const { server } = await openForm()
  await name().fill('质检一组')
  const form = document.querySelector('form')
  await save()
  await expect.poll(() => server.inputsOf(SAVE)).toHaveLength(1)
  form?.requestSubmit()
  await pause(500)
  expect(server.inputsOf(SAVE)).toHaveLength(1)
})

test('the error of a field disappears as soon as the typed value is correct', async () => {
  await openForm()
  await name().fill('')
  await save()
  const error = page.getByRole('dialog').getByText('请输入角色名称', { exact: true })
  await expect.element(error).toBeVisible()
  await name().fill('质')
  await expect.element(error).not.toBeInTheDocument()
  await expect.element(name()).toHaveFocus()
})

test('the form of another record can be opened while the saved form is still closing', async () => {
  const next = 'GET /api/v1/tenant/role/8'
  const { server } = await openForm({ [next]: () => ok({ ...ROLE, id: 8, roleName: '客服' }) })
  await name().fill('质检一组')
  await save()
  await expect.poll(() => server.inputsOf(SAVE)).toHaveLength(1)
  // Bypasses the mask of the closing dialog, which covers the page for the length of an animation.
  const button = [...document.querySelectorAll('button')].find(({ textContent }) => textContent === '下一个')
  button?.click()
  await expect.element(name()).toHaveValue('客服')
  await pause(500)
  await expect.element(name()).toHaveValue('客服')
})

test('the form shows an API error at its field and keeps the input', async () => {
  const { tab } = await openForm({ [SAVE]: () => refusal(400, '角色名称已存在', { field: 'roleName' }) })
  await name().fill('管理员')
  await save()
  await expect.element(page.getByRole('dialog').getByText('角色名称已存在')).toBeVisible()
  await expect.element(name()).toHaveValue('管理员')
  expect(tab.hasUnsavedTabs()).toBe(true)
})

test('an open form stays open when its hidden tab is shown after the query cache dropped the record', async () => {
  const { tab } = await openForm()
  await name().fill('质检一组')
  tab.hide()
  await expect.element(page.getByRole('dialog')).not.toBeInTheDocument()
  await pause(GC_MS * 3)
  tab.show()
  await expect.element(name()).toHaveValue('质检一组')
  await save()
  await expect.element(page.getByRole('dialog')).not.toBeInTheDocument()
  expect(tab.errors).toEqual([])
})

test('a save completes while the tab of the form is hidden', async () => {
  const answer = held()
  const { tab } = await openForm({ [SAVE]: answer.respond })
  await name().fill('质检一组')
  await save()
  tab.hide()
  await expect.element(page.getByRole('dialog')).not.toBeInTheDocument()
  answer.answer(ok({ rev: 4 }, '修改成功'))
  await expect.element(page.getByText('修改成功')).toBeVisible()
  await expect.poll(() => tab.hasUnsavedTabs()).toBe(false)
  tab.show()
  await pause(200)
  await expect.element(page.getByRole('dialog')).not.toBeInTheDocument()
  await page.getByRole('button', { name: '编辑' }).click()
  await expect.element(name()).toBeVisible()
})

test('an API error moves the focus to its field once; afterwards the focus stays where the user moves it', async () => {
  await openForm({ [SAVE]: () => refusal(400, '角色名称已存在', { field: 'roleName' }) })
  await save()
  await expect.element(atField()).toBeVisible()
  await expect.element(name()).toHaveFocus()
  await page.getByLabelText('备注').click()
  await pause(800)
  await expect.element(page.getByLabelText('备注')).toHaveFocus()
})

test('an API error appears in a toast while the tab is hidden, and at its field when the tab is shown', async () => {
  const answer = held()
  const { tab } = await openForm({ [SAVE]: answer.respond })
  await name().fill('管理员')
  await save()
  tab.hide()
  await expect.element(page.getByRole('dialog')).not.toBeInTheDocument()
  answer.answer(refusal(400, '角色名称已存在', { field: 'roleName' }))
  await expect.element(page.getByText('「测试页」未保存：角色名称已存在')).toBeVisible()
  tab.show()
  await expect.element(name()).toHaveValue('管理员')
  await expect.element(atField()).toBeVisible()
  await pause(1000)
  await expect.element(atField()).toBeVisible()
  expect(tab.hasUnsavedTabs()).toBe(true)
})

test('an API error stays at its field after the tab was hidden, until the value is changed', async () => {
  const { tab } = await openForm({ [SAVE]: () => refusal(400, '角色名称已存在', { field: 'roleName' }) })
  await name().fill('管理员')
  await save()
  await expect.element(atField()).toBeVisible()
  await reopen(tab)
  await expect.element(atField()).toBeVisible()
  await name().fill('质检一组')
  await userEvent.keyboard('{Tab}')
  await expect.element(atField()).not.toBeInTheDocument()
  await reopen(tab)
  await pause(1000)
  await expect.element(atField()).not.toBeInTheDocument()
})

test('a conflict opens a dialog, and its overwrite button saves the input', async () => {
  let stored = { ...ROLE, roleName: '质检二组', rev: 4 }
  const { server } = await openForm()
  server.on(READ, () => ok(stored))
  server.on(SAVE, (input) => (input['rev'] === stored.rev ? ok({ rev: 5 }, '修改成功') : CONFLICT))
  await name().fill('质检一组')
  await save()
  await expect.element(page.getByRole('button', { name: '继续编辑' })).toBeVisible()
  await page.getByRole('button', { name: '覆盖保存' }).click()
  await expect.element(page.getByRole('dialog')).not.toBeInTheDocument()
  expect(server.inputsOf(SAVE).map(({ rev }) => rev)).toEqual([3, 4])
  stored = { ...stored, rev: 5 }
})

test('a conflict with the same account says that another window of the user saved the record', async () => {
  const { server } = await openForm({ [SAVE]: () => conflictBy(true) })
  server.on(READ, () => ok({ ...ROLE, roleName: '质检二组', rev: 4 }))
  await name().fill('质检一组')
  await save()
  await expect.element(page.getByText('内容已在别处修改').last()).toBeVisible()
  await expect.element(page.getByText(/^您于 2026-01-01 10:00:00 已在其他页面或设备上修改了这条数据。/)).toBeVisible()
  await expect.element(page.getByText(/他人/)).not.toBeInTheDocument()
  await page.getByRole('button', { name: '继续编辑' }).click()
})

test.each([
  ['without a response', () => Promise.reject(new TypeError('Failed to fetch')), '网络异常'],
  ['with a server failure', () => refusal(500, 'x'), '服务器出错'],
])('a save that ends $0 keeps the input and says so', async (_, respond, reason) => {
  await openForm({ [SAVE]: respond })
  await name().fill('质检一组')
  await save()
  await expect.element(page.getByText(`${reason}。您填写的内容仍保留，可以再次保存。`)).toBeVisible()
  await expect.element(name()).toHaveValue('质检一组')
})

test('a conflict in a hidden tab opens its dialog when the tab is shown', async () => {
  const answer = held()
  const { server, tab } = await openForm({ [SAVE]: answer.respond })
  server.on(READ, () => ok({ ...ROLE, roleName: '质检二组', rev: 4 }))
  await name().fill('质检一组')
  await save()
  tab.hide()
  await expect.element(page.getByRole('dialog')).not.toBeInTheDocument()
  answer.answer(CONFLICT)
  await expect.element(page.getByText('「测试页」未保存：张三 于 2026-01-01 10:00:00 已修改了这条数据。')).toBeVisible()
  tab.show()
  await expect.element(page.getByRole('button', { name: '继续编辑' })).toBeVisible()
  await page.getByRole('button', { name: '继续编辑' }).click()
  await expect.element(name()).toHaveValue('质检一组')
})

test('a change of fields outside the form is not reported as a conflict', async () => {
  const { server } = await openForm()
  server.on(READ, () => ok({ ...ROLE, rev: 4 }))
  server.on(SAVE, ({ rev }) => (rev === 4 ? ok({ rev: 5 }, '修改成功') : CONFLICT))
  await name().fill('质检一组')
  await save()
  await expect.element(page.getByRole('dialog')).not.toBeInTheDocument()
  expect(server.inputsOf(SAVE).map(({ rev }) => rev)).toEqual([3, 4])
})

test('the form loads the record again each time it opens', async () => {
  const { server } = await openForm()
  await userEvent.keyboard('{Escape}')
  await expect.element(page.getByRole('dialog')).not.toBeInTheDocument()
  server.on(READ, () => ok({ ...ROLE, roleName: '质检三组', rev: 9 }))
  await page.getByRole('button', { name: '编辑' }).click()
  await expect.element(name()).toHaveValue('质检三组')
  await name().fill('质检四组')
  await save()
  await expect.element(page.getByRole('dialog')).not.toBeInTheDocument()
  expect(server.inputsOf(SAVE)).toMatchObject([{ roleName: '质检四组', rev: 9 }])
})

test('a role with the data scope of chosen tenants requires tenants: the field is marked and shows a message', async () => {
  const { server } = await openForm({ [READ]: () => ok({ ...ROLE, dataScope: 3 }) })
  await expect.poll(() => document.querySelector('.ant-form-item-required[title="指定客户"]') !== null).toBe(true)
  await page.getByRole('button', { name: /保\s?存/ }).click()
  await expect.element(page.getByText('请选择指定客户')).toBeVisible()
  expect(server.inputsOf(SAVE)).toEqual([])
})
