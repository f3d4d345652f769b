import { listSlotsBetween } from '@oms/contract/advertise/engine/playing.ts'
import type { ScreenState } from '@oms/contract/advertise/engine/program.ts'
import type { PlayerManifest } from '../wire.ts'

/** Returns for how many milliseconds between two instants a screen with this manifest and state shows ads. */
export function computeShownMs(manifest: PlayerManifest, from: number, to: number, state: ScreenState): number {
  let shown = 0
  for (const { ad, start, ms } of listSlotsBetween({ ...manifest }, from, to, state))
    if (ad) shown += Math.max(0, Math.min(to, start + ms) - Math.max(from, start))
  return shown
}
