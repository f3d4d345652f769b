import type pg from 'pg'
import { fileMsOf } from '../content.ts'
import type { AdBody, ProgramBody } from '../schema.ts'
import { InMemoryScreenTable } from '../screens/screen-table.ts'
import type { DeviceSlots, GroupMembers } from './ad-index.ts'
import { type ManifestSet, ManifestSets, type LiveAd, type LiveProgram } from './manifest.ts'

/** Number of slots assigned to sets before the event loop runs other work. */
const SLICE = 50_000
export const DEFAULT_VOLUME = 100
const DAY_MS = 86_400_000
/** A program is delivered to screens from this number of days before its first date. */
const DAYS_BEFORE = 30
const PLATFORM = 1

/** Assigns devices to the sets of their programs. */
export class SetAssignment {
  readonly sets: ManifestSets
  readonly table = new InMemoryScreenTable()
  readonly programs = new Map<number, TargetedProgram>()
  readonly groups = new Map<number, GroupMembers>()

  constructor(timeZone: string) {
    this.sets = new ManifestSets(timeZone, DEFAULT_VOLUME)
  }

  setOf(slot: number): ManifestSet {
    return this.sets.at(this.table.sets[slot] ?? 0)
  }

  grow(slots: DeviceSlots) {
    const before = this.table.sets.length
    this.table.reserve(slots.count)
    this.sets.at(0).screens += this.table.sets.length - before
  }

  move(slot: number, set: ManifestSet) {
    const before = this.setOf(slot)
    if (before === set) return
    before.screens -= 1
    set.screens += 1
    this.table.sets[slot] = set.number
  }

  assignSlot(slots: DeviceSlots, slot: number, candidates: readonly TargetedProgram[]) {
    const facts = this.#factsOf(slots, slot)
    const programs = candidates.flatMap((each) => (isProgramTarget(each, facts, this.groups) ? [each.id] : []))
    const { zone, volume } = this.setOf(slot)
    this.move(
      slot,
      this.sets.of(
        zone,
        volume,
        programs.toSorted((a, b) => a - b),
      ),
    )
  }

