import { Form } from 'antd'
import { afterEach, expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { openTab } from '#app/browser-tests/browser-harness.tsx'
import { TextAdFields } from '#modules/advertise/ads/text-ad-fields.tsx'

let tab: ReturnType<typeof openTab> | undefined
afterEach(() => {
  tab?.close()
  tab = undefined
})

function TextForm() {
  const [form] = Form.useForm()
  return (
    <Form form={form}>
      <TextAdFields />
    </Form>
  )
}

test('AD-02 a still text has no field for the speed, and a scrolling text has one', async () => {
  tab = openTab(<TextForm />)
  await expect.element(page.getByText('静止')).toBeVisible()
  // A condition on the number 0 would be rendered as text beside the switch.
  expect(
    [...document.querySelector('.ad-text-form .ad-pair')!.childNodes].filter((node) => node.nodeType === 3),
  ).toEqual([])
  await page.getByRole('switch').click()
  await expect.element(page.getByLabelText('滚动速度')).toBeVisible()
})
