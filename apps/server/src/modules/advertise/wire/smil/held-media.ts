import { SMIL_PLAYER } from '@oms/contract/advertise/screen.ts'
import type { ScreenStatus } from '../../screens/screen-status.ts'
import { readDeviceIds, type ScreenRequest } from '../screen-call.ts'

const MAX_KEPT = 100_000
/** Milliseconds after which the files of an unchanged index are stored again, in case a write was lost. */
const REPEAT_MS = 600_000

interface StoredList {
  readonly etag: string
  readonly at: number
}

/** Last index of each screen whose files were stored. A request every minute must not store the same files again. */
const storedLists = new WeakMap<ScreenStatus, Map<number, StoredList>>()

interface RequestedIndex {
  /** ETag of the index with the address of the screen. */
  readonly etag: string
  /** ETag of the manifest. */
  readonly appliedEtag: string
  readonly playerVersion: string
  readonly media: readonly string[]
}

/** Records that a player requested its index, and the files of the index. */
export function recordIndex(call: ScreenRequest, slot: number, { etag, media, ...report }: RequestedIndex) {
  const { status } = call.side.services.adDelivery
  const base = buildReport(call, slot)
  const isStored = checkStored(status, base.deviceId, { etag, at: call.now })
  status.take({ ...base, ...report, ...(!isStored && { media }) })
}

/** Records files that a player has. The status of a screen is written at most once a minute. */
export function recordMedia(call: ScreenRequest, slot: number, held: readonly string[]) {
  if (held.length > 0) call.side.services.adDelivery.status.take({ ...buildReport(call, slot), held })
}

function buildReport({ side, now }: ScreenRequest, slot: number) {
  const { deviceId, tenantId } = readDeviceIds(side, slot)
  // A device without a screen has no SMIL address.
  return { deviceId, tenantId, at: now, playerKind: SMIL_PLAYER, isScreen: true }
}

/** Returns true when the files of the index were stored recently. Otherwise marks them as stored and returns false. */
function checkStored(status: ScreenStatus, deviceId: number, list: StoredList): boolean {
  const lists = storedLists.get(status) ?? new Map<number, StoredList>()
  storedLists.set(status, lists)
  const known = lists.get(deviceId)
  if (known?.etag === list.etag && list.at - known.at < REPEAT_MS) return true
  if (lists.size >= MAX_KEPT) lists.clear()
  lists.set(deviceId, list)
  return false
}
