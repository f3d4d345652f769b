import { text } from '@oms/contract/core/fields.ts'
import { Button, Form } from 'antd'
import { afterEach, expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import * as z from 'zod'
import { openTab, pause } from '#test/browser-harness.tsx'
import { readFieldErrors, waitUntil } from '#test/form-cases/page-driver.ts'
import { TextField } from '#kit/form/field.tsx'

const Input = z.object({ code: text('配对码', 8), name: text('名称', 8) })

let tab: ReturnType<typeof openTab> | undefined
afterEach(() => {
  tab?.close()
  tab = undefined
})

function openForm() {
  tab = openTab(
    <Form>
      <TextField of={Input} name="code" />
      <TextField of={Input} name="name" />
      <Button htmlType="submit">保存</Button>
    </Form>,
  )
}

test('leaving an empty field that was not changed shows no error; submitting shows each error once', async () => {
  openForm()
  await page.getByLabelText('配对码').click()
  await page.getByLabelText('名称').click()
  await pause(300)
  expect(readFieldErrors()).toEqual([])
  await page.getByRole('button', { name: /保\s?存/ }).click()
  await waitUntil(() => expect(readFieldErrors()).toEqual(['请输入配对码', '请输入名称']))
})

test('a field that was emptied or filled wrongly shows its error once when it is left', async () => {
  openForm()
  await page.getByLabelText('配对码').fill('1')
  await page.getByLabelText('配对码').fill('')
  await page.getByLabelText('名称').fill('一二三四五六七八九')
  await userEvent.tab()
  await waitUntil(() => expect(readFieldErrors()).toEqual(['请输入配对码', '名称不能超过8个字符']))
  await page.getByRole('button', { name: /保\s?存/ }).click()
  await pause(300)
  expect(readFieldErrors()).toEqual(['请输入配对码', '名称不能超过8个字符'])
})
