import { note, text } from '@oms/contract/core/fields.ts'
import { Form } from 'antd'
import { afterEach, expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import * as z from 'zod'
import { NoteField, TextField } from '#kit/form/field.tsx'
import { openTab } from './browser-harness.tsx'

const Input = z.object({ name: text('名称', 8), prompt: note('角色设定', 20) })

let tab: ReturnType<typeof openTab> | undefined
afterEach(() => {
  tab?.close()
  tab = undefined
})

function LongForm() {
  const [form] = Form.useForm()
  return (
    <Form form={form}>
      <TextField of={Input} name="name" />
      <NoteField of={Input} name="prompt" />
    </Form>
  )
}

test('a text field keeps a text above the limit, counts its characters and shows an error', async () => {
  tab = openTab(<LongForm />)
  const long = '你是一个会讲故事的助手。'.repeat(3)
  await page.getByLabelText('角色设定').fill(long)
  await expect.element(page.getByLabelText('角色设定')).toHaveValue(long)
  await expect.element(page.getByText('36 / 20')).toBeVisible()
  await userEvent.tab()
  await expect.element(page.getByText('角色设定不能超过20个字符')).toBeVisible()
  await page.getByLabelText('名称').fill('一二三四五六七八九')
  await expect.element(page.getByText('9 / 8')).toBeVisible()
  await userEvent.tab()
  await expect.element(page.getByText('名称不能超过8个字符')).toBeVisible()
})

test('a text field counts an emoji as one character, like the schema does', async () => {
  tab = openTab(<LongForm />)
  await page.getByLabelText('名称').fill('😀😀😀😀😀😀😀😀')
  await expect.element(page.getByText('8 / 8')).toBeVisible()
  await userEvent.tab()
  await expect.element(page.getByText('名称不能超过8个字符')).not.toBeInTheDocument()
})
