import { randomInt } from 'node:crypto'
import { expect, test } from 'vitest'
import { closeDueGrants } from './grant-clock.ts'
import { useOrders } from '#test/fixtures/order-fixture.ts'

const DAY_MS = 86_400_000
/** Random steps: at least `MIN_ROUNDS`, then further steps until the time budget is used up. */
const [MIN_ROUNDS, MAX_ROUNDS, BUDGET_MS] = [120, 500, 45_000]
const [TURNS, SECONDS, TOKENS_IN] = [2, 5, 6] as const

const lab = useOrders()
const { app, people, get, newDevice, newPackage, put, sold, talk, fold } = lab

const clockAt = (days: number) => closeDueGrants({ ...app.services, now: () => new Date(Date.now() + days * DAY_MS) })

test('AGENT-14 after random orders, usage, refunds and times, every grant equals its ledger', {
  timeout: 300_000,
}, async () => {
  const devices = await Promise.all(Array.from({ length: 4 }, () => newDevice()))
  const packages = [
    await newPackage({
      allowances: [
        { unit: 2, amount: 40 },
        { unit: 1, amount: 3 },
      ],
      validDays: 2,
      activateDays: 3,
    }),
    await newPackage({
      scope: 2,
      allowances: [
        { unit: 3, amount: 2 },
        { unit: 2, amount: 0 },
      ],
      validDays: 4,
    }),
    await newPackage({ scope: 3, allowances: [{ unit: 5, amount: 500 }], validDays: 6 }),
  ]
  const orders: number[] = []
  const refund = async () => {
    const id = orders[randomInt(orders.length)]!
    const asked = await put(people.seller, 'refund', { id, rev: (await get(id)).rev, reason: '随机' })
    if (asked.code !== 200) return
    const decision = { id, rev: asked.data.rev, pass: randomInt(2), auditRemark: '随机' }
    expect((await put(people.accountant, 'refund/audit', decision)).code).toBe(200)
  }
  const until = performance.now() + BUDGET_MS
  for (let round = 0; round < MAX_ROUNDS && (round < MIN_ROUNDS || performance.now() < until); round += 1) {
    const kind = randomInt(10)
    const pack = packages[randomInt(3)]!
    const targets = { deviceIds: [devices[randomInt(4)]!.id], agentIds: [people.agentId], copies: 1 + randomInt(3) }
    if (kind < 2 || orders.length === 0) orders.push((await sold({ packageId: pack.id, ...targets })).id)
    else if (kind === 2) await refund()
    else if (kind === 3) await clockAt(round / 30)
    else {
      const units = [TURNS, SECONDS, TOKENS_IN]
      for (let n = 0; n < 5; n += 1)
        await talk(
          devices[randomInt(4)]!.id,
          units[randomInt(3)]!,
          1 + randomInt(40),
          new Date(Date.now() + (round * DAY_MS) / 30),
        )
      await fold()
    }
    expect(await lab.breaches()).toEqual([])
  }
})
