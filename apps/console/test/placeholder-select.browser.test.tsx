import { dictData } from '@oms/contract/system/dict.ts'
import { Button, Form, Input } from 'antd'
import { useState } from 'react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { FullSelect } from '#kit/form/full-select.tsx'
import { createPlaceholderSelect } from '#kit/form/select.tsx'
import { deferControl } from '#kit/form/use-placeholder.ts'
import { DateRangeFilter } from '#kit/list/filter-date.tsx'
import { DictSelect } from '#kit/pickers/dict-select.tsx'
import { held, ok, openTab, pause, startServer } from './browser-harness.tsx'

const calendar = vi.hoisted(() => Promise.withResolvers<void>())
vi.mock('#kit/list/date-range.tsx', async (original) => {
  await calendar.promise
  return original()
})

const OPTIONS = [1, 2, 3].map((value) => ({ value, label: `套餐 ${value}` }))

let tab: ReturnType<typeof openTab> | undefined
let arrive: () => Promise<void>

/** Opens a form with a select whose code arrives when the test calls `arrive`. */
function openForm({ isControlled = false } = {}) {
  const { promise, resolve } = Promise.withResolvers<{ FullSelect: typeof FullSelect }>()
  const Select = createPlaceholderSelect(deferControl(() => promise, 'FullSelect'))
  arrive = async () => {
    resolve({ FullSelect })
    await expect.poll(() => document.querySelector('.kit-select-early')).toBe(null)
  }
  function Screen() {
    const [value, setValue] = useState<number>()
    const [isOpen, setOpen] = useState(false)
    return (
      <main>
        <Input aria-label="序列号" />
        <Select
          aria-label="云存套餐"
          options={OPTIONS}
          showSearch
          value={value}
          onChange={setValue}
          {...(isControlled && { open: isOpen, onOpenChange: setOpen })}
        />
        <Button>后面</Button>
        <output>{value ?? 'none'}</output>
      </main>
    )
  }
  tab = openTab(<Screen />)
}
const select = () => page.getByRole('combobox', { name: '云存套餐' })
const expectOpen = async () => {
  await expect.element(select()).toHaveAttribute('aria-expanded', 'true')
  await expect.element(select()).toHaveFocus()
  await expect.element(page.getByTitle('套餐 2')).toBeVisible()
}

beforeEach(() => {
  document.documentElement.dataset['started'] = ''
})
afterEach(() => {
  tab?.close()
  tab = undefined
})

test('a click while the code of a focused select loads opens the select', async () => {
  openForm()
  await page.getByLabelText('序列号').click()
  await userEvent.keyboard('{Tab}')
  await expect.element(select()).toHaveFocus()
  await select().click()
  await arrive()
  await expectOpen()
})

test('a click while the code loads in the idle browser opens the select', async () => {
  openForm({ isControlled: true })
  // The browser counts as idle after 2.5 s.
  await pause(3000)
  await select().click()
  await arrive()
  await expectOpen()
  await page.getByTitle('套餐 2').click()
  await expect.element(page.getByRole('status')).toHaveTextContent('2')
})

test('a mouse press that is held while the code of a select loads still opens the select', async () => {
  openForm()
  await expect.element(select()).toBeInTheDocument()
  const input = select().element() as HTMLElement
  const press = (type: string) => input.dispatchEvent(new PointerEvent(type, { bubbles: true }))
  press('pointerdown')
  input.focus()
  const arrived = arrive()
  await pause(100)
  expect(input.isConnected).toBe(true)
  press('pointerup')
  input.click()
  await arrived
  await expectOpen()
})

test.each(['{ArrowDown}', '{Enter}'])('pressing %s while the code of a select loads opens the select', async (key) => {
  openForm()
  await page.getByLabelText('序列号').click()
  await userEvent.keyboard(`{Tab}${key}`)
  await arrive()
  await expectOpen()
})

test('a select that was focused by keyboard keeps the focus when its code has loaded', async () => {
  openForm()
  await pause(3000)
  await page.getByLabelText('序列号').click()
  await userEvent.keyboard('{Tab}')
  await arrive()
  await expect.element(select()).toHaveFocus()
  await expect.element(select()).toHaveAttribute('aria-expanded', 'false')
})

test.each([false, true])(
  'a select that the user leaves before its code has loaded stays closed (controlled: %s)',
  async (isControlled) => {
    openForm({ isControlled })
    await select().click()
    await page.getByLabelText('序列号').click()
    await arrive()
    await expect.element(page.getByLabelText('序列号')).toHaveFocus()
    await expect.element(select()).toHaveAttribute('aria-expanded', 'false')
  },
)

test('a calendar that is clicked while its code loads opens after the load', async () => {
  tab = openTab(
    <Form>
      <DateRangeFilter label="创建时间" />
    </Form>,
  )
  await userEvent.keyboard('{Tab}')
  await expect.element(page.getByLabelText('创建时间')).toHaveFocus()
  await page.getByLabelText('创建时间').click()
  calendar.resolve()
  await expect.element(page.getByText('近 7 天')).toBeVisible()
})

test('a select that becomes searchable when its options arrive stays open and focused', async () => {
  const words = held()
  startServer({ [`GET ${dictData.byType.path.replace(':type', 'e2e_colour')}`]: words.respond })
  tab = openTab(<DictSelect type="e2e_colour" aria-label="颜色" />)
  const colours = page.getByRole('combobox', { name: '颜色' })
  await colours.click()
  await expect.element(colours).toHaveAttribute('aria-expanded', 'true')
  words.answer(
    ok(Array.from({ length: 9 }, (_, at) => ({ dictValue: String(at), dictLabel: `颜色 ${at}`, status: 1 }))),
  )
  await expect.element(page.getByTitle('颜色 2')).toBeVisible()
  await expect.element(colours).toHaveAttribute('aria-expanded', 'true')
  await expect.element(colours).toHaveFocus()
  await userEvent.keyboard('7')
  await expect.element(page.getByTitle('颜色 2')).not.toBeInTheDocument()
  await userEvent.keyboard('{Enter}')
  await expect.element(page.getByTitle('颜色 7').first()).toBeVisible()
})
