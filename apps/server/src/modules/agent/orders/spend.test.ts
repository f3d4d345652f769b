import { GRANT_STATE_CODE } from '@oms/contract/agent/orders/order-grant.ts'
import { expect, test } from 'vitest'
import { computeRefundAmount } from './order-refund.ts'
import { beginNeededPacks, type OpenGrant, spendFromGrants, type GrantUse } from './spend.ts'

const DAY = 86_400_000
const TURNS = 2
const TOKENS = 5

let made = 0
function grant(over: Partial<OpenGrant> = {}): OpenGrant {
  made += 1
  return {
    id: made,
    orderId: made,
    scope: 1,
    targetId: 1,
    packNo: 1,
    unit: TURNS,
    isUnlimited: false,
    paidAt: 0,
    activateUntil: 100 * DAY,
    validDays: 30,
    state: GRANT_STATE_CODE.waiting,
    remaining: 100,
    beginsAt: null,
    endsAt: null,
    ...over,
  }
}
const use = (over: Partial<GrantUse> = {}): GrantUse => ({
  at: DAY,
  tenantId: 1,
  agentId: 1,
  deviceId: 1,
  unit: TURNS,
  amount: 1,
  ...over,
})
const running = (endsAt: number, over: Partial<OpenGrant> = {}) =>
  grant({ state: GRANT_STATE_CODE.running, beginsAt: 0, endsAt, ...over })

test('AGENT-13 the first usage after the payment begins all units of a pack', () => {
  const [turns, tokens] = [grant({ orderId: 900, paidAt: DAY }), grant({ orderId: 900, paidAt: DAY, unit: TOKENS })]
  expect(spendFromGrants([turns, tokens], use({ at: DAY - 1 }))).toEqual([])
  expect(spendFromGrants([turns, tokens], use({ at: DAY }))).toEqual([{ grantId: turns.id, amount: 1 }])
  for (const each of [turns, tokens])
    expect(each).toMatchObject({ state: GRANT_STATE_CODE.running, beginsAt: DAY, endsAt: 31 * DAY })
})

test('AGENT-13 a connection begins packs for all units without a running grant, and charges nothing', () => {
  const pack = [TURNS, TOKENS].map((unit) => grant({ orderId: 700, unit, activateUntil: 50 * DAY }))
  const later = grant({ orderId: 701, activateUntil: 60 * DAY })
  const days = grant({ orderId: 702, unit: 1 })
  const other = grant({ orderId: 703, targetId: 2, unit: TOKENS, activateUntil: 10 * DAY })
  const grants = [later, ...pack, days, other]
  beginNeededPacks(grants, use({ unit: 0, amount: 0 }))
  beginNeededPacks(grants, use({ unit: 0, amount: 0, at: 2 * DAY }))
  expect(pack.map(({ state, beginsAt, remaining }) => [state, beginsAt, remaining])).toEqual([
    [GRANT_STATE_CODE.running, DAY, 100],
    [GRANT_STATE_CODE.running, DAY, 100],
  ])
  for (const each of [later, days, other]) expect(each.state).toBe(GRANT_STATE_CODE.waiting)
})

test('AGENT-13 a connection begins a pack only between its payment and the end of its activation window', () => {
  const [late, early] = [grant({ paidAt: 2 * DAY }), grant({ orderId: 601, activateUntil: DAY })]
  beginNeededPacks([late, early], use({ unit: 0, amount: 0 }))
  expect([late.state, early.state]).toEqual([GRANT_STATE_CODE.waiting, GRANT_STATE_CODE.waiting])
  const next = grant({ orderId: 602 })
  beginNeededPacks([running(9 * DAY, { remaining: 0 }), next], use({ unit: 0, amount: 0 }))
  expect(next).toMatchObject({ state: GRANT_STATE_CODE.running, beginsAt: DAY })
})

test('AGENT-13 a pack that is not used within its activation window never begins', () => {
  expect(spendFromGrants([grant({ activateUntil: DAY })], use())).toEqual([])
})

test('AGENT-13 the grant with the earliest end is charged first, then grants of device, agent and tenant', () => {
  const [tenant, agent, device] = [3, 2, 1].map((scope) => running(9 * DAY, { scope, remaining: 1 })) as [
    OpenGrant,
    OpenGrant,
    OpenGrant,
  ]
  const soon = running(5 * DAY, { scope: 3, remaining: 1 })
  const spent = [1, 2, 3, 4].flatMap(() => spendFromGrants([tenant, agent, device, soon], use()))
  expect(spent.map(({ grantId }) => grantId)).toEqual([soon.id, device.id, agent.id, tenant.id])
})

test('AGENT-13 usage beyond a pack begins the next copy, and usage beyond all copies is not charged', () => {
  const packs = [1, 2].map((packNo) =>
    grant({ orderId: 800, packNo, activateUntil: (100 + packNo) * DAY, remaining: 10 }),
  )
  expect(spendFromGrants(packs, use({ amount: 25 }))).toEqual([
    { grantId: packs[0]!.id, amount: 10 },
    { grantId: packs[1]!.id, amount: 10 },
  ])
  expect(packs.map(({ state }) => state)).toEqual([GRANT_STATE_CODE.used, GRANT_STATE_CODE.used])
})

test('AGENT-13 an unlimited grant covers usage without charging an amount, until just before its end', () => {
  const unlimited = running(2 * DAY, { isUnlimited: true, remaining: 0 })
  const later = running(9 * DAY)
  expect(spendFromGrants([unlimited, later], use({ at: 2 * DAY - 1, amount: 50 }))).toEqual([])
  expect(spendFromGrants([unlimited, later], use({ at: 2 * DAY, amount: 50 }))).toEqual([
    { grantId: later.id, amount: 50 },
  ])
})

