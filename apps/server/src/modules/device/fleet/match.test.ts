import { describe, expect, test } from 'vitest'
import {
  findBestRule,
  passesRule,
  computeRolloutPosition,
  listVerdicts,
  createZoneClock,
  type DeviceFacts,
  type DeviceSet,
  type Rule,
} from './match.ts'

const clock = createZoneClock('Asia/Shanghai')
const NOW = clock(new Date('2026-06-01T04:00:00Z'))
const DEVICE: DeviceFacts = { deviceId: 7, tenantId: 3, modelId: 2, enabled: true, isModelEnabled: true, verCode: 99 }
const only = (...ids: number[]): DeviceSet => ({ has: ({ deviceId }) => ids.includes(deviceId) })
const RULE: Rule = {
  otaId: 11,
  tenantId: 1,
  modelId: 2,
  kind: 1,
  packageName: '',
  verCode: 100,
  verName: 'v',
  oldVerMin: null,
  oldVerMax: null,
  enabled: true,
  releaseAt: NOW.ms,
  startAt: null,
  endAt: null,
  dailyStart: null,
  dailyEnd: null,
  mode: 2,
  state: 0,
  stateReason: '',
  percent: 10_000,
  tenantIds: [],
  groupIds: [],
  allowlist: only(),
  groups: only(),
  needConfirm: false,
  maxDownloads: null,
  bandwidth: null,
  perMinute: null,
  timeoutMinutes: 1440,
  autoRetries: 0,
}
const gets = (rule: Partial<Rule>, device: Partial<DeviceFacts> = {}, now = NOW) =>
  passesRule({ ...RULE, ...rule }, { ...DEVICE, ...device }, now)
const refusals = (rule: Partial<Rule>, device: Partial<DeviceFacts> = {}, now = NOW) =>
  listVerdicts({ ...RULE, ...rule }, { ...DEVICE, ...device }, now).flatMap(({ rule: code, passed }) =>
    passed ? [] : [code],
  )

