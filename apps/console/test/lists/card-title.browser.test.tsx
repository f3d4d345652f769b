import { ads } from '@oms/contract/advertise/ad.ts'
import { afterEach, expect, test, vi } from 'vitest'
import { page } from 'vitest/browser'
import AdListPage from '#modules/advertise/ads/ad-list.page.tsx'
import { buildFilledSample, createContractServer, findRowSchema } from '#test/form-cases/contract-server.ts'
import { waitUntil } from '#test/form-cases/page-driver.ts'
import { ok, openTab } from '../browser-harness.tsx'

let tab: ReturnType<typeof openTab> | undefined
afterEach(async () => {
  tab?.close()
  await page.viewport(1440, 900)
})

test('on a phone, the title of a card shows the picture and the name of the ad', async () => {
  await page.viewport(390, 844)
  const server = createContractServer((fetch) => vi.stubGlobal('fetch', fetch))
  const row = { ...(buildFilledSample(findRowSchema(ads.list.result)) as object), adName: '开业海报' }
  server.on(ads.list, () => ok({ list: [row], total: 1, pageNum: 1, pageSize: 20 }))
  tab = openTab(<AdListPage />)
  const titleOf = () => document.querySelector('.kit-cards-title')
  await waitUntil(() => expect(titleOf()?.textContent).toBe('开业海报'))
  expect(titleOf()?.querySelector('.ad-picture')).not.toBeNull()
  expect(document.querySelector('.kit-cards dl')?.textContent).not.toContain('开业海报')
})
