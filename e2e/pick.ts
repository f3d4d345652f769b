import type { Locator } from '@playwright/test'
import { expect } from './fixtures.ts'

/**
 * Types into a select with server search and chooses the only matching option. Waits for the response first, because
 * options move while it loads and a click could hit a different option.
 */
export async function pick(field: Locator, text: string) {
  await field.fill(text)
  const entries = field.page().locator('.ant-select-item-option').filter({ visible: true })
  await expect(entries).toHaveCount(1)
  await expect(entries).toContainText(text)
  await entries.click()
}
