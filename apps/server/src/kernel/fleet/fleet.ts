import type { Logger } from 'pino'
import type { Database } from '#db/client.ts'
import type { Events } from '#kernel/events.ts'
import { Follower } from './follower.ts'
import { accessOf } from './load-devices.ts'
import { loadGroup, membersOf, readRule } from './load-rules.ts'
import { bestRule, dailyWindowOf } from './match.ts'
import { clockOf, type DeviceFacts, type Moment, type Rule } from './rule.ts'
import { FLAG } from './slots.ts'
import type { LiveRule, OpenTask } from './state.ts'
import { type SurveyOptions, surveyOf } from './survey.ts'

interface Parts {
  readonly database: Database
  readonly events: Events
  readonly log: Logger
  readonly timeZone: string
}

/** A device as rules see it, with what names it. */
export interface KnownDevice extends DeviceFacts {
  readonly slot: number
  readonly sn: string
}

/** What a person may change of a release before it is published: only what decides who gets it. */
export type Draft = Partial<
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
 * All devices and all rules in the memory of this process, in step with the database: polls are answered from here, and
 * the console asks the same code who would get what. Empty until `ready` was first called.
 */
export class Fleet {
  readonly #follower: Follower
  readonly #events: Events
  /** Reads a clock in the console's zone. */
  readonly moment: (now: Date | number) => Moment
  /** One object for all polls: a match allocates nothing. */
  readonly #facts = {
    deviceId: 0,
    tenantId: 0,
    modelId: 0,
    enabled: true,
    modelInUse: true,
    verCode: null as number | null,
    slot: 0,
  }

  constructor(parts: Parts) {
    this.#follower = new Follower(parts)
    this.#events = parts.events
    this.moment = clockOf(parts.timeZone)
  }

  /** Resolves once everything has been read; at a million devices that takes seconds. */
  ready() {
    return this.#follower.load()
  }

  get isReady() {
    return this.#follower.isLoaded
  }

  /** Resolves when everything committed before this call is known here. */
  async sync() {
    await this.ready()
    // Which rules to read again is only known from what was published.
    await this.#events.caughtUp()
    await this.#follower.sync()
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

  accessOf(tenantId: number) {
    return accessOf(this.state, tenantId)
  }

  /** The firmware this device gets by itself now; its tasks, pacing and confirmation are the caller's matter. */
  match(slot: number, now: Moment): LiveRule | undefined {
    const { slots, state } = this
    const isListed = (slots.flags[slot]! & FLAG.listed) !== 0
    const rules = (isListed ? state.firmware : state.formal).get(slots.models[slot]!)
    // The usual answer, without a look at any rule: nothing is higher than what it runs.
    if (!rules || rules[0]!.verCode <= slots.versions[slot]!) return undefined
    return this.#best(rules, this.#factsAt(slot, slots.versionOf(slot)), now)
  }

  /** The same for a package the device says it has. */
  matchPackage(slot: number, { name, verCode }: { name: string; verCode: number }, now: Moment): LiveRule | undefined {
    const rules = this.state.packages.get(this.slots.models[slot]!)?.filter(({ packageName }) => packageName === name)
    return rules && this.#best(rules, this.#factsAt(slot, verCode), now)
  }

  /** The daily window a task on this device is bound to; undefined: none. */
  dailyWindow({ slot, otaId, pushed }: OpenTask, now: Moment) {
    const rule = pushed ? undefined : this.state.rules.get(otaId)
    return rule && dailyWindowOf(rule, this.#factsAt(slot, null), now)
  }

  /** Enabled versions for a model, firmware and packages. */
  async rulesOf(modelId: number): Promise<readonly LiveRule[]> {
    await this.ready()
    return [...(this.state.firmware.get(modelId) ?? []), ...(this.state.packages.get(modelId) ?? [])]
  }

  /** A device by serial or id, as its firmware is matched. */
  async factsOf(key: string | number): Promise<KnownDevice | undefined> {
    await this.ready()
    const slot = typeof key === 'string' ? this.slots.find(key) : this.slots.slotOf(key)
    if (slot < 0 || (this.slots.flags[slot]! & FLAG.alive) === 0) return undefined
    return { ...this.#factsAt(slot, this.slots.versionOf(slot)), sn: this.slots.snOf(slot) }
  }

  /** Any version as a rule, enabled or not, optionally as it would be after this draft. Undefined: there is none. */
  ruleOf(otaId: number, draft: Draft = {}): Promise<LiveRule | undefined> {
    return this.#follower.using(async (client) => {
      const { state } = this
      const { db } = this.#follower.database
      const rule = await readRule(client, db, state, otaId)
      if (!rule) return undefined
      for (const id of draft.groupIds ?? []) if (!state.groups.has(id)) await loadGroup(client, db, state, id)
      const groupIds = draft.groupIds ?? rule.groupIds
      return { ...rule, ...draft, ...membersOf(state, rule.whiteSlots, groupIds) }
    })
  }

  /** Has this version failed or been cancelled on the device, so that it is not offered again by itself? */
  isSpent(rule: LiveRule, device: DeviceFacts) {
    return device.slot !== undefined && this.state.isSpent(rule, device.slot)
  }

  /** Who would get this version now: the poll's own code over every device. */
  async survey(rule: LiveRule, now: Date, options: SurveyOptions = {}) {
    await this.ready()
    return surveyOf(this.state, rule, this.moment(now), { ...options, packages: await this.#packageVersions(rule) })
  }

  /** What devices last said they run of a package; firmware versions are in the index. */
  async #packageVersions({ kind, packageName }: Rule) {
    if (kind === 1) return undefined
    const { rows } = await this.#follower.database.pool.query<{ id: number; verCode: number }>(
      'select device_id as id, ver_code as "verCode" from device_packages where package_name = $1',
      [packageName],
    )
    return new Map(rows.map(({ id, verCode }) => [id, verCode]))
  }

  #best(rules: readonly LiveRule[], device: DeviceFacts & { slot: number }, now: Moment) {
    return bestRule(rules, device, now, (rule) => !this.state.isSpent(rule, device.slot))
  }

  #factsAt(slot: number, verCode: number | null) {
    const { slots, state } = this
    const facts = this.#facts
    facts.slot = slot
    facts.deviceId = slots.ids[slot]!
    facts.tenantId = slots.tenants[slot]!
    facts.modelId = slots.models[slot]!
    facts.enabled = (slots.flags[slot]! & FLAG.enabled) !== 0
    facts.modelInUse = state.models.get(facts.modelId)?.inUse === true
    facts.verCode = verCode
    return facts
  }
}