const owed = (over: Partial<Parameters<typeof computeRefundAmount>[1][number]>) => ({
  unit: TURNS,
  isUnlimited: false,
  state: GRANT_STATE_CODE.running as number,
  total: 100,
  remaining: 100,
  validDays: 30,
  endsAt: (30 * DAY) as number | null,
  ...over,
})

test('AGENT-13 before the first usage the refund is the full amount; afterwards the smallest unused share limits the refund', () => {
  const waiting = owed({ state: GRANT_STATE_CODE.waiting, endsAt: null })
  expect(computeRefundAmount(990, [waiting, waiting], 0)).toBe(990)
  expect(
    computeRefundAmount(1000, [owed({ remaining: 33, total: 99 }), owed({ unit: TOKENS, remaining: 90 })], 0),
  ).toBe(333)
  expect(computeRefundAmount(1000, [owed({ remaining: 0, state: GRANT_STATE_CODE.used }), waiting], 0)).toBe(500)
  expect(computeRefundAmount(1000, [owed({ remaining: 0, state: GRANT_STATE_CODE.lapsed })], 0)).toBe(0)
})

test('AGENT-13 the unused share of an unlimited unit is its share of remaining time', () => {
  const unlimited = owed({ isUnlimited: true, total: 0, remaining: 0 })
  expect(computeRefundAmount(3000, [unlimited], 10 * DAY)).toBe(2000)
  expect(computeRefundAmount(3000, [unlimited, owed({ unit: TOKENS, remaining: 50 })], 10 * DAY)).toBe(1500)
  expect(computeRefundAmount(3000, [unlimited], 30 * DAY)).toBe(0)
})

test('AGENT-13 refunds of the largest possible amounts are computed exactly', () => {
  const most = 100_000_000_000 * 600
  expect(computeRefundAmount(2_147_483_647, [owed({ total: most, remaining: most - 1 })], 0)).toBe(2_147_483_646)
})

/** Returns a generator of pseudo-random whole numbers below `count`. The same seed gives the same numbers. */
function numbersFrom(seed: number) {
  let state = seed
  return (count: number) => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296
    return Math.floor((state / 4_294_967_296) * count)
  }
}

test('AGENT-14 after random steps total = left + spent + lapsed + refunded, and usage is charged at most once', () => {
  const random = numbersFrom(14)
  const grants: OpenGrant[] = []
  const sums = new Map<number, { total: number; spent: number; lapsed: number; refunded: number }>()
  let now = 0
  let used = 0
  const buy = () => {
    const total = 1 + random(500)
    const [scope, targetId, orderId] = [1 + random(3), 1 + random(3), 10_000 + made]
    const [unit, validDays] = [random(2) === 0 ? TURNS : TOKENS, 1 + random(30)]
    for (let packNo = 1; packNo <= 1 + random(3); packNo += 1) {
      const activateUntil = now + (1 + random(40)) * DAY
      const bought = grant({
        orderId,
        scope,
        targetId,
        packNo,
        unit,
        validDays,
        paidAt: now,
        activateUntil,
        remaining: total,
      })
      grants.push(bought)
      sums.set(bought.id, { total, spent: 0, lapsed: 0, refunded: 0 })
    }
  }
  const talk = () => {
    const amount = 1 + random(80)
    const [deviceId, agentId, tenantId] = [1 + random(3), 1 + random(3), 1 + random(3)]
    const spent = spendFromGrants(
      grants,
      use({ at: now, deviceId, agentId, tenantId, unit: random(2) === 0 ? TURNS : TOKENS, amount }),
    )
    used += amount
    const parts = spent.reduce((sum, part) => sum + part.amount, 0)
    expect(parts).toBeLessThanOrEqual(amount)
    for (const { grantId, amount: part } of spent) sums.get(grantId)!.spent += part
  }
  const isOpen = ({ state }: OpenGrant) => state < GRANT_STATE_CODE.used
  const end = (some: OpenGrant, how: 'lapsed' | 'refunded') => {
    sums.get(some.id)![how] += some.remaining
    some.remaining = 0
    some.state = how === 'lapsed' ? GRANT_STATE_CODE.lapsed : GRANT_STATE_CODE.revoked
  }
  const lapse = () => {
    for (const some of grants.filter((each) => isOpen(each) && (each.endsAt ?? each.activateUntil) <= now))
      end(some, 'lapsed')
  }
  const refund = () => {
    const open = grants.filter(isOpen)
    if (open.length === 0) return
    const { orderId } = open[random(open.length)]!
    for (const some of grants.filter((each) => isOpen(each) && each.orderId === orderId)) end(some, 'refunded')
  }
  for (let step = 0; step < 10_000; step += 1) {
    now += random(DAY / 4)
    const kind = random(40)
    if (kind < 2) buy()
    else if (kind === 2) refund()
    else if (kind < 6) lapse()
    else talk()
    // A closed grant never changes again, so that only open grants are searched.
    if (step % 200 === 0) grants.splice(0, grants.length, ...grants.filter((each) => isOpen(each) || check(each)))
  }
  function check(some: OpenGrant) {
    const { total, spent, lapsed, refunded } = sums.get(some.id)!
    expect(some.remaining + spent + lapsed + refunded).toBe(total)
    return false
  }
  for (const some of grants) check(some)
  const spent = [...sums.values()].reduce((sum, each) => sum + each.spent, 0)
  expect(spent).toBeGreaterThan(10_000)
  expect(spent).toBeLessThanOrEqual(used)
})
