import type { ProgramItemView } from '@oms/contract/advertise/program.ts'
import type { OfferedAdRow } from '@oms/contract/advertise/program-options.ts'
import { MAX_PROGRAM_ITEMS } from '@oms/contract/advertise/program-words.ts'

/** An item of the track. `key` identifies the row in the editor; new items have the id 0 until they are saved. */
export interface TrackItem extends Omit<ProgramItemView, 'startDt' | 'endDt'> {
  readonly key: string
  readonly startDt?: string | null
  readonly endDt?: string | null
}

let made = 0
const newKey = () => `n${Date.now().toString(36)}${(made += 1)}`

/** Returns the stored items with keys for the editor. */
export const buildTrackItems = (items: readonly ProgramItemView[]): TrackItem[] =>
  items.map((item) => ({ ...item, key: `i${item.itemId}` }))

/** Returns a new item of an ad. */
export const createTrackItem = ({
  id,
  adName,
  adType,
  orientation,
  duration,
  thumbUrl,
  codec,
  validTo,
}: OfferedAdRow): TrackItem => ({
  adName,
  adType,
  orientation,
  duration,
  thumbUrl,
  codec,
  validTo,
  key: newKey(),
  itemId: 0,
  adId: id,
  weight: 1,
  maxPlaysPerHour: 0,
  transition: 0,
  approvedVer: 1,
  enableStat: 1,
})

/** Inserts an item at an index. Returns the same list when the track is full. */
export function insertItem(items: readonly TrackItem[], at: number, item: TrackItem): readonly TrackItem[] {
  return items.length >= MAX_PROGRAM_ITEMS ? items : items.toSpliced(at, 0, item)
}

/** Moves an item to the place before the item that is at `to` now. `to` may be the length of the list. */
export function moveItem(items: readonly TrackItem[], from: number, to: number): readonly TrackItem[] {
  const item = items[from]
  if (!item || to === from || to === from + 1) return items
  const rest = items.toSpliced(from, 1)
  return rest.toSpliced(to > from ? to - 1 : to, 0, item)
}

/** Inserts a copy of an item after the item. The copy is a new item. */
export function copyItem(items: readonly TrackItem[], at: number): readonly TrackItem[] {
  const item = items[at]
  return item ? insertItem(items, at + 1, { ...item, key: newKey(), itemId: 0 }) : items
}

/** Seconds of all items. */
export const sumSeconds = (items: readonly Pick<TrackItem, 'duration'>[]): number =>
  items.reduce((sum, { duration }) => sum + (duration || 0), 0)

/** Returns how often the whole track plays in an hour when nothing else plays. */
export const countRoundsPerHour = (seconds: number): number => (seconds > 0 ? Math.floor(3600 / seconds) : 0)
