import type { Logger } from 'pino'
import type { Database } from '#core/database/client.ts'
import type { Events } from '#core/events/events.ts'
import type { Ctx } from '#core/http/context.ts'
import { type IndexPart, IndexSync, findAccess } from './index-sync.ts'
import { loadGroup, createMembers, readRule } from './load-rules.ts'
import {
  findBestRule,
  findDailyWindow,
  createZoneClock,
  type DeviceFacts,
  type ZonedTime,
  type Rule,
  findObstacle,
  passesRule,
  computeRolloutPosition,
  type RuleCode,
} from './match.ts'
import { SLOT_FLAG } from './slots.ts'
import {
  iterateCandidates,
  type InstalledPackage,
  type Precedence,
  listPrecedenceReasons,
  replaceWithDraft,
  readDeviceFacts,
  type EnabledRule,
  type OpenTask,
  type ModelRules,
  type FleetState,
} from './state.ts'

declare module '#core/services.ts' {
  interface ServiceExtensions {
    readonly fleet: Fleet
  }
}

const SYNC_WITHIN_MS = 2000

interface Parts {
  readonly database: Database
  readonly events: Events
  readonly log: Logger
  readonly timeZone: string
  /** Further indexes by slot. */
  readonly parts?: readonly IndexPart[]
}

/** A device with its facts for rules and its identifiers. */
interface KnownDevice extends DeviceFacts {
  readonly slot: number
  readonly sn: string
}

/** Fields of a release that decide which devices get the version, as changed by a draft. */
export type RuleDraft = Partial<
  Pick<
    Rule,
    | 'enabled'
    | 'releaseAt'
    | 'mode'
    | 'state'
    | 'percent'
    | 'tenantIds'
    | 'groupIds'
    | 'startAt'
    | 'endAt'
    | 'dailyStart'
    | 'dailyEnd'
  >
>

/**
 * In-memory index of all devices and rules, synchronised with the database. Device polls and dry runs use the same
 * code on this index. Empty until the first call of `ready`.
 */
