import { findObstacle, passesRule, computeRolloutPosition, type RuleCode } from './match.ts'
import { type InstalledPackage, type ModelRules, listPrecedenceReasons, replaceWithDraft } from './next-task.ts'
import type { ZonedTime } from './rule.ts'
import { SLOT_FLAG } from './index/slots.ts'
import { readDeviceFacts, type FleetState, type EnabledRule } from './index/state.ts'

export interface DryRunOptions {
  /** Counts only devices of these tenants. Absent or `all` counts devices of every tenant. */
  readonly tenants?: 'all' | readonly number[]
  /** Number of sample serial numbers to return. */
  readonly sample?: number
}

interface Internal extends DryRunOptions {
  /** Installed packages by device id, for versions of a package. */
  readonly packages?: ReadonlyMap<number, readonly InstalledPackage[]> | undefined
}

/** Devices that get a version now. Devices with an earlier failure or an open task are counted separately. */
export interface DryRunReport {
  /** Devices of the model within the requested tenants. */
  total: number
  /** Devices that get the version at their next check. */
  count: number
  /** Devices that match but failed or were cancelled before. */
  spent: number
  /** Devices that match but have an open task, for any package. */
  busy: number
  /** Devices that match but get another version first: a higher version, firmware, or an earlier package. */
  outranked: number
  /** Devices by the first rule that refuses the version. */
  readonly obstacles: Map<RuleCode, number>
  readonly versions: Map<number | null, number>
  readonly tenants: Map<number, number>
  /** Devices by group of the rule. */
  readonly groups: Map<number, number>
  readonly sample: { deviceId: number; sn: string; tenantId: number; verCode: number | null; place: number }[]
  /**
   * Counts by rollout position (0-9,999) of the devices that match apart from the percentage. Gives the number of
   * devices for any percentage.
   */
  readonly places: Uint32Array
}

const SLICE = 50_000
const DEFAULT_SAMPLE = 20
const PLACES = 10_000

/** Evaluates all devices in slices. Yields between slices so that device polls are served. */
export async function evaluateDryRun(
  state: FleetState,
  rule: EnabledRule,
  now: ZonedTime,
  options: Internal,
): Promise<DryRunReport> {
  const report: DryRunReport = {
    total: 0,
    count: 0,
    spent: 0,
    busy: 0,
    outranked: 0,
    obstacles: new Map(),
    versions: new Map(),
    tenants: new Map(),
    groups: new Map(rule.groupIds.map((id) => [id, 0])),
    sample: [],
    places: new Uint32Array(PLACES),
  }
  const everybody: EnabledRule = { ...rule, percent: PLACES }
  const rules = replaceWithDraft(state, rule)
  for (let from = 0; from < state.slots.count; from += SLICE) {
    const to = Math.min(from + SLICE, state.slots.count)
    for (let slot = from; slot < to; slot++) look(state, { rule, everybody, rules, slot, now, options }, report)
    await new Promise((done) => setImmediate(done))
  }
  return report
}

interface Look {
  readonly rule: EnabledRule
  readonly everybody: EnabledRule
  readonly rules: ModelRules
  readonly slot: number
  readonly now: ZonedTime
  readonly options: Internal
}

function look(state: FleetState, { rule, everybody, rules, slot, now, options }: Look, report: DryRunReport) {
  const { slots } = state
  if (slots.models[slot] !== rule.modelId || (slots.flags[slot]! & SLOT_FLAG.alive) === 0) return
  const tenantId = slots.tenants[slot]!
  const { packages, sample = DEFAULT_SAMPLE } = options
  if (!isSeen(options, tenantId)) return
  const deviceId = slots.ids[slot]!
  const installed = packages?.get(deviceId) ?? []
  const own = installed.find(({ name }) => name === rule.packageName)
  if (packages && !own) return
  report.total += 1
  const firmware = readDeviceFacts(state, slot)
  const { verCode } = own ?? firmware
  const device = { ...firmware, verCode }
  // Uses the fast check of device polls first. Determines the reason only for refused devices.
  const obstacle = passesRule(everybody, device, now) ? undefined : findObstacle(everybody, device, now)
  const place = computeRolloutPosition(deviceId, rule.otaId)
  if (obstacle !== undefined) return add(report.obstacles, obstacle)
  report.places[place]! += 1
  if (rule.percent < PLACES && !passesRule(rule, device, now)) return add(report.obstacles, 'share')
  const { isSpent, open, outrankedBy } = listPrecedenceReasons(state, rule, rules, firmware, installed, now)
  if (isSpent) report.spent += 1
  else if (open) report.busy += 1
  else if (outrankedBy) report.outranked += 1
  else {
    report.count += 1
    add(report.versions, verCode)
    add(report.tenants, tenantId)
    const groups = rule.groupIds.filter((id) => state.groups.get(id)?.members.has(slot))
    for (const id of groups) add(report.groups, id)
    if (report.sample.length < sample) report.sample.push({ deviceId, sn: slots.snOf(slot), tenantId, verCode, place })
  }
}

const isSeen = ({ tenants = 'all' }: Internal, tenantId: number) => tenants === 'all' || tenants.includes(tenantId)
const add = <K>(counts: Map<K, number>, key: K) => void counts.set(key, (counts.get(key) ?? 0) + 1)
