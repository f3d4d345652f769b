import * as z from 'zod'
import { Form } from 'antd'
import { afterEach, expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { TreeFilter } from '#kit/list/filter-tree.tsx'
import { openTab } from '../browser-harness.tsx'

const Query = z.object({ industryId: z.string().meta({ title: '行业' }) })
const TREE = [{ key: 1, title: '零售', children: [{ key: 2, title: '便利店' }] }]

let tab: ReturnType<typeof openTab> | undefined
afterEach(() => tab?.close())

function Screen() {
  const [form] = Form.useForm()
  const chosen = Form.useWatch('industryId', form) as string | undefined
  return (
    <Form form={form} initialValues={{ industryId: '2' }}>
      <TreeFilter of={Query} name="industryId" tree={TREE} />
      <output>{chosen}</output>
    </Form>
  )
}

test('a tree filter shows the selected node, and selects another one', async () => {
  tab = openTab(<Screen />)
  await expect.element(page.getByText('便利店')).toBeVisible()
  await page.getByRole('combobox', { name: '行业' }).click()
  await page.getByTitle('零售').click()
  await expect.element(page.getByRole('status')).toHaveTextContent('1')
})
