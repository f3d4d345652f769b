import { storageHooks } from '@oms/contract/storage/hook.ts'
import { afterEach, expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { buildSample } from '#test/form-cases/contract-server.ts'
import { EventList } from '#modules/storage/event-list.tsx'
import { ok, openTab, refusal, startServer } from './browser-harness.tsx'

let tab: ReturnType<typeof openTab> | undefined
afterEach(() => tab?.close())

const EVENTS = `GET ${storageHooks.events.path}`

test('a refused replay reloads the events, because it counts as an attempt', async () => {
  const sample = buildSample(storageHooks.events.result) as { list: object[] }
  let attempts = 1
  const server = startServer({
    [EVENTS]: () => ok({ list: [{ ...sample.list[0], id: 5, result: 2, attempts, outOrderNo: 'T1' }], total: 1 }),
    [`${storageHooks.replay.method} ${storageHooks.replay.path.replace(':id', '5')}`]: () => {
      attempts += 1
      return refusal(409, '订单金额与套餐价格不符')
    },
  })
  tab = openTab(<EventList />)
  await page.getByRole('button', { name: '重放' }).click()
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /重\s?放|确\s?定/ })
    .click()
  await expect.poll(() => attempts).toBe(2)
  await expect.poll(() => server.inputsOf(EVENTS)).toHaveLength(2)
})
