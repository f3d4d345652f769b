import { findBestRule } from './match.ts'
import type { DeviceFacts, ZonedTime } from './rule.ts'
import type { FleetState, EnabledRule, OpenTask } from './index/state.ts'

/** A software package that is installed on a device, with its version. */
export interface InstalledPackage {
  readonly name: string
  readonly verCode: number
}

/** Rules of one model: the enabled rules, with a draft replacing its stored rule. */
export interface ModelRules {
  readonly firmware: readonly EnabledRule[]
  readonly packages: readonly EnabledRule[]
}

type IndexedDevice = DeviceFacts & { readonly slot: number }
type FleetRules = Pick<FleetState, 'firmware' | 'packages' | 'isSpent' | 'openTasks'>

/** Returns the rules of a model with this draft. */
export function replaceWithDraft(state: FleetRules, draft: EnabledRule): ModelRules {
  const others = (rules: readonly EnabledRule[] = []) => rules.filter(({ otaId }) => otaId !== draft.otaId)
  const firmware = others(state.firmware.get(draft.modelId))
  const packages = others(state.packages.get(draft.modelId))
  return draft.kind === 1 ? { firmware: [...firmware, draft], packages } : { firmware, packages: [...packages, draft] }
}

/**
 * Yields the rules that a device without an open task is offered, in order: firmware, then packages by name. `device`
 * contains the firmware version. Polls, dry runs and explanations all use this order.
 */
export function* iterateCandidates(
  state: FleetRules,
  { firmware, packages }: ModelRules,
  device: IndexedDevice,
  installed: readonly InstalledPackage[],
  now: ZonedTime,
): Generator<EnabledRule> {
  const isFree = (rule: EnabledRule) => !state.isSpent(rule, device.slot)
  const best = findBestRule(firmware, device, now, isFree)
  if (best) yield best
  for (const { name, verCode } of installed.toSorted(byName)) {
    const rules = packages.filter(({ packageName }) => packageName === name)
    const found = rules.length > 0 ? findBestRule(rules, { ...device, verCode }, now, isFree) : undefined
    if (found) yield found
  }
}

const byName = (a: InstalledPackage, b: InstalledPackage) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)

/** Reasons why a device that matches a rule does not receive its version at the next poll. */
export interface Precedence {
  readonly isSpent: boolean
  /** An open task for any version: a device works on one task at a time. */
  readonly open: OpenTask | undefined
  /** The rule whose version the device is offered first. */
  readonly outrankedBy: EnabledRule | undefined
}

/** Returns the reasons that delay a matching rule for a device. */
export function listPrecedenceReasons(
  state: FleetRules,
  rule: EnabledRule,
  rules: ModelRules,
  device: IndexedDevice,
  installed: readonly InstalledPackage[],
  now: ZonedTime,
): Precedence {
  const [first] = iterateCandidates(state, rules, device, installed, now)
  return {
    isSpent: state.isSpent(rule, device.slot),
    open: state.openTasks(device.slot)[0],
    outrankedBy: first && first.otaId !== rule.otaId ? first : undefined,
  }
}
