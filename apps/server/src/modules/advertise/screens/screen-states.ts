import { type SQL, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import type { Services } from '#core/services.ts'
import { type DeliveryState, computeDeliveryState } from './delivery-state.ts'
import { HAS_SCREEN_CONDITION } from '../targets.ts'

interface StoredState {
  readonly id: number
  readonly playerKind: number
  readonly appliedEtag: string
  readonly readyFiles: number
  readonly totalFiles: number
  readonly failed: { reason: string }[]
  readonly lastReportMs: number | null
}

/** A screen with the delivery state of its manifest. */
export interface ScreenState extends StoredState {
  readonly state: DeliveryState
}

/**
 * Returns the delivery states of the screens that match a condition on `devices`, in the order of their ids. One
 * statement; the ETag that a screen should have comes from the ad index in memory.
 */
export async function readScreenStates(
  { fleet, adDelivery, config }: Pick<Services, 'fleet' | 'adDelivery' | 'config'>,
  db: Db,
  where: SQL,
  now: Date,
): Promise<ScreenState[]> {
  const { rows } = await db.execute<StoredState & Record<string, unknown>>(sql`
    select devices.id, s.player_kind as "playerKind", s.applied_etag as "appliedEtag", s.ready_files as "readyFiles",
      s.total_files as "totalFiles", s.failed, extract(epoch from s.last_report_time)::float8 * 1000 as "lastReportMs"
    from devices join ad_screens s on s.device_id = devices.id where ${where} and ${HAS_SCREEN_CONDITION} order by devices.id`)
  await fleet.ready()
  return rows.map((row) => {
    const slot = fleet.slots.slotOf(row.id)
    const etag = slot < 0 ? row.appliedEtag : adDelivery.index.manifestOf(slot).etag
    return { ...row, state: computeDeliveryState({ ...row, etag }, now.getTime(), config.ads.pollSeconds) }
  })
}

/** Counts states in ascending order. */
export const countStates = (states: readonly { state: number }[]) =>
  [...Map.groupBy(states, ({ state }) => state)]
    .map(([state, list]) => ({ state, count: list.length }))
    .sort((a, b) => a.state - b.state)
