import { feedback } from '@oms/contract/ticket/ticket.ts'
import { useLocation } from 'react-router'
import { afterEach, expect, test, vi } from 'vitest'
import TicketListPage from '#modules/ticket/ticket-list.page.tsx'
import { held, ok, openTab, pause } from './browser-harness.tsx'
import { createContractServer } from '#test/form-cases/contract-server.ts'
import { chooseFirst, isTextShown, pressButton, submitForm, typeInto, waitUntil } from '#test/form-cases/page-driver.ts'

let tab: ReturnType<typeof openTab> | undefined
afterEach(() => {
  tab?.close()
  tab = undefined
  sessionStorage.clear()
})

const Address = () => <output id="address">{useLocation().pathname}</output>
const address = () => document.querySelector('#address')?.textContent

/** Completes the form of a new ticket and submits the form. The test decides when the server responds. */
async function submitTicket() {
  const server = createContractServer((fetch) => vi.stubGlobal('fetch', fetch))
  const answer = held()
  server.on(feedback.create, answer.respond)
  const page = openTab(
    <>
      <Address />
      <TicketListPage />
    </>,
  )
  tab = page
  await waitUntil(() => pressButton('新增工单'))
  // The filters of the list have fields with the same names.
  await waitUntil(() => expect(document.querySelector('.ant-drawer form')).not.toBeNull())
  document.querySelector('[role="search"]')?.setAttribute('hidden', '')
  await waitUntil(() => typeInto('content', '无法开机'))
  await chooseFirst('problemType')
  submitForm()
  await waitUntil(() => expect(server.inputsOf(feedback.create)).toHaveLength(1))
  return { page, create: () => answer.answer(ok({ id: 7, feedbackNo: 'G7' }, '工单已创建')) }
}

test('the ticket list opens a ticket after its creation', async () => {
  const { create } = await submitTicket()
  create()
  await waitUntil(() => expect(address()).toBe('/AfterService/Questions/Pendding'))
})

test('a ticket whose creation ends in a hidden tab is reported in a toast and does not change the shown page', async () => {
  const { page, create } = await submitTicket()
  page.hide()
  create()
  await waitUntil(() => expect(isTextShown('工单已创建')).toBe(true))
  await waitUntil(() => expect(page.hasUnsavedTabs()).toBe(false))
  page.show()
  await waitUntil(() => expect(isTextShown('新增工单')).toBe(true))
  // A shown page renders a pending change of the address after the first paint.
  await pause(300)
  expect(address()).toBe('/')
  expect(page.errors).toEqual([])
})
