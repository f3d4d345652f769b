import { afterEach, expect, test, vi } from 'vitest'
import { page } from 'vitest/browser'
import { buildFilledSample, createContractServer } from '#test/form-cases/contract-server.ts'
import LicenseStatPage from '#modules/license/license-stat.page.tsx'
import { openTab } from './browser-harness.tsx'

let tab: ReturnType<typeof openTab> | undefined
afterEach(() => tab?.close())

test.each([390, 700, 1280, 1440])('the cards of the licence statistics fill each row at %i pixels', async (width) => {
  await page.viewport(width, 720)
  createContractServer(
    (fetch) => vi.stubGlobal('fetch', fetch),
    (schema) => buildFilledSample(schema),
  )
  tab = openTab(<LicenseStatPage />)
  await expect.poll(() => document.querySelectorAll('.kit-tile').length).toBe(4)
  const places = [...document.querySelectorAll('.kit-tile')].map((card) => card.getBoundingClientRect())
  const rows = Map.groupBy(places, ({ top }) => Math.round(top))
  const edge = document.querySelector('.kit-tiles')!.getBoundingClientRect().right
  expect([...rows.values()].map((row) => Math.round(edge - Math.max(...row.map(({ right }) => right))))).toEqual(
    [...rows].map(() => 0),
  )
})