  /** Assigns all devices. Programs for models and tenants are chosen once for each tenant and model. */
  async assignAll(slots: DeviceSlots) {
    const direct = new Map<number, TargetedProgram[]>()
    const wide: TargetedProgram[] = []
    for (const program of this.programs.values()) {
      if (program.targetType !== PROGRAM_TARGET_CODE.devices) wide.push(program)
      else
        for (const id of program.targetIds) {
          const slot = slots.slotOf(id)
          if (slot >= 0) direct.set(slot, [...(direct.get(slot) ?? []), program])
        }
    }
    const groups = wide.filter(({ targetType }) => targetType === PROGRAM_TARGET_CODE.groups)
    const others = wide.filter(({ targetType }) => targetType !== PROGRAM_TARGET_CODE.groups)
    const byKind = new Map<number, TargetedProgram[]>()
    for (let from = 0; from < slots.count; from += SLICE) {
      for (let slot = from; slot < Math.min(slots.count, from + SLICE); slot++) {
        const kind = slots.tenants[slot]! * 1_000_000 + slots.models[slot]!
        let usual = byKind.get(kind)
        if (!usual)
          byKind.set(
            kind,
            (usual = others.filter((each) => isProgramTarget(each, this.#factsOf(slots, slot), this.groups))),
          )
        const own = direct.get(slot)
        if (usual.length === 0 && !own && groups.length === 0 && this.setOf(slot).programs.length === 0) continue
        this.assignSlot(slots, slot, [...usual, ...(own ?? []), ...groups])
      }
      await new Promise((done) => setImmediate(done))
    }
    this.sets.prune()
  }

  /** Adds a program to the sets of its targets and removes it from others. `undefined` removes the program. */
  async assign(slots: DeviceSlots, id: number, program: TargetedProgram | undefined) {
    const changed = new Map<number, ManifestSet>()
    for (let from = 0; from < slots.count; from += SLICE) {
      for (let slot = from; slot < Math.min(slots.count, from + SLICE); slot++) {
        const set = this.setOf(slot)
        const isMember = set.programs.includes(id)
        if (isMember === (program !== undefined && isProgramTarget(program, this.#factsOf(slots, slot), this.groups)))
          continue
        let next = changed.get(set.number)
        if (!next) {
          const programs = isMember ? set.programs.filter((each) => each !== id) : [...set.programs, id]
          next = this.sets.of(
            set.zone,
            set.volume,
            programs.toSorted((a, b) => a - b),
          )
          changed.set(set.number, next)
        }
        this.move(slot, next)
      }
      await new Promise((done) => setImmediate(done))
    }
    this.sets.prune()
  }

  /** Reused for all slots, so that assigning all devices allocates no object. */
  readonly #facts = { slot: 0, deviceId: 0, tenantId: 0, modelId: 0 }

  #factsOf(slots: DeviceSlots, slot: number) {
    const facts = this.#facts
    facts.slot = slot
    facts.deviceId = slots.ids[slot]!
    facts.tenantId = slots.tenants[slot]!
    facts.modelId = slots.models[slot]!
    return facts
  }
}

/** Codes of the kinds of targets of a program version. `all` is the target of default programs. */
export const PROGRAM_TARGET_CODE = { all: 0, devices: 1, groups: 2, models: 3, tenants: 4 } as const

export interface TargetedProgram extends LiveProgram {
  readonly tenantId: number
  readonly targetType: number
  readonly targetIds: ReadonlySet<number>
}

/** Members of groups by slot. */
type Groups = ReadonlyMap<number, { readonly members: { has(slot: number): boolean } }>

interface SlotFacts {
  readonly slot: number
  readonly deviceId: number
  readonly tenantId: number
  readonly modelId: number
}

/** True when a program is delivered to a device. */
function isProgramTarget(program: TargetedProgram, { slot, deviceId, tenantId, modelId }: SlotFacts, groups: Groups) {
  if (program.tenantId !== PLATFORM && program.tenantId !== tenantId) return false
  const { targetType, targetIds } = program
  if (targetType === PROGRAM_TARGET_CODE.devices) return targetIds.has(deviceId)
  if (targetType === PROGRAM_TARGET_CODE.models) return targetIds.has(modelId)
  if (targetType === PROGRAM_TARGET_CODE.tenants) return targetIds.has(tenantId)
  if (targetType === PROGRAM_TARGET_CODE.all) return true
  for (const id of targetIds) if (groups.get(id)?.members.has(slot)) return true
  return false
}

/** True while a program is delivered: from 30 days before its first date to two days after its last, in any zone. */
export function isDelivered({ body }: { readonly body: Pick<ProgramBody, 'dateFrom' | 'dateTo'> }, now: number) {
  const day = (days: number) => new Date(now + days * DAY_MS).toISOString().slice(0, 10)
  return body.dateFrom <= day(DAYS_BEFORE) && body.dateTo >= day(-2)
}

interface ProgramRow {
  readonly id: number
  readonly tenantId: number
  readonly targetType: number
  readonly targetIds: number[]
  readonly body: ProgramBody
}

/** Loads the programs in force: all programs, or the given programs. Paused, ended and deleted programs have no row. */
export async function loadPrograms(client: pg.Client, few?: readonly number[]): Promise<TargetedProgram[]> {
  const { rows } = await client.query<ProgramRow>(
    `select p.id, p.tenant_id as "tenantId", v.target_type as "targetType", v.target_ids as "targetIds", v.body
     from ad_programs p join ad_program_versions v on v.program_id = p.id and v.ver_no = p.published_ver
     where p.published_ver > 0 and p.status not in (4, 5) and p.deleted_at is null and v.state = 2
       and ($1::int[] is null or p.id = any($1))`,
    [few ?? null],
  )
  return rows.map(({ targetType, targetIds, ...row }) => {
    const targets = row.body.fallback > 0 ? { targetType: PROGRAM_TARGET_CODE.all } : { targetType }
    return { ...row, ...targets, targetIds: new Set(targetIds), json: JSON.stringify(row.body) }
  })
}

/** Loads the approved content of enabled ads. Omits the review data, which players must not receive. */
export async function loadAds(client: pg.Client, ids: readonly number[]): Promise<Map<number, LiveAd>> {
  if (ids.length === 0) return new Map()
  const { rows } = await client.query<{ id: number; body: AdBody }>(
    `select a.id, v.body from ads a join ad_versions v on v.ad_id = a.id and v.ver_no = a.approved_ver
     where a.id = any($1) and a.enable_stat = 1 and a.deleted_at is null and v.audit_status = 2`,
    [ids],
  )
  return new Map(
    rows.map(({ id, body: { review, ...body } }) => [
      id,
      { body, json: JSON.stringify(body), fileMs: fileMsOf(body.type, review?.durationMs) },
    ]),
  )
}

export const collectAdIds = (programs: Iterable<LiveProgram>) => [
  ...new Set([...programs].flatMap(({ body }) => body.items.map(({ adId }) => adId))),
]
