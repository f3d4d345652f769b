import { type AdRow, ads } from '@oms/contract/advertise/ad.ts'
import { afterEach, expect, test, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { buildSample, createContractServer, findRowSchema } from '#test/form-cases/contract-server.ts'
import AdListPage from '#modules/advertise/ads/ad-list.page.tsx'
import { ok, openTab } from '../browser-harness.tsx'

let tab: ReturnType<typeof openTab> | undefined
afterEach(() => {
  tab?.close()
  tab = undefined
})

const REASON = '画面中的价格与合同不一致，请更换图片后重新提交审核，并补充商标授权书'
const rowOf = (id: number, auditStatus: number, auditRemark: string) => ({
  ...(buildSample(findRowSchema(ads.list.result)) as AdRow),
  id,
  adName: `广告${id}`,
  adType: 1,
  auditStatus,
  auditRemark,
})

test('the list shows the reason of a rejected ad in the row and in a tooltip that opens by keyboard', async () => {
  await page.viewport(1440, 900)
  const server = createContractServer((fetch) => vi.stubGlobal('fetch', fetch))
  const list = [rowOf(1, 3, REASON), rowOf(2, 2, '')]
  server.on(ads.list, () => ok({ list, total: 2, pageNum: 1, pageSize: 20 }))
  tab = openTab(<AdListPage />)
  const text = page.getByText(REASON, { exact: true })
  await expect.element(text).toBeVisible()
  const tag = document.querySelector<HTMLElement>('.ad-rejected')
  expect(tag?.tabIndex).toBe(0)
  // A focus counts for the tooltip only after the keyboard was used.
  await userEvent.keyboard('{Tab}')
  tag?.focus()
  await expect.element(page.getByRole('tooltip', { name: `驳回原因：${REASON}` })).toBeVisible()
  const actions = [...document.querySelectorAll('.kit-row-actions')].map((cell) =>
    [...cell.querySelectorAll('button')].map((button) => button.ariaLabel ?? button.textContent),
  )
  expect(actions).toEqual([
    ['编辑', '详情', '更多'],
    ['编辑', '详情', '更多'],
  ])
})