export class Fleet {
  readonly #follower: IndexSync
  readonly #events: Events
  /** Converts a time to the console's time zone. */
  readonly moment: (now: Date | number) => ZonedTime
  /** Reused for all polls, so that a match allocates no object. */
  readonly #facts = {
    deviceId: 0,
    tenantId: 0,
    modelId: 0,
    enabled: true,
    isModelEnabled: true,
    verCode: null as number | null,
    slot: 0,
  }

  constructor(parts: Parts) {
    this.#follower = new IndexSync(parts)
    this.#events = parts.events
    this.moment = createZoneClock(parts.timeZone)
  }

  /** Resolves after everything has been loaded. A million devices take seconds. */
  ready() {
    return this.#follower.load()
  }

  get isReady() {
    return this.#follower.isLoaded
  }

  /** Resolves when the fleet index contains everything that was committed before this call. */
  async sync() {
    await this.ready()
    // Published changes contain the ids of the rules to load.
    await this.#events.caughtUp()
    await this.#follower.sync()
  }

  /**
   * Works like `sync`, but resolves after at most 2 s. The change is committed, so a slow sync must not fail the call.
   */
  async syncWithinLimit() {
    const late = new Promise<void>((done) => setTimeout(done, SYNC_WITHIN_MS).unref())
    await Promise.race([this.sync(), late])
  }

  close() {
    return this.#follower.close()
  }

  get state() {
    return this.#follower.state
  }

  get slots() {
    return this.#follower.state.slots
  }

  isEnabled(slot: number) {
    return (this.slots.flags[slot]! & SLOT_FLAG.enabled) !== 0
  }

  accessOf(tenantId: number) {
    return findAccess(this.state, tenantId)
  }

  /**
   * Returns the firmware that the device gets now. The caller handles open tasks, rollout limits and confirmation.
   */
  match(slot: number, now: ZonedTime): EnabledRule | undefined {
    const { slots, state } = this
    const isListed = (slots.flags[slot]! & SLOT_FLAG.listed) !== 0
    const rules = (isListed ? state.firmware : state.formal).get(slots.models[slot]!)
    // Usual case without evaluating a rule: no enabled version is higher than the installed version.
    if (!rules || rules[0]!.verCode <= slots.versions[slot]!) return undefined
    return this.#best(rules, this.#factsAt(slot, slots.versionOf(slot)), now)
  }

  /** Yields the versions offered to a device with these packages, in order. */
  candidates(slot: number, installed: readonly InstalledPackage[], now: ZonedTime): Generator<EnabledRule> {
    const { state, slots } = this
    const modelId = slots.models[slot]!
    const rules = { firmware: state.firmware.get(modelId) ?? [], packages: state.packages.get(modelId) ?? [] }
    return iterateCandidates(state, rules, readDeviceFacts(state, slot), installed, now)
  }

  /** Returns the reasons that delay a rule at the next check of a device with these packages. */
  precedence(rule: EnabledRule, slot: number, installed: readonly InstalledPackage[], now: ZonedTime): Precedence {
    const { state } = this
    return listPrecedenceReasons(
      state,
      rule,
      replaceWithDraft(state, rule),
      readDeviceFacts(state, slot),
      installed,
      now,
    )
  }

  /** Returns the daily window that applies to an open task; undefined when none applies. */
  dailyWindow({ slot, otaId, pushed }: OpenTask, now: ZonedTime) {
    const rule = pushed ? undefined : this.state.rules.get(otaId)
    return rule && findDailyWindow(rule, this.#factsAt(slot, null), now)
  }

  /** Returns the enabled versions of a model, firmware and packages. */
  async rulesOf(modelId: number): Promise<readonly EnabledRule[]> {
    await this.ready()
    return [...(this.state.firmware.get(modelId) ?? []), ...(this.state.packages.get(modelId) ?? [])]
  }

  /** Returns a device by serial or id with the facts for firmware rules. */
  async factsOf(key: string | number): Promise<KnownDevice | undefined> {
    await this.ready()
    const slot = typeof key === 'string' ? this.slots.find(key) : this.slots.slotOf(key)
    if (slot < 0 || (this.slots.flags[slot]! & SLOT_FLAG.alive) === 0) return undefined
    return { ...this.#factsAt(slot, this.slots.versionOf(slot)), sn: this.slots.snOf(slot) }
  }

  /**
   * Returns any version as a rule, enabled or not, optionally with a draft applied. Undefined when the version does
   * not exist.
   */
  ruleOf(otaId: number, draft: RuleDraft = {}): Promise<EnabledRule | undefined> {
    return this.#follower.using(async (client) => {
      const { state } = this
      const { db } = this.#follower.database
      const rule = await readRule(client, db, state, otaId)
      if (!rule) return undefined
      for (const id of draft.groupIds ?? []) if (!state.groups.has(id)) await loadGroup(client, db, state, id)
      const groupIds = draft.groupIds ?? rule.groupIds
      return { ...rule, ...draft, ...createMembers(state, rule.allowlistSlots, groupIds) }
    })
  }

  /** Returns the dry run of a version: evaluates the poll's code for every device. */
  async dryRun(rule: EnabledRule, now: Date, options: DryRunOptions = {}) {
    await this.ready()
    return evaluateDryRun(this.state, rule, this.moment(now), {
      ...options,
      packages: await this.#packageVersions(rule),
    })
  }

  /** Loads the installed packages of all devices, for package names that a version of the model targets. */
  async #packageVersions({ kind, modelId, packageName }: Rule) {
    if (kind === 1) return undefined
    const names = (this.state.packages.get(modelId) ?? []).map((each) => each.packageName)
    const { rows } = await this.#follower.database.pool.query<InstalledPackage & { id: number }>(
      'select device_id as id, package_name as name, ver_code as "verCode" from device_packages where package_name = any($1)',
      [[packageName, ...names]],
    )
    return Map.groupBy(rows, ({ id }) => id)
  }

  #best(rules: readonly EnabledRule[], device: DeviceFacts & { slot: number }, now: ZonedTime) {
    return findBestRule(rules, device, now, (rule) => !this.state.isSpent(rule, device.slot))
  }

  #factsAt(slot: number, verCode: number | null) {
    const { slots, state } = this
    const facts = this.#facts
    facts.slot = slot
    facts.deviceId = slots.ids[slot]!
    facts.tenantId = slots.tenants[slot]!
    facts.modelId = slots.models[slot]!
    facts.enabled = (slots.flags[slot]! & SLOT_FLAG.enabled) !== 0 && !state.closedTenants.has(facts.tenantId)
    facts.isModelEnabled = state.models.get(facts.modelId)?.isEnabled === true
    facts.verCode = verCode
    return facts
  }
}

interface DryRunOptions {
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
interface DryRunReport {
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
async function evaluateDryRun(
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

/**
 * Delays the response of a call until the fleet index of this process contains the commit of the call. A device that
 * receives a new token from the caller can then use the token at once. Does nothing while the index is not loaded.
 */
export const syncFleetAfterCommit = ({ services: { fleet }, afterCommit }: Pick<Ctx, 'services' | 'afterCommit'>) =>
  afterCommit(() => (fleet.isReady ? fleet.syncWithinLimit() : undefined))
