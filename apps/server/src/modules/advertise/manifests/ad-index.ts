import type pg from 'pg'
import { changedSince, copyRows } from '#core/database/statements/rows.ts'
import type { Events, Topics } from '#core/events/events.ts'
import { type LiveAd, type ManifestSet, type RenderedManifest, renderManifest } from './manifest.ts'
import {
  collectAdIds,
  isDelivered,
  loadAds,
  loadPrograms,
  PROGRAM_TARGET_CODE,
  type TargetedProgram,
  DEFAULT_VOLUME,
  SetAssignment,
} from './set-assignment.ts'

/** Number of changed devices above which all devices are assigned in one pass. */
const MAX_SINGLE_ASSIGNMENTS = 50_000
const DYNAMIC_GROUPS_MS = 60_000
const HOUR_MS = 3_600_000

/** Columns of the fleet index by slot. */
export interface DeviceSlots {
  readonly count: number
  readonly ids: Int32Array
  readonly tenants: Int32Array
  readonly models: Int32Array
  slotOf(deviceId: number): number
}

export interface GroupMembers {
  readonly isDynamic: boolean
  readonly members: { has(slot: number): boolean }
}

interface Parts {
  readonly events: Pick<Events, 'on' | 'onReconnect'>
  readonly timeZone: string
  /** Download window and rate limit of the players, equal in all manifests. */
  readonly download: object
  /** Returns the members of a group as slots of the fleet index. */
  readonly readGroup: (client: pg.Client, id: number) => Promise<GroupMembers>
}

interface ScreenFacts {
  readonly token: string
  readonly key: string
  readonly zone: string
  readonly volume: number
  /** Pixels; 0: unknown. Used for SMIL players. */
  readonly width: number
  readonly height: number
}

const SCREENS = `select device_id, player_token_hash, smil_key_hash, time_zone, volume, width, height from ad_screens`
const NO_SCREEN: ScreenFacts = { token: '', key: '', zone: '', volume: DEFAULT_VOLUME, width: 0, height: 0 }

/**
 * In-memory copy of what screens play: the programs in force, their approved ads, and the number of the manifest set of
 * each device. Loaded and updated together with the fleet index.
 */
export class AdIndex {
  readonly #parts: Parts
  readonly #changes: AdChanges
  readonly #assignment: SetAssignment
  readonly #ads = new Map<number, LiveAd>()
  #groupsAt = 0
  #hour = 0
  /** Slots whose screen changed and whose player has not requested the new manifest yet. */
  readonly changedScreens = new Set<number>()

  constructor(parts: Parts) {
    this.#parts = parts
    this.#assignment = new SetAssignment(parts.timeZone)
    this.#changes = new AdChanges(parts.events)
  }

  /** Bytes of the columns by slot. */
  get bytes() {
    return this.#assignment.table.bytes
  }

  get setCount() {
    return this.#assignment.sets.count
  }

  get programs(): ReadonlyMap<number, TargetedProgram> {
    return this.#assignment.programs
  }

  setOf(slot: number): ManifestSet {
    return this.#assignment.setOf(slot)
  }

  /** Returns the manifest of a device. Renders at the first call after a change. */
  manifestOf(slot: number): RenderedManifest {
    return this.render(this.setOf(slot))
  }

  render(set: ManifestSet): RenderedManifest {
    return (set.rendered ??= renderManifest(set, {
      programs: this.programs,
      ads: this.#ads,
      download: this.#parts.download,
    }))
  }

