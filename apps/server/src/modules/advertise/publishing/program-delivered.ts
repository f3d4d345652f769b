import { PROGRAM_STATUS } from '@oms/contract/advertise/program-words.ts'
import { and, eq, gt, isNull, ne, sql } from 'drizzle-orm'
import type { Services } from '#core/services.ts'
import { DELIVERY_STATE, computeDeliveryState } from '../screens/delivery-state.ts'
import { adPrograms } from '../schema.ts'
import { adScreens } from '../schema-screen.ts'
import { publishProgramChanged } from '../programs/program-save.ts'

const HEARD_MS = 3_600_000
/** Percentage of the recently reporting screens that must have the version. */
const DELIVERED_PERCENT = 99

interface Pending {
  readonly id: number
  readonly tenantId: number
  readonly ver: number
  /** Number of screens that reported recently. `ready`: those of them that have the version and all files. */
  heard: number
  ready: number
}

/**
 * Marks each program as delivered whose version in force nearly all of its screens have. Returns the number of these
 * programs.
 */
export async function markDelivered(services: Services, now: Date): Promise<number> {
  const { db } = services.database
  const pending = await pendingPrograms(services)
  if (pending.size === 0) return 0
  await countReady(services, pending, now)
  const delivered = [...pending.values()].filter(
    ({ heard, ready }) => heard > 0 && ready * 100 >= heard * DELIVERED_PERCENT,
  )
  for (const { id, tenantId, ver } of delivered) {
    await db
      .update(adPrograms)
      .set({ deliveredVer: ver })
      .where(and(eq(adPrograms.id, id), eq(adPrograms.publishedVer, ver)))
    await publishProgramChanged({ services, db }, tenantId)
  }
  return delivered.length
}

/** Returns the published programs that are not delivered yet and that the ad index of this process has loaded. */
async function pendingPrograms({ database, fleet, adDelivery }: Services) {
  const rows = await database.db
    .select({ id: adPrograms.id, tenantId: adPrograms.tenantId, ver: adPrograms.publishedVer })
    .from(adPrograms)
    .where(
      and(
        isNull(adPrograms.deletedAt),
        eq(adPrograms.status, PROGRAM_STATUS.delivering),
        gt(adPrograms.publishedVer, 0),
        ne(adPrograms.deliveredVer, adPrograms.publishedVer),
      ),
    )
  if (rows.length > 0) await fleet.ready()
  const { programs } = adDelivery.index
  const loaded = rows.filter(({ id, ver }) => programs.get(id)?.body.verNo === ver)
  return new Map<number, Pending>(loaded.map((row) => [row.id, { ...row, heard: 0, ready: 0 }]))
}

async function countReady({ database, fleet, adDelivery, config }: Services, pending: Map<number, Pending>, now: Date) {
  const heardAfter = new Date(now.getTime() - HEARD_MS).toISOString()
  const screens = await database.db
    .select({
      deviceId: adScreens.deviceId,
      playerKind: adScreens.playerKind,
      appliedEtag: adScreens.appliedEtag,
      readyFiles: adScreens.readyFiles,
      totalFiles: adScreens.totalFiles,
      failed: adScreens.failed,
      lastReportMs: sql<number>`extract(epoch from ${adScreens.lastReportTime})::float8 * 1000`,
    })
    .from(adScreens)
    .where(gt(adScreens.lastReportTime, heardAfter))
  for (const { deviceId, ...screen } of screens) {
    const slot = fleet.slots.slotOf(deviceId)
    const own = slot < 0 ? [] : adDelivery.index.setOf(slot).programs.flatMap((id) => pending.get(id) ?? [])
    if (own.length === 0) continue
    const { etag, left } = adDelivery.index.manifestOf(slot)
    const isReady =
      computeDeliveryState({ ...screen, etag }, now.getTime(), config.ads.pollSeconds) === DELIVERY_STATE.ready
    for (const program of own) {
      program.heard += 1
      if (isReady && !left.includes(program.id)) program.ready += 1
    }
  }
}
