import * as z from 'zod'
import { Form } from 'antd'
import { afterEach, expect, test, vi } from 'vitest'
import { page } from 'vitest/browser'
import { TreeFilter } from '#kit/list/filter-tree.tsx'
import { openTab } from '../browser-harness.tsx'

const code = vi.hoisted(() => Promise.withResolvers<void>())
vi.mock('#kit/list/filter-tree-control.tsx', async (original) => {
  await code.promise
  return original()
})

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

test('a tree filter shows the selected node before its code is loaded, and an early click opens it after loading', async () => {
  tab = openTab(<Screen />)
  const early = () => document.querySelector('.kit-select-early')
  await expect.poll(() => early()?.textContent).toContain('便利店')
  await page.getByRole('combobox', { name: '行业' }).click()
  expect(early()).not.toBeNull()
  expect(document.querySelector('.ant-tree-select-dropdown')).toBeNull()
  code.resolve()
  await expect.element(page.getByTitle('零售')).toBeVisible()
  expect(early()).toBeNull()
  await page.getByTitle('零售').click()
  await expect.element(page.getByRole('status')).toHaveTextContent('1')
})
