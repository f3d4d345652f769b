import { dateTime, day } from '@oms/contract/core/fields.ts'
import { Form } from 'antd'
import { afterEach, expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import * as z from 'zod'
import { openTab } from '#test/browser-harness.tsx'
import { DateField, DateTimeField } from '#kit/form/field-date.tsx'

const Input = z.object({ begin: dateTime('开始时间'), birthday: day('日期').meta({ title: '日期' }) })

let tab: ReturnType<typeof openTab> | undefined
afterEach(() => {
  tab?.close()
  tab = undefined
})

let values: Record<string, unknown> = {}
function openForm(begin?: string) {
  values = {}
  tab = openTab(
    <Form initialValues={{ begin }} onValuesChange={(_, all: Record<string, unknown>) => (values = all)}>
      <DateTimeField of={Input} name="begin" />
      <DateField of={Input} name="birthday" />
    </Form>,
  )
}

/** Types key by key, as a person does. */
async function typeText(label: string, text: string, last = '{Tab}') {
  await userEvent.click(page.getByLabelText(label))
  await userEvent.keyboard(`{Control>}a{/Control}${text}${last}`)
}

for (const [typed, kept] of [
  ['2026-11-27 16:05:09', '2026-11-27 16:05:09'],
  ['2026-11-27 16:05', '2026-11-27 16:05:00'],
  ['2026-11-27', '2026-11-27 00:00:00'],
] as const)
  for (const [before, last] of [
    [undefined, '{Tab}'],
    ['2025-01-02 03:04:05', '{Tab}'],
    [undefined, '{Enter}'],
  ] as const)
    test(`the typed time ${typed} replaces ${before ?? 'an empty value'} when the user presses ${last}`, async () => {
      openForm(before)
      await typeText('开始时间', typed, last)
      await expect.element(page.getByLabelText('开始时间')).toHaveValue(kept)
      await userEvent.click(page.getByLabelText('日期'))
      await expect.element(page.getByLabelText('开始时间')).toHaveValue(kept)
      expect(values['begin']).toBe(kept)
    })

test('a date field keeps a typed date, and an impossible time restores the previous time', async () => {
  openForm('2025-01-02 03:04:05')
  await typeText('日期', '2026-11-27')
  await expect.element(page.getByLabelText('日期')).toHaveValue('2026-11-27')
  expect(values['birthday']).toBe('2026-11-27')
  await typeText('开始时间', '2026-13-27 16:00')
  await expect.element(page.getByLabelText('开始时间')).toHaveValue('2025-01-02 03:04:05')
})
