import type { Locator } from '@playwright/test'
import { expect } from './fixtures.ts'

/**
 * Types into a select with search and chooses the only matching option. Waits for the response first, because options
 * move while it loads and a click could hit a different option. A select of few options has no search.
 */
export async function pick(field: Locator, text: string) {
  await field.click()
  await expect(field).toHaveAttribute('aria-expanded', 'true')
  const options = field.page().locator('.ant-select-item-option').filter({ visible: true })
  if (!(await field.isEditable())) return options.filter({ hasText: text }).click()
  await field.fill(text)
  await expect(options).toHaveCount(1)
  await expect(options).toContainText(text)
  await options.click()
}