describe('matching of devices and versions', () => {
  test('version numbers are compared as numbers of up to nine digits; a lower or equal version is never offered', () => {
    expect(gets({ verCode: 100 }, { verCode: 99 })).toBe(true)
    expect(gets({ verCode: 99 }, { verCode: 100 })).toBe(false)
    expect(gets({ verCode: 99 }, { verCode: 99 })).toBe(false)
    expect(gets({ verCode: 999_999_999 }, { verCode: 999_999_998 })).toBe(true)
  })

  test('an empty end of a range is no limit, and 0 is a limit; a device without a version needs an open range', () => {
    expect(gets({ oldVerMin: 0, oldVerMax: 0 }, { verCode: 0 })).toBe(true)
    expect(gets({ oldVerMin: 0, oldVerMax: 0 }, { verCode: 1 })).toBe(false)
    expect(gets({ oldVerMin: null, oldVerMax: 99 })).toBe(true)
    expect(gets({ oldVerMin: 100 })).toBe(false)
    expect(gets({}, { verCode: null })).toBe(true)
    expect(refusals({ oldVerMin: 0 }, { verCode: null })).toEqual(['range'])
  })

  test("a platform version is for all tenants, a tenant's version for that tenant; the release restricts both", () => {
    expect(gets({ tenantId: 1 })).toBe(true)
    expect(gets({ tenantId: 3 })).toBe(true)
    expect(refusals({ tenantId: 4, allowlist: only(7) })).toEqual(['tenant'])
    expect(refusals({ tenantIds: [4] })).toEqual(['tenant'])
    expect(gets({ tenantIds: [4, 3] })).toBe(true)
  })

  test('a test release is offered only to its allowlist, also while a formal release is waiting or rejected', () => {
    for (const how of [{ mode: 1 }, { mode: 2, state: 1 }, { mode: 2, state: 2 }]) {
      expect(refusals(how)).toEqual(['white'])
      expect(gets({ ...how, allowlist: only(7), percent: 0, groupIds: [1], dailyStart: 0, dailyEnd: 1 })).toBe(true)
    }
  })

  test('allowlisted devices ignore percentage, groups, tenants and window, but not a paused or stopped release', () => {
    const narrow = { percent: 0, groupIds: [9], tenantIds: [8], endAt: NOW.ms }
    expect(refusals(narrow)).toEqual(['tenant', 'group', 'share', 'window'])
    expect(gets({ ...narrow, allowlist: only(7) })).toBe(true)
    expect(refusals({ state: 3, allowlist: only(7) })).toEqual(['state'])
    expect(refusals({ state: 4, mode: 1, allowlist: only(7) })).toEqual(['state'])
  })

  test('0 % selects no device, 100 % all, 25 % about a quarter; a higher percentage keeps the selected devices', () => {
    const inAt = (percent: number) =>
      Array.from({ length: 4000 }, (_, id) => id + 1).filter((deviceId) => gets({ percent }, { deviceId }))
    expect(inAt(0)).toEqual([])
    expect(inAt(10_000)).toHaveLength(4000)
    let before = new Set<number>()
    for (const percent of [1, 100, 2500, 2501, 5000, 9999]) {
      const now = new Set(inAt(percent))
      expect([...before].every((id) => now.has(id))).toBe(true)
      before = now
    }
    const quarter = inAt(2500).length
    expect(quarter).toBeGreaterThan(900)
    expect(quarter).toBeLessThan(1100)
    // Another version gives the same devices other positions.
    expect(inAt(2500).filter((id) => computeRolloutPosition(id, 12) < 2500).length).toBeLessThan(400)
  })

  test('a version is offered only after its release date, in its date range and daily window, also over midnight', () => {
    expect(gets({ releaseAt: NOW.ms + 1 })).toBe(false)
    expect(gets({ releaseAt: NOW.ms })).toBe(true)
    expect(gets({ startAt: NOW.ms + 1 })).toBe(false)
    expect(gets({ startAt: NOW.ms, endAt: NOW.ms + 1 })).toBe(true)
    // Noon in Shanghai.
    expect(NOW.minute).toBe(720)
    expect(gets({ dailyStart: 720, dailyEnd: 721 })).toBe(true)
    expect(gets({ dailyStart: 721, dailyEnd: 720 })).toBe(false)
    expect(gets({ dailyStart: 1380, dailyEnd: 60 }, {}, clock(new Date('2026-06-01T16:30:00Z')))).toBe(true)
    expect(gets({ dailyStart: 1380, dailyEnd: 60 }, {}, clock(new Date('2026-06-01T17:00:00Z')))).toBe(false)
  })

  test('a disabled device, model or version never matches, and every result has a text', () => {
    expect(refusals({}, { enabled: false })).toEqual(['device'])
    expect(refusals({}, { isModelEnabled: false })).toEqual(['model'])
    expect(refusals({}, { modelId: 5 })).toEqual(['model'])
    expect(refusals({ enabled: false })).toEqual(['version'])
    for (const { words } of listVerdicts(RULE, DEVICE, NOW)) expect(words).toMatch(/\p{Script=Han}/u)
  })

  test("the highest matching version is selected; of equal numbers, the version of the device's tenant", () => {
    const rules: Rule[] = [
      { ...RULE, otaId: 1, verCode: 120, percent: 0 },
      { ...RULE, otaId: 2, verCode: 110 },
      { ...RULE, otaId: 3, verCode: 105 },
      { ...RULE, otaId: 4, verCode: 110, tenantId: 3 },
    ]
    expect(findBestRule(rules, DEVICE, NOW)?.otaId).toBe(4)
    expect(findBestRule([...rules].reverse(), DEVICE, NOW)?.otaId).toBe(4)
    expect(findBestRule(rules, { ...DEVICE, verCode: 110 }, NOW)).toBeUndefined()
  })
})