  /** Returns the ETags of the present manifests that contain a program. */
  listEtagsOfProgram(programId: number): string[] {
    const sets = [...this.#assignment.sets.values()].filter(({ programs }) => programs.includes(programId))
    return sets.map((set) => this.render(set)).flatMap(({ etag, left }) => (left.includes(programId) ? [] : [etag]))
  }

  hasToken(slot: number, token: string) {
    return this.#assignment.table.hasToken(slot, token)
  }

  /** True when the device is in the list of screens. */
  hasScreen(slot: number) {
    return this.#assignment.table.hasScreen(slot)
  }

  slotOfSmilKey(key: string) {
    return this.#assignment.table.slotOfSmilKey(key)
  }

  /** Returns the size in pixels for which the SMIL index of a screen is rendered. */
  smilSizeOf(slot: number) {
    return this.#assignment.table.smilSizeOf(slot)
  }

  /** Loads all programs, ads and screens. The caller has loaded the devices into `slots`. */
  async load(client: pg.Client, slots: DeviceSlots) {
    this.#changes.takeAll()
    await this.#loadAll(client, slots)
  }

  /** Loads what changed since the last call. */
  async follow(client: pg.Client, slots: DeviceSlots, since: string) {
    const marks = this.#changes.takeAll()
    try {
      this.#assignment.grow(slots)
      if (marks.everything) return await this.#loadAll(client, slots)
      if (marks.screens.size > 0) await this.#followScreens(client, slots, [...marks.screens])
      if (marks.devices) await this.#followDevices(client, slots, since)
      const hour = Math.floor(Date.now() / HOUR_MS)
      if (hour !== this.#hour) await this.#replacePrograms(client, slots)
      else if (marks.programs.size > 0) await this.#replacePrograms(client, slots, [...marks.programs])
      this.#hour = hour
      if (marks.ads.size > 0) await this.#replaceAds(client, marks.ads)
      if (marks.groups || this.#areGroupsDue()) await this.#followGroups(client, slots)
      this.#assignment.sets.prune()
    } catch (error) {
      this.#changes.markAll()
      throw error
    }
  }

  /** Reloads everything into the present columns, so that no screen gets an empty manifest during the load. */
  async #loadAll(client: pg.Client, slots: DeviceSlots) {
    const { programs } = this.#assignment
    this.#assignment.grow(slots)
    const known = new Set<number>()
    await copyRows(client, SCREENS, ([id, token, key, zone, volume, width, height]) => {
      const slot = slots.slotOf(Number(id))
      if (slot < 0) return
      known.add(slot)
      const numbers = { volume: Number(volume), width: Number(width), height: Number(height) }
      this.#putScreen(slot, { token: token ?? '', key: key ?? '', zone: zone ?? '', ...numbers })
    })
    for (let slot = 0; slot < slots.count; slot++) if (!known.has(slot)) this.#putScreen(slot, NO_SCREEN)
    const delivered = (await loadPrograms(client)).filter((program) => isDelivered(program, Date.now()))
    const ads = await loadAds(client, collectAdIds(delivered))
    programs.clear()
    this.#ads.clear()
    for (const program of delivered) programs.set(program.id, program)
    for (const [id, ad] of ads) this.#ads.set(id, ad)
    this.#assignment.groups.clear()
    await this.#loadGroups(client)
    await this.#assignment.assignAll(slots)
    this.#assignment.sets.markStale(new Set(programs.keys()))
    this.#hour = Math.floor(Date.now() / HOUR_MS)
  }

  #areGroupsDue() {
    const hasDynamic = [...this.#assignment.groups.values()].some(({ isDynamic }) => isDynamic)
    return hasDynamic && Date.now() - this.#groupsAt > DYNAMIC_GROUPS_MS
  }

  /** Loads the members of the groups that programs target and that are not in memory. */
  async #loadGroups(client: pg.Client) {
    const { groups } = this.#assignment
    const used = new Set<number>()
    for (const { targetType, targetIds } of this.programs.values())
      if (targetType === PROGRAM_TARGET_CODE.groups) for (const id of targetIds) used.add(id)
    for (const id of groups.keys()) if (!used.has(id)) groups.delete(id)
    for (const id of used) if (!groups.has(id)) groups.set(id, await this.#parts.readGroup(client, id))
    this.#groupsAt = Date.now()
  }

  async #followGroups(client: pg.Client, slots: DeviceSlots) {
    const { groups } = this.#assignment
    for (const id of groups.keys()) groups.set(id, await this.#parts.readGroup(client, id))
    this.#groupsAt = Date.now()
    for (const program of this.programs.values())
      if (program.targetType === PROGRAM_TARGET_CODE.groups) await this.#assignment.assign(slots, program.id, program)
  }

  async #followScreens(client: pg.Client, slots: DeviceSlots, ids: readonly number[]) {
    const { rows } = await client.query<ScreenFacts & { id: number }>(
      `select device_id as id, player_token_hash as token, smil_key_hash as key, time_zone as zone, volume,
         width, height
       from ad_screens where device_id = any($1)`,
      [ids],
    )
    const byId = new Map(rows.map((row) => [row.id, row]))
    for (const id of ids) {
      const slot = slots.slotOf(id)
      if (slot < 0) continue
      this.#putScreen(slot, byId.get(id) ?? NO_SCREEN)
      this.changedScreens.add(slot)
    }
  }

  #putScreen(slot: number, facts: ScreenFacts) {
    const { token, key, zone, volume, width, height } = facts
    const { table, sets } = this.#assignment
    table.setScreen(slot, facts !== NO_SCREEN)
    table.setToken(slot, token)
    table.setSmilScreen(slot, key, { width, height })
    this.#assignment.move(slot, sets.of(zone || this.#parts.timeZone, volume, this.setOf(slot).programs))
  }

