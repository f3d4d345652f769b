import { feedback } from '@oms/contract/ticket/ticket.ts'
import { PROBLEM_PARTS } from '@oms/contract/ticket/ticket-rows.ts'
import { afterEach, expect, test, vi } from 'vitest'
import { page } from 'vitest/browser'
import { createContractServer } from '#test/form-cases/contract-server.ts'
import { saveCredentials } from '#core/auth/credentials.ts'
import { createStore, useStore } from '#core/events/store.ts'
import { loadCredentials } from '#core/auth/session.tsx'
import { DisposePanel } from '#modules/ticket/handling/dispose-form.tsx'
import { openTab } from './browser-harness.tsx'

let tab: ReturnType<typeof openTab> | undefined
afterEach(() => {
  tab?.close()
  tab = undefined
  sessionStorage.clear()
})

const TICKET = {
  id: 1,
  version: 1,
  status: 1,
  handlerId: 2,
  handler: '甲',
  mergedInto: null,
  isOwnChange: false,
  problemAttr: Object.fromEntries(PROBLEM_PARTS.map((part) => [part, []])),
}

type Server = ReturnType<typeof createContractServer>

function openTicketServer() {
  let opened: Server | undefined
  openTicket((server) => (opened = server))
  return opened as unknown as Server
}

/** Opens the form of a ticket that account 2 handles. Returns a function that shows a newer version. */
function openTicket(prepare: (server: Server) => void = () => {}) {
  saveCredentials({ token: 'x', uid: 2, account: 'x', ownerId: 1, ownerName: '平台', mustChangePassword: false })
  loadCredentials()
  prepare(createContractServer((fetch) => vi.stubGlobal('fetch', fetch)))
  const shown = createStore(TICKET)
  function Ticket() {
    const ticket = useStore(shown)
    return <DisposePanel info={ticket as never} onTyping={() => {}} />
  }
  tab = openTab(<Ticket />)
  return (changes: Partial<typeof TICKET>) => shown.set({ ...TICKET, ...changes })
}

const remark = () => page.getByLabelText('处理备注')
const submitButton = () => page.getByRole('button', { name: /^(loading )?提交处理$/ })
const loadLatest = () => page.getByRole('button', { name: '加载最新' })

test('loading a newer version of a ticket keeps the changed fields and replaces the other fields', async () => {
  const show = openTicket()
  await remark().fill('已寄出备件')
  await page.getByText('已关闭', { exact: true }).click()
  show({ version: 2, status: 2 })
  await loadLatest().click()
  await expect.element(loadLatest()).not.toBeInTheDocument()
  await expect.element(remark()).toHaveValue('已寄出备件')
  await expect.element(page.getByRole('radio', { name: '已关闭' })).toBeChecked()
  expect(Object.keys(sessionStorage).filter((key) => key.includes('ticket:1:'))).toEqual([
    expect.stringContaining('ticket:1:2'),
  ])
})

test('a newer version of a ticket replaces the values of an unchanged form without a confirmation', async () => {
  const show = openTicket()
  await expect.element(remark()).toHaveValue('')
  show({ version: 2 })
  await expect.element(loadLatest()).not.toBeInTheDocument()
  await remark().fill('已联系客户')
  show({ version: 3 })
  await expect.element(loadLatest()).toBeVisible()
})

test('a typed remark stays on the page when another account takes over the ticket', async () => {
  const show = openTicket()
  await remark().fill('已寄出备件')
  show({ version: 2, handlerId: 3, handler: '乙' })
  await expect.element(page.getByText('该工单由 乙 处理，您填写的内容不能提交')).toBeVisible()
  await expect.element(remark()).toHaveValue('已寄出备件')
  await expect.element(submitButton()).toBeDisabled()
  await page.getByRole('button', { name: '复制备注' }).click()
  await page.getByRole('button', { name: '放弃填写' }).click()
  await page.getByRole('button', { name: '放弃', exact: true }).click()
  await expect.element(page.getByText('未选择问题分类')).toBeVisible()
})

test('a change of another account disables the confirm button until the latest version is loaded', async () => {
  const show = openTicket()
  await remark().fill('已寄出备件')
  show({ version: 2 })
  await expect.element(page.getByText('该工单刚被他人更新，提交前请加载最新内容')).toBeVisible()
  await expect.element(submitButton()).toBeDisabled()
  await loadLatest().click()
  await expect.element(submitButton()).toBeEnabled()
})

test("the account's own change is not reported as a change of another account", async () => {
  const show = openTicket()
  await remark().fill('已寄出备件')
  show({ version: 2, isOwnChange: true })
  await expect.element(page.getByText('您已更新该工单，提交前请加载最新内容')).toBeVisible()
})

test('a ticket form whose response was lost can be submitted again', async () => {
  const show = openTicket((server) =>
    server.on(feedback.dispose, () => Promise.reject(new TypeError('Failed to fetch'))),
  )
  await remark().fill('已寄出备件')
  await submitButton().click()
  await expect.element(page.getByText(/您填写的内容仍保留/)).toBeVisible()
  show({ version: 2, isOwnChange: true })
  await expect.element(page.getByText('您的上次提交可能已保存，请再次确认')).toBeVisible()
  await expect.element(submitButton()).toBeEnabled()
  await remark().fill('已寄出两个备件')
  await expect.element(page.getByText('您已更新该工单，提交前请加载最新内容')).toBeVisible()
  await expect.element(submitButton()).toBeDisabled()
})

test('closing a ticket without remark and problem category asks for one confirmation that names both fields', async () => {
  const server = openTicketServer()
  await page.getByText('已关闭', { exact: true }).click()
  await submitButton().click()
  await expect.element(page.getByText('未填写：处理备注、问题分类。')).toBeVisible()
  expect(server.inputsOf(feedback.dispose)).toHaveLength(0)
  await page.getByRole('button', { name: '关闭工单' }).click()
  await expect.poll(() => server.inputsOf(feedback.dispose)).toHaveLength(1)
})

test('TICKET-04 the initial status of the form replaces a later status only after a question', async () => {
  let server: Server | undefined
  openTicket((opened) => (server = opened))({ version: 2, status: 2 })
  await remark().fill('等待备件')
  await submitButton().click()
  await expect.element(page.getByRole('dialog', { name: '处理状态从「修改中」改为「分析中」？' })).toBeVisible()
  await page.getByRole('button', { name: '返回选择' }).click()
  expect(server!.inputsOf(feedback.dispose)).toHaveLength(0)
  await page.getByText('修改中', { exact: true }).click()
  await submitButton().click()
  await expect.poll(() => server!.inputsOf(feedback.dispose)).toMatchObject([{ status: 2 }])
})
