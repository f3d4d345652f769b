import { describe, expect, test } from 'vitest'
import { NO_PACKAGE_TEXT, computePackLimit, type PackGrant } from './open-packs.ts'

const NOW = 1_000_000
const [DAYS, TURNS, MINUTES, CHARACTERS, TOKENS] = [1, 2, 3, 4, 5] as const
const [WAITING, RUNNING, USED] = [0, 1, 2] as const

const grant = (over: Partial<PackGrant> = {}): PackGrant => ({
  scope: 1,
  orderId: 1,
  targetId: 7,
  packNo: 1,
  unit: TURNS,
  state: RUNNING,
  isUnlimited: false,
  isFrozen: false,
  remaining: 10,
  activateUntil: NOW + 500,
  endsAt: NOW + 1000,
  isPaidToday: false,
  ...over,
})
const used = (over: Partial<PackGrant> = {}) => grant({ state: USED, remaining: 0, ...over })
const waiting = (over: Partial<PackGrant> = {}) => grant({ state: WAITING, endsAt: null, packNo: 2, ...over })
const reached = (...grants: PackGrant[]) => computePackLimit(grants, NOW).isReached
const reason = (...grants: PackGrant[]) => {
  const limit = computePackLimit(grants, NOW)
  return limit.isReached ? limit.reason : ''
}

describe('AGENT-16 the usage limit of a device', () => {
  test('AGENT-16 a device without any grant has reached its limit', () => {
    expect(reason()).toBe(NO_PACKAGE_TEXT)
  })

  test('AGENT-16 a running grant with a remaining amount, an unlimited grant and a waiting grant permit usage', () => {
    expect(reached(grant())).toBe(false)
    expect(reached(grant({ remaining: 0, isUnlimited: true }))).toBe(false)
    expect(reached(waiting())).toBe(false)
  })

  test('AGENT-16 used, ended, expired and frozen grants permit no usage, and each has its reason', () => {
    expect(reason(used())).toBe('套餐的对话轮数已用完')
    expect(reason(grant({ endsAt: NOW }))).toBe('套餐已过期')
    expect(reason(waiting({ activateUntil: NOW }))).toBe('套餐没有在激活期限内使用')
    expect(reason(grant({ isFrozen: true }))).toBe('套餐正在退款，暂停使用')
    expect(reason(waiting({ isFrozen: true }))).toBe('套餐正在退款，暂停使用')
  })

  test('AGENT-16 an unlimited grant permits no usage after its end', () => {
    expect(reached(grant({ isUnlimited: true, remaining: 0, endsAt: NOW }))).toBe(true)
  })

  test('AGENT-16 a pack permits no usage when one of its units is used up', () => {
    expect(reason(grant(), used({ unit: TOKENS }))).toBe('套餐的Token已用完')
    expect(reason(grant({ unit: MINUTES }), used({ unit: DAYS }))).toBe('套餐的设备天数已用完')
  })

  test('AGENT-16 a unit that is used up in one pack may be covered by another pack, as in charging', () => {
    expect(reached(grant(), used({ unit: TOKENS }), waiting({ unit: TOKENS }))).toBe(false)
    const agentTokens = grant({ unit: TOKENS, scope: 2, orderId: 9, targetId: 3 })
    expect(reached(grant(), used({ unit: TOKENS }), agentTokens)).toBe(false)
  })

  test('AGENT-16 one complete pack permits usage, even when other packs are incomplete', () => {
    expect(reached(grant(), used({ unit: TOKENS, orderId: 2 }))).toBe(false)
    expect(reached(used({ unit: TOKENS }), grant({ scope: 3, orderId: 5, targetId: 1 }))).toBe(false)
  })

  test('AGENT-16 the reason of a pack of the device is returned before reasons of packs of agent and tenant', () => {
    const ofTenant = used({ scope: 3, orderId: 1, targetId: 1, unit: TOKENS })
    expect(reason(ofTenant, used({ orderId: 4 }))).toBe('套餐的对话轮数已用完')
  })

  test('AGENT-16 the last charged device day permits usage until the end of that day', () => {
    const lastDay = used({ unit: DAYS, isPaidToday: true })
    expect(reached(lastDay, grant())).toBe(false)
    expect(reached(used({ unit: DAYS }), grant())).toBe(true)
    expect(reached({ ...lastDay, endsAt: NOW }, grant())).toBe(true)
  })

  test('AGENT-16 remaining characters are summed over packs, and unlimited with a complete pack without characters', () => {
    const left = (...grants: PackGrant[]) => computePackLimit(grants, NOW)
    const own = grant({ unit: CHARACTERS, remaining: 30 })
    expect(left(own)).toEqual({ isReached: false, characters: 30 })
    expect(left(own, waiting({ unit: CHARACTERS, remaining: 70 }))).toEqual({ isReached: false, characters: 100 })
    expect(left(own, grant({ orderId: 2 }))).toEqual({ isReached: false, characters: undefined })
    const unlimited = grant({ unit: CHARACTERS, orderId: 2, isUnlimited: true, remaining: 0 })
    expect(left(own, unlimited)).toEqual({ isReached: false, characters: undefined })
  })
})
