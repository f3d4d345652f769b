import type { Locator } from '@playwright/test'
import { expect } from './fixtures.ts'

/**
 * Types into a select with search and chooses the only matching option. Waits for the response first, because options
 * move while it loads and a click could hit a different option. A select of few options has no search.
 */
export async function pick(field: Locator, text: string) {
  const options = await openOptions(field)
  if (!(await field.isEditable())) return options.filter({ hasText: text }).click()
  await field.fill(text)
  await expect(options).toHaveCount(1)
  await expect(options).toContainText(text)
  await options.click()
}

/** Chooses the option with exactly this title, in a select with or without search. */
export async function pickExactly(field: Locator, title: string) {
  const options = await openOptions(field)
  if (await field.isEditable()) await field.fill(title)
  await options.and(field.page().getByTitle(title, { exact: true })).click()
}

/** Opens a select and returns its own options. The options of another select may still be visible while they close. */
export async function openOptions(field: Locator) {
  await field.click()
  await expect(field).toHaveAttribute('aria-expanded', 'true')
  const page = field.page()
  const list = page.locator(`[id="${await field.getAttribute('aria-controls')}"]`)
  return page.locator('.ant-select-dropdown').filter({ has: list }).locator('.ant-select-item-option')
}

/**
 * Waits until a status switch has this state and the server has confirmed it. A switch shows the new state at once, is
 * disabled while it is saved, and returns to the old state when it is refused.
 */
export async function expectSwitched(control: Locator, checked: boolean) {
  await expect(control).toBeChecked({ checked })
  await expect(control).toBeEnabled()
  await expect(control).toBeChecked({ checked })
}
