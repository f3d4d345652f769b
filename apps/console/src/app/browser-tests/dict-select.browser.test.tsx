import { dictData } from '@oms/contract/dict/dict.ts'
import { afterEach, expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { DictSelect } from '#kit/pickers/dict-select.tsx'
import { held, ok, openTab, startServer } from './browser-harness.tsx'

let tab: ReturnType<typeof openTab> | undefined
afterEach(() => {
  tab?.close()
  tab = undefined
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
