import { agentParams, ParamRow } from '@oms/contract/agent/parameters/params.ts'
import { afterEach, expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { buildSample } from '#test/form-cases/contract-server.ts'
import { ParamTable } from '#modules/agent/param-table.tsx'
import { ok, openTab, startServer } from '../browser-harness.tsx'
import '#modules/agent/params.css'

const rowOf = (code: string, title: string) => ({ ...(buildSample(ParamRow) as object), code, title, remark: '' })
const ROWS = [
  rowOf('server.voiceprint_similarity_threshold', '声纹识别相似度阈值'),
  rowOf('history.days', '对话保存天数'),
]
/** Width in pixels of a page beside the open sidebar in a window of 1280 px. */
const PAGE_WIDTH = 1020

let tab: ReturnType<typeof openTab> | undefined
afterEach(() => tab?.close())

test('the parameters are searched by code and title, and fit into a window of 1280 px', async () => {
  startServer({
    [`GET ${agentParams.get.path}`]: () => ok({ ...(buildSample(agentParams.get.result) as object), list: ROWS }),
  })
  await page.viewport(1280, 800)
  tab = openTab(
    <div style={{ width: PAGE_WIDTH }}>
      <ParamTable input={{}} />
    </div>,
  )
  const codes = () => [...document.querySelectorAll('.param-code code')].map(({ textContent }) => textContent)
  await expect.poll(codes).toEqual(ROWS.map(({ code }) => code))
  const [card, table] = ['.kit-card', '.kit-card table'].map((each) =>
    document.querySelector(each)!.getBoundingClientRect(),
  )
  expect(table!.right).toBeLessThanOrEqual(card!.right)
  expect(table!.width).toBeGreaterThan(PAGE_WIDTH * 0.9)
  const search = page.getByRole('textbox', { name: '搜索参数' })
  await search.fill('声纹')
  await expect.poll(codes).toEqual(['server.voiceprint_similarity_threshold'])
  await search.fill('HISTORY.')
  await expect.poll(codes).toEqual(['history.days'])
  await search.fill('没有的参数')
  await page.getByRole('button', { name: '清空筛选条件' }).click()
  await expect.poll(codes).toHaveLength(2)
})
