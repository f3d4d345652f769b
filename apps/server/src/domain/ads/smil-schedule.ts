import type { Manifest } from '@oms/contract/ad-engine/manifest.ts'
import type { PlannedSlot } from '@oms/contract/ad-engine/playing.ts'
import { type SmilSequence, smilPlanSteps } from '@oms/contract/ad-engine/smil.ts'
import { runInSlices } from '#core/process/run-in-slices.ts'

/**
 * Returns the sequences from the segment of an instant on, for 2 to 14 days. The idle picture is a gap between them.
 */
export const smilSchedule = async (manifest: Manifest, from: number): Promise<SmilSequence[]> =>
  (await runInSlices(smilPlanSteps(manifest, from))).sequences
    .map((sequence) => ({ ...sequence, slots: joinHolds(sequence.slots) }))
    .filter(({ slots }) => slots.length > 0)

/** A hold lengthens the previous slot. A hold at the beginning shows what was shown before the sequence. */
function joinHolds(slots: readonly PlannedSlot[]): PlannedSlot[] {
  const joined: PlannedSlot[] = []
  for (const slot of slots) {
    const before = joined.at(-1)
    if (!slot.hold || !before) joined.push(slot)
    else joined[joined.length - 1] = { ...before, ms: before.ms + slot.ms }
  }
  return joined
}
