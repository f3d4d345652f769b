import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { useOrders } from '#test/fixtures/order-fixture.ts'

const lab = useOrders()
const { app, people, newAgent, newDevice, newPackage, put, sold, talk, fold } = lab
const LIST = '/api/v1/agent/device/page'

const listOf = async (query: string, who = people.seller) =>
  (await who.call('GET', `${LIST}?pageSize=50&tenantId=${people.tenantId}&${query}`)).data

test('AGENT-13 the device list shows the current or next package of each device and filters by package state', async () => {
  const shared = await newAgent(people.tenantId)
  const [running, waiting, frozen, none, ofAgent] = [
    await newDevice(),
    await newDevice(),
    await newDevice(),
    await newDevice(),
    await newDevice(shared),
  ]
  const [pack, longer, agentPack] = [
    await newPackage(),
    await newPackage({ validDays: 90 }),
    await newPackage({ scope: 2 }),
  ]
  await sold({ packageId: longer.id, deviceIds: [running.id] })
  await talk(running.id, 2, 1)
  await fold()
  await sold({ packageId: pack.id, deviceIds: [running.id, waiting.id] })
  const asked = await sold({ packageId: pack.id, deviceIds: [frozen.id] })
  await put(people.seller, 'refund', { id: asked.id, rev: 1, reason: '退货' })
  await sold({ packageId: agentPack.id, agentIds: [shared] })
  await talk(ofAgent.id, 2, 1)
  await fold()
  const shown = async (query: string) =>
    Object.fromEntries(
      (await listOf(query)).list.map((row: { id: number; packageName: string; packageState: number }) => [
        row.id,
        [row.packageName, row.packageState],
      ]),
    )
  expect(await shown('')).toEqual({
    [running.id]: [longer.packageName, 1],
    [waiting.id]: [pack.packageName, 2],
    [frozen.id]: [pack.packageName, 3],
    [none.id]: ['', 0],
    [ofAgent.id]: [agentPack.packageName, 1],
  })
  for (const [state, devices] of [
    [1, [running, ofAgent]],
    [2, [waiting]],
    [3, [frozen]],
    [0, [none]],
  ] as const)
    expect(Object.keys(await shown(`packageState=${state}`))).toEqual(devices.map(({ id }) => String(id)))
  const detail = await people.seller.call('GET', `/api/v1/agent/device/detail/${running.id}`)
  const [{ day }] = [await lab.one<{ day: string }>(sql`select (current_date + 90)::text as day`)]
  expect(detail.data).toMatchObject({ packageName: longer.packageName, packageState: 1 })
  expect(detail.data.packageEnd.slice(0, 10)).toBe(day)
  const file = await people.seller.inject({
    method: 'POST',
    url: '/api/v1/agent/device/export',
    payload: { format: 'csv', tenantId: people.tenantId, packageState: 1 },
  })
  expect(file.body).toContain(agentPack.packageName)
  const stranger = await app.by({ tenant: '无关公司', permissions: ['agent:device:list'] })
  expect((await listOf('packageState=1', stranger)).total).toBe(0)
})
