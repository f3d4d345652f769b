import { limited } from '@oms/contract/core/fields.ts'
import { Form } from 'antd'
import { afterEach, expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import * as z from 'zod'
import { NumberField } from '#kit/form/field.tsx'
import { openTab } from '#test/browser-harness.tsx'

const OrderInput = z.object({ copies: limited('份数', 1, 36, '份数应为1～36').meta({ title: '份数' }) })

let tab: ReturnType<typeof openTab> | undefined
afterEach(() => {
  tab?.close()
  tab = undefined
})

test('a number field keeps a typed number outside the limits and shows the limits as an error', async () => {
  tab = openTab(
    <Form>
      <NumberField of={OrderInput} name="copies" />
    </Form>,
  )
  const control = page.getByLabelText('份数')
  for (const typed of ['50', '-3']) {
    await control.fill(typed)
    await userEvent.tab()
    await expect.element(page.getByText('份数应为1～36')).toBeVisible()
    await expect.element(control).toHaveValue(typed)
  }
})
