import type { DeviceSlots, GroupMembers } from './ad-index.ts'
import { isProgramTarget, PROGRAM_TARGET_CODE, type TargetedProgram } from './live-programs.ts'
import { type ManifestSet, ManifestSets } from './manifest-set.ts'
import { InMemoryScreenTable } from '../screens/screen-table.ts'

/** Number of slots assigned to sets before the event loop runs other work. */
const SLICE = 50_000
export const DEFAULT_VOLUME = 100

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
