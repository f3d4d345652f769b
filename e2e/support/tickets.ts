import type { Page } from '@playwright/test'
import type { Api, Person } from './people.ts'
import { pick } from './pick.ts'

export const AGENT = [
  'AfterService:Questions:list',
  'AfterService:Questions:query',
  'AfterService:Questions:submit',
  'AfterService:Questions:add',
  'AfterService:PendingList:list',
  'AfterService:PendingList:query',
  'AfterService:PendingList:claim',
] as const
export const PENDING = '/AfterService/PendingList'
export const QUESTIONS = '/AfterService/Questions'

export const row = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text })
export const detail = (list: string, id: number) =>
  `${list}/Pendding?info=${encodeURIComponent(JSON.stringify({ id }))}`
export const confirm = (page: Page) => page.getByRole('button', { name: '提交处理' })

/** Creates a ticket reported by telephone. */
export async function ticket(api: Api, content: string, more: object = {}) {
  const fields = { problemType: 1, source: 3, account: 'user@example.com', content, ...more }
  return api.call<{ id: number; feedbackNo: string }>('POST', '/api/v1/feedback', fields)
}

/** Selects the account in the handler picker. */
export async function pickHandler(page: Page, { account }: Person) {
  await pick(page.getByLabel('处理人员', { exact: false }).first(), account)
}
