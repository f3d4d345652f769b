import type { Page } from '@playwright/test'
import type { Api } from '../support/people.ts'
import { approvedAd, textAd } from './ad-records.ts'

/** Creates approved texts of four seconds with these names. */
export async function textAds(admin: Api, auditor: Api, names: readonly string[]) {
  const ids = []
  for (const adName of names)
    ids.push(await approvedAd(admin, auditor, { adName, adType: 4, duration: 4, text: textAd(adName) }))
  return ids
}
const dayFromNow = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
export const createProgram = (admin: Api, fields: object) =>
  admin.call<{ id: number }>('POST', '/api/v1/advertise/program', {
    dateFrom: dayFromNow(-1),
    dateTo: dayFromNow(366),
    targetType: 1,
    ...fields,
  })
export const rowOf = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text })
/** Opens the menu of a row's further actions and chooses one. */
export async function act(page: Page, row: ReturnType<typeof rowOf>, name: string) {
  const button = row.getByRole('button', { name, exact: true })
  const more = row.getByRole('button', { name: /更多/ })
  // The actions follow from the state of the row, which the list may still be loading.
  await button.or(more).first().waitFor()
  if ((await button.count()) > 0) return button.click()
  await more.click()
  return page.getByRole('menuitem', { name, exact: true }).click()
}
