import type { Manifest } from './manifest.ts'
import { type PlannedSlot, listSlotsBetween } from './playing.ts'
import type { ScreenState } from './program.ts'

/** A slot for players without the engine. */
export interface AgendaSlot {
  readonly start: number
  readonly ms: number
  readonly programId: number
  readonly verNo: number
  readonly itemId: number
  readonly adId: number
  readonly adVer: number
  /** True when the item that was shown before stays, and no play is counted. */
  readonly hold: boolean
}

/** Yields the slots that touch the interval. The idle picture is a gap between slots. */
export function* iterateAgenda(
  manifest: Manifest,
  from: number,
  to: number,
  state?: ScreenState,
): Generator<AgendaSlot> {
  for (const slot of listSlotsBetween(manifest, from, to, state)) {
    const found = agendaSlot(slot)
    if (found) yield found
  }
}

/** Returns null for the idle picture. */
function agendaSlot({ start, ms, program, item, ad, hold }: PlannedSlot): AgendaSlot | null {
  if (!program || !item || !ad) return null
  return { start, ms, programId: program.id, verNo: program.verNo, itemId: item.id, adId: ad.id, adVer: ad.verNo, hold }
}
