import { Table } from 'antd'
import { afterEach, expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { Ellipsis } from '#kit/record/ellipsis.tsx'
import { OrderBalance } from '#modules/agent/orders/order-cells.tsx'
import { openTab } from '../browser-harness.tsx'

const SHORT = '平台'
const LONG = '深圳市云栖安防设备有限公司'
const LONGEST = '设备运行半小时后外壳很烫并自动重启，'.repeat(4)

let tab: ReturnType<typeof openTab> | undefined
afterEach(() => tab?.close())

function openTable() {
  tab = openTab(
    <div className="kit-card">
      <Table
        rowKey="text"
        size="middle"
        tableLayout="fixed"
        pagination={false}
        columns={[
          { title: '客户', width: 130, render: ({ text }: { text: string }) => <Ellipsis text={text} /> },
          { title: '操作', width: 130, render: () => '详情' },
        ]}
        dataSource={[SHORT, LONG, LONGEST].map((text) => ({ text }))}
      />
    </div>,
  )
}
const heightOf = (text: string) => page.getByText(text, { exact: true }).element().closest('tr')?.clientHeight
const isCut = (text: string) => {
  const { scrollHeight, clientHeight } = page.getByText(text, { exact: true }).element()
  return scrollHeight > clientHeight
}

test('a table cell shows a text on two lines without a higher row, and shows a longer text in a tooltip', async () => {
  openTable()
  await expect.element(page.getByText(LONGEST, { exact: true })).toBeVisible()
  expect([SHORT, LONG, LONGEST].map(isCut)).toEqual([false, false, true])
  expect([LONG, LONGEST].map(heightOf)).toEqual([heightOf(SHORT), heightOf(SHORT)])
  await page.getByText(LONGEST, { exact: true }).hover()
  await expect.element(page.getByRole('tooltip')).toHaveTextContent(LONGEST)
})

test('the cell 剩余 of an order has one line of text, and shows all allowances in a tooltip', async () => {
  const left = '1,500 / 2,000 轮、30 / 30 天、600 / 600 分钟'
  tab = openTab(
    <div style={{ width: 112 }}>
      <OrderBalance row={{ left, leftShare: 0.75 }} />
    </div>,
  )
  await page.getByText(left).hover()
  await expect.element(page.getByRole('tooltip')).toHaveTextContent(left)
  expect(document.querySelector('.order-left > .kit-ellipsis')!.clientHeight).toBeLessThan(30)
})
