import { Button, DatePicker, Form, Input, Select } from 'antd'
import dayjs from 'dayjs'
import { afterEach, expect, test, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { openTab } from '#test/browser-harness.tsx'

let tab: ReturnType<typeof openTab> | undefined
afterEach(() => {
  tab?.close()
  tab = undefined
})

const VALUES = { kind: 'a', day: dayjs('2026-10-19'), days: [dayjs('2026-10-01'), dayjs('2026-10-19')], last: '末' }

/** Opens a form of all kinds of fields with a clear button, and focuses its first field. */
async function openForm() {
  const onFinish = vi.fn<(values: Record<string, unknown>) => void>()
  tab = openTab(
    <Form initialValues={VALUES} onFinish={onFinish}>
      <Form.Item name="name">
        <Input allowClear aria-label="名称" />
      </Form.Item>
      <Form.Item name="note">
        <Input.TextArea allowClear aria-label="备注" />
      </Form.Item>
      <Form.Item name="kind">
        <Select allowClear aria-label="类型" options={[{ value: 'a', label: '甲' }]} />
      </Form.Item>
      <Form.Item name="day">
        <DatePicker allowClear aria-label="日期" />
      </Form.Item>
      <Form.Item name="days">
        <DatePicker.RangePicker allowClear aria-label="日期范围" />
      </Form.Item>
      <Form.Item name="last">
        <Input allowClear aria-label="末项" />
      </Form.Item>
      <Button htmlType="submit">保存</Button>
    </Form>,
  )
  await page.getByLabelText('名称').fill('一号')
  await page.getByLabelText('备注').fill('说明')
  await page.getByLabelText('名称').click()
  return onFinish
}
const focused = () => document.activeElement?.getAttribute('aria-label')

test('Tab skips the clear buttons of a form, and Enter submits the form', async () => {
  const onFinish = await openForm()
  const labels: (string | null | undefined)[] = []
  while (focused() !== '末项' && labels.length < 12) {
    await userEvent.keyboard('{Tab}')
    labels.push(focused())
  }
  expect(labels).toEqual(['备注', '类型', '日期', '日期范围', '日期范围', '末项'])
  await userEvent.keyboard('{Enter}')
  await expect.poll(() => onFinish.mock.calls).toMatchObject([[{ name: '一号', note: '说明', kind: 'a', last: '末' }]])
})

test('every clear button has a Chinese name for screen readers', async () => {
  await openForm()
  const buttons = () => [...document.querySelectorAll('form button[class*="-clear"]')]
  await expect.poll(() => buttons().map((each) => each.getAttribute('aria-label'))).toEqual(Array(6).fill('清空'))
})

test('the Delete key clears a select, a date and a date range', async () => {
  const onFinish = await openForm()
  await userEvent.keyboard('{Tab}{Tab}{Delete}{Tab}{Delete}{Tab}{Delete}')
  await page.getByLabelText('末项').click()
  await userEvent.keyboard('{Enter}')
  await expect.poll(() => onFinish.mock.calls).toHaveLength(1)
  const { kind, day, days } = onFinish.mock.calls[0]?.[0] ?? {}
  expect([kind ?? null, day ?? null, days ?? null]).toEqual([null, null, null])
})
