import { obstacleOf, passes, placeOf, type RuleCode } from './match.ts'
import type { Moment } from './rule.ts'
import { FLAG } from './slots.ts'
import type { FleetState, LiveRule } from './state.ts'

export interface SurveyOptions {
  /** Count only devices of these tenants; absent or `all`: of every one. */
  readonly tenants?: 'all' | readonly number[]
  /** Serials to name. */
  readonly sample?: number
}

interface Internal extends SurveyOptions {
  /** For a package: the version by device id; a device not in it does not have the package. */
  readonly packages?: ReadonlyMap<number, number> | undefined
}

/** Who gets a version now. Devices that failed before or have a task under way are counted apart. */
export interface FleetSurvey {
  /** Devices of the model, within the tenants asked about. */
  total: number
  /** Those that get it at their next check. */
  count: number
  /** Those that would, but failed or were cancelled before. */
  spent: number
  /** Those that would, but have a task of the same package under way. */
  busy: number
  /** Those that would, but get a higher version first. */
  outranked: number
  /** The first rule that keeps it from the others. */
  readonly obstacles: Map<RuleCode, number>
  readonly versions: Map<number | null, number>
  readonly tenants: Map<number, number>
  /** By group the rule names. */
  readonly groups: Map<number, number>
  readonly sample: { deviceId: number; sn: string; tenantId: number; verCode: number | null; place: number }[]
  /** Places (0-9,999) of those that get it but for the share: how many a percentage would hold. */
  readonly places: Uint32Array
}

const SLICE = 50_000
const DEFAULT_SAMPLE = 20
const PLACES = 10_000

/** Walks all devices in slices, so that polls are answered in between. */
export async function surveyOf(
  state: FleetState,
  rule: LiveRule,
  now: Moment,
  options: Internal,
): Promise<FleetSurvey> {
  const survey: FleetSurvey = {
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
  const everybody: LiveRule = { ...rule, percent: PLACES }
  const family = (rule.kind === 1 ? state.firmware : state.packages).get(rule.modelId) ?? []
  const higher = family.filter((each) => each.packageName === rule.packageName && each.verCode > rule.verCode)
  for (let from = 0; from < state.slots.count; from += SLICE) {
    const to = Math.min(from + SLICE, state.slots.count)
    for (let slot = from; slot < to; slot++) look(state, { rule, everybody, higher, slot, now, options }, survey)
    await new Promise((done) => setImmediate(done))
  }
  return survey
}

interface Look {
  readonly rule: LiveRule
  readonly everybody: LiveRule
  readonly higher: readonly LiveRule[]
  readonly slot: number
  readonly now: Moment
  readonly options: Internal
}

function look(state: FleetState, { rule, everybody, higher, slot, now, options }: Look, survey: FleetSurvey) {
  const { slots } = state
  if (slots.models[slot] !== rule.modelId || (slots.flags[slot]! & FLAG.alive) === 0) return
  const tenantId = slots.tenants[slot]!
  const { tenants, packages, sample = DEFAULT_SAMPLE } = options
  if (tenants && tenants !== 'all' && !tenants.includes(tenantId)) return
  const deviceId = slots.ids[slot]!
  if (packages && !packages.has(deviceId)) return
  survey.total += 1
  const verCode = packages ? (packages.get(deviceId) ?? null) : slots.versionOf(slot)
  const device = {
    deviceId,
    tenantId,
    modelId: rule.modelId,
    enabled: (slots.flags[slot]! & FLAG.enabled) !== 0,
    modelInUse: state.models.get(rule.modelId)?.inUse === true,
    verCode,
    slot,
  }
  // Asked as a poll does, which is quicker; only a device that is refused is asked why.
  const obstacle = passes(everybody, device, now) ? undefined : obstacleOf(everybody, device, now)
  const place = placeOf(deviceId, rule.otaId)
  if (obstacle !== undefined) return add(survey.obstacles, obstacle)
  survey.places[place]! += 1
  if (rule.percent < PLACES && !passes(rule, device, now)) return add(survey.obstacles, 'share')
  if (state.isSpent(rule, slot)) survey.spent += 1
  else if (state.openTasks(slot).some(({ packageName }) => packageName === rule.packageName)) survey.busy += 1
  else if (higher.some((each) => passes(each, device, now) && !state.isSpent(each, slot))) survey.outranked += 1
  else {
    survey.count += 1
    add(survey.versions, verCode)
    add(survey.tenants, tenantId)
    for (const id of rule.groupIds) if (state.groups.get(id)?.members.has(slot)) add(survey.groups, id)
    if (survey.sample.length < sample) survey.sample.push({ deviceId, sn: slots.snOf(slot), tenantId, verCode, place })
  }
}

const add = <K>(counts: Map<K, number>, key: K) => void counts.set(key, (counts.get(key) ?? 0) + 1)
