import { beforeAll, expect, test } from 'vitest'
import { useOrders } from '#test/fixtures/order-fixture.ts'
import type { Caller } from '#test/harness.ts'

const lab = useOrders()
const { app, people } = lab
const [SESSIONS, TURNS, SECONDS, TOKENS_OUT] = [1, 2, 5, 7] as const

interface Block {
  readonly value: number
  readonly url: string
  readonly trend?: readonly { readonly day: string; readonly value: number }[]
  readonly figures: readonly { readonly title: string; readonly value: number; readonly url: string }[]
}

const blockOf = async (who: Caller, key: string): Promise<Block | undefined> =>
  (await who.call('GET', `/api/v1/home/summary?block=${key}`)).data.blocks[0]
/** Returns the period in the URL of a figure as a query. */
function periodOf(url: string) {
  const { pathname, searchParams } = new URL(url, 'http://oms')
  expect([pathname, searchParams.get('view')]).toEqual(['/agent/order', 'usage'])
  return `startDate=${searchParams.get('startDate')}&endDate=${searchParams.get('endDate')}`
}

beforeAll(async () => {
  const device = await lab.newDevice()
  await lab.sold({ packageId: (await lab.newPackage({ price: 1000 })).id, deviceIds: [device.id] })
  await lab.talk(device.id, SESSIONS, 2)
  await lab.talk(device.id, TURNS, 25)
  await lab.talk(device.id, SECONDS, 90)
  await lab.talk(device.id, TOKENS_OUT, 300)
  await lab.talk(device.id, TURNS, 4, new Date(Date.now() - 40 * 86_400_000))
  await lab.fold()
  await app.services.database.pool.query('update agent_usage set cost = 120, is_estimate = 1 where unit = $1', [
    TOKENS_OUT,
  ])
})

test('AGENT-15 the usage figures on the home page equal the figures of the linked pages', async () => {
  const block = (await blockOf(people.seller, 'agentUsage'))!
  const { data } = await people.seller.call('GET', `/api/v1/agent/usage/day?${periodOf(block.url)}`)
  expect(block.value).toBe(25)
  expect(block.value).toBe(data.total.turns)
  expect(block.trend).toEqual(
    data.days.map(({ day, turns }: { day: string; turns: number }) => ({ day, value: turns })),
  )
  const shown = block.figures.map(({ title, value, url }) => {
    expect(periodOf(url)).toBe(periodOf(block.url))
    return [title, value, data.total[new URL(url, 'http://oms').searchParams.get('measure')!]]
  })
  expect(shown).toEqual([
    ['对话次数', 2, 2],
    ['语音分钟', 1.5, 1.5],
    ['Token', 300, 300],
    ['设备天数', 1, 1],
  ])
})

test('AGENT-15 income and cost on the home page equal the sums of the linked page', async () => {
  const block = (await blockOf(people.seller, 'agentIncome'))!
  const { data } = await people.seller.call('GET', `/api/v1/agent/order/income/page?${periodOf(block.url)}&by=1`)
  const { income, cost } = data.sums
  expect([income, cost]).toEqual([1000, 120])
  expect(block).toMatchObject({
    value: income,
    unit: 'fen',
    figures: [{ title: '成本', value: cost, isEstimate: true }],
  })
  for (const { url } of block.figures) expect(periodOf(url)).toBe(periodOf(block.url))
})

test('AGENT-15 figures of usage and income are shown only to platform staff who may open the linked pages', async () => {
  const rights = ['agent:order:list', 'agent:agent:query', 'agent:order:query']
  const shownTo = async (who: Caller) =>
    (await who.call('GET', '/api/v1/home/blocks')).data.blocks
      .map(({ key }: { key: string }) => key)
      .filter((key: string) => key === 'agentUsage' || key === 'agentIncome')
  expect(await shownTo(await app.as(...rights))).toEqual(['agentUsage', 'agentIncome'])
  expect(await shownTo(await app.as('agent:order:list', 'agent:agent:query'))).toEqual(['agentUsage'])
  expect(await shownTo(await app.as('agent:agent:query', 'agent:order:query'))).toEqual([])
  expect(await shownTo(await app.by({ tenant: '订购公司', permissions: rights }))).toEqual([])
})
