import { money } from '@oms/contract/core/fields.ts'
import { Form } from 'antd'
import { afterEach, expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import * as z from 'zod'
import { MoneyField } from '#kit/form/field.tsx'
import { openTab } from '#test/browser-harness.tsx'

const PartInput = z.object({ price: money('单价', { max: 1_000_000 }) })

let tab: ReturnType<typeof openTab> | undefined
afterEach(() => {
  tab?.close()
  tab = undefined
})

function PriceForm() {
  const [form] = Form.useForm()
  const price: unknown = Form.useWatch('price', form)
  return (
    <Form form={form} initialValues={{ price: 1990 }}>
      <MoneyField of={PartInput} name="price" />
      <output>{JSON.stringify(price)}</output>
    </Form>
  )
}

test('a money field shows yuan and stores fen', async () => {
  tab = openTab(<PriceForm />)
  const control = page.getByLabelText('单价')
  await expect.element(control).toHaveValue('19.90')
  await control.fill('12.3')
  await expect.element(page.getByText('1230')).toBeVisible()
  await control.fill('0.07')
  await userEvent.tab()
  await expect.element(page.getByText('7', { exact: true })).toBeVisible()
})

test('a money field refuses more than two decimals and does not round the amount', async () => {
  tab = openTab(<PriceForm />)
  await page.getByLabelText('单价').fill('1.255')
  await userEvent.tab()
  await expect.element(page.getByText('单价最多两位小数')).toBeVisible()
  await expect.element(page.getByLabelText('单价')).toHaveValue('1.255')
})

test('a money field refuses an amount above the limit and names the limit in yuan', async () => {
  tab = openTab(<PriceForm />)
  await page.getByLabelText('单价').fill('10000.01')
  await userEvent.tab()
  await expect.element(page.getByText('单价不能大于10000.00元')).toBeVisible()
})
