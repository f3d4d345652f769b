import type { Manifest } from '@oms/contract/advertise/engine/manifest.ts'
import type { PlannedSlot } from '@oms/contract/advertise/engine/playing.ts'
import { type SmilSequence, iterateSmilPlan } from '@oms/contract/advertise/engine/smil.ts'
import { runInSlices } from '#core/process/run-in-slices.ts'

/**
 * Returns the sequences for 2 to 14 days, beginning with the segment that contains `from`. A gap between sequences
 * shows the idle picture.
 */
export const computeSmilSchedule = async (manifest: Manifest, from: number): Promise<SmilSequence[]> =>
  (await runInSlices(iterateSmilPlan(manifest, from))).sequences
    .map((sequence) => ({ ...sequence, slots: joinHolds(sequence.slots) }))
    .filter(({ slots }) => slots.length > 0)

/**
 * Adds each hold to the slot before the hold. During a hold the screen keeps its content and nothing else plays. A hold
 * at the beginning stays: it continues the content from before the sequence.
 */
function joinHolds(slots: readonly PlannedSlot[]): PlannedSlot[] {
  const joined: PlannedSlot[] = []
  for (const slot of slots) {
    const before = joined.at(-1)
    if (!slot.hold || !before) joined.push(slot)
    else joined[joined.length - 1] = { ...before, ms: before.ms + slot.ms }
  }
  return joined
}
