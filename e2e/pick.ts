import type { Locator } from '@playwright/test'
import { expect } from './fixtures.ts'

/**
 * Types into a list that asks the server, and takes the one entry that is left: until its answer is there the entries
 * move, and a press may end beside the one it began on.
 */
export async function pick(field: Locator, text: string) {
  await field.fill(text)
  const entries = field.page().locator('.ant-select-item-option').filter({ visible: true })
  await expect(entries).toHaveCount(1)
  await expect(entries).toContainText(text)
  await entries.click()
}