  /** Assigns the devices that changed since a snapshot. Their tenant or model may have changed. */
  async #followDevices(client: pg.Client, slots: DeviceSlots, since: string) {
    const { rows } = await client.query<{ id: number }>(
      `select id from devices where ${changedSince(since)} limit ${MAX_SINGLE_ASSIGNMENTS + 1}`,
    )
    if (rows.length > MAX_SINGLE_ASSIGNMENTS) return this.#assignment.assignAll(slots)
    for (const { id } of rows) {
      const slot = slots.slotOf(id)
      if (slot >= 0) this.#assignment.assignSlot(slots, slot, [...this.programs.values()])
    }
  }

  async #replacePrograms(client: pg.Client, slots: DeviceSlots, few?: readonly number[]) {
    const { programs } = this.#assignment
    const rows = (await loadPrograms(client, few)).filter((program) => isDelivered(program, Date.now()))
    const loaded = new Map(rows.map((each) => [each.id, each]))
    const ids = few ?? [...new Set([...loaded.keys(), ...programs.keys()])]
    const before = new Map(ids.map((id) => [id, programs.get(id)]))
    const isMoved = (id: number) => !sameTargets(loaded.get(id), before.get(id))
    const changed = ids.filter((id) => loaded.get(id)?.json !== before.get(id)?.json || isMoved(id))
    if (changed.length === 0) return
    const unknown = collectAdIds(changed.flatMap((id) => loaded.get(id) ?? [])).filter((id) => !this.#ads.has(id))
    for (const [id, ad] of await loadAds(client, unknown)) this.#ads.set(id, ad)
    for (const id of changed) {
      const program = loaded.get(id)
      if (program) programs.set(id, program)
      else programs.delete(id)
    }
    await this.#loadGroups(client)
    for (const id of changed.filter(isMoved)) await this.#assignment.assign(slots, id, loaded.get(id))
    this.#assignment.sets.markStale(new Set(changed))
    const used = new Set(collectAdIds(programs.values()))
    for (const id of this.#ads.keys()) if (!used.has(id)) this.#ads.delete(id)
  }

  async #replaceAds(client: pg.Client, changed: ReadonlySet<number>) {
    const users = [...this.programs.values()].filter(({ body }) => body.items.some(({ adId }) => changed.has(adId)))
    const used = collectAdIds(users).filter((id) => changed.has(id))
    const loaded = await loadAds(client, used)
    for (const id of used) {
      const ad = loaded.get(id)
      if (ad) this.#ads.set(id, ad)
      else this.#ads.delete(id)
    }
    this.#assignment.sets.markStale(new Set(users.map(({ id }) => id)))
  }
}

function sameTargets(a: TargetedProgram | undefined, b: TargetedProgram | undefined) {
  if (!a || !b) return a === b
  return a.targetType === b.targetType && [...a.targetIds].join() === [...b.targetIds].join()
}

/** Published changes of the rows that manifests depend on. */
class Marks {
  everything = false
  devices = false
  groups = false
  readonly programs = new Set<number>()
  readonly ads = new Set<number>()
  readonly screens = new Set<number>()

  take({ table, lists, devices }: Topics['fleet']) {
    if (table === 'devices') this.devices = true
    else if (table === 'device_groups' || table === 'device_group_members') this.groups = true
    else if (table === 'ad_programs') for (const id of lists ?? []) this.programs.add(id)
    else if (table === 'ads') for (const id of lists ?? []) this.ads.add(id)
    else if (table === 'ad_screens') for (const id of devices ?? []) this.screens.add(id)
  }
}

/** Collects the changes that the ad index has not loaded yet. */
class AdChanges {
  #marks = new Marks()

  constructor(events: Pick<Events, 'on' | 'onReconnect'>) {
    events.on('fleet', (change) => this.#marks.take(change))
    events.onReconnect(() => this.markAll())
  }

  /** Returns the collected changes and starts a new collection. */
  takeAll(): Marks {
    const marks = this.#marks
    this.#marks = new Marks()
    return marks
  }

  /** Marks all rows as changed, so that the next load reads everything. */
  markAll() {
    this.#marks.everything = true
  }
}
