import { SMIL_PLAYER, formatPlayerFailure } from '@oms/contract/advertise/screen.ts'
import { type SQL, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { forEachIsolated } from '#core/jobs/isolated.ts'
import type { Services } from '#core/services.ts'
import { listAccountsWithPermission } from '#modules/account/index.ts'
import { sendMessage } from '#modules/system/index.ts'
import { HAS_SCREEN_CONDITION } from '../programs/program-targets.ts'

/**
 * Delivery states of a screen, derived from its last report and the manifest that it should have. `listed`: a SMIL
 * player has the current index, but OMS does not know that the player has every file of the index.
 */
export const DELIVERY_STATE = { waiting: 0, loading: 1, ready: 2, failed: 3, offline: 4, listed: 5 } as const
type DeliveryState = (typeof DELIVERY_STATE)[keyof typeof DELIVERY_STATE]

/** Number of poll intervals without a call after which a screen is offline. */
const SILENT_POLLS = 3
/** Maximum time between two status reports of a player. */
const STATUS_MS = 600_000

/** Tolerated delay of a report in milliseconds before the last report counts as outdated. */
const LATE_MS = 60_000
const JOB = 'ad-screen-failures'
const SCREEN = 'advertiseManage:ProgramList:screen'
/** Maximum number of screens that one message names. */
const MAX_NAMED = 10
/** Hours in which a screen that recovers and fails again is not announced again. */
const QUIET_HOURS = 6

interface ScreenFacts {
  readonly playerKind: number
  readonly appliedEtag: string
  /** ETag of the manifest that the screen should have. */
  readonly etag: string
  /**
   * Number of files that the player has. For a SMIL player, which does not report its files: the number of files that the
   * player downloaded, confirmed (304) or played.
   */
  readonly readyFiles: number
  readonly totalFiles: number
  readonly failed: { readonly length: number }
  /** Time of the last status; null: never. */
  readonly lastReportMs: number | null
}

/** True when the playing ad that a screen reported may have changed, because the next report is overdue. */
export const isPlayingStale = (reportedMs: number, now: number) => now - reportedMs > STATUS_MS + LATE_MS

/** Returns the delivery state. A screen that is ready stays ready while it is offline. */
export function computeDeliveryState(screen: ScreenFacts, now: number, pollSeconds: number): DeliveryState {
  const { playerKind, appliedEtag, etag, readyFiles, totalFiles, failed, lastReportMs } = screen
  const isCurrent = appliedEtag === etag && appliedEtag !== ''
  if (isCurrent && failed.length === 0 && readyFiles >= totalFiles) return DELIVERY_STATE.ready
  const silentMs = STATUS_MS + SILENT_POLLS * pollSeconds * 1000
  if (lastReportMs === null || now - lastReportMs > silentMs) return DELIVERY_STATE.offline
  if (failed.length > 0) return DELIVERY_STATE.failed
  if (playerKind === SMIL_PLAYER) return isCurrent ? DELIVERY_STATE.listed : DELIVERY_STATE.waiting
  return isCurrent || readyFiles < totalFiles ? DELIVERY_STATE.loading : DELIVERY_STATE.waiting
}

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
interface ScreenState extends StoredState {
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

interface FailingScreen extends Record<string, unknown> {
  readonly id: number
  readonly tenantId: number
  readonly sn: string
  readonly reason: string
}

/** Notifies each tenant of screens whose files began to fail. Returns the number of these screens. */
export async function notifyScreenFailures(services: Services, now: Date) {
  const { db } = services.database
  const at = now.toISOString()
  await db.execute(sql`update ad_screens set fail_notice_time = null
    where failed = '[]'::jsonb and fail_notice_time < ${at}::timestamptz - make_interval(hours => ${QUIET_HOURS})`)
  const { rows } = await db.execute<FailingScreen>(sql`
    select d.id, s.tenant_id as "tenantId", d.sn, s.failed->0->>'reason' as reason
    from ad_screens s join devices d on d.id = s.device_id
    where s.failed <> '[]'::jsonb and s.fail_notice_time is null and d.deleted_at is null order by d.id`)
  const tenants = [...Map.groupBy(rows, ({ tenantId }) => tenantId)]
  const isolation = { log: services.log, kind: JOB, name: ([tenantId]: (typeof tenants)[number]) => ({ tenantId }) }
  const { failed } = await forEachIsolated(tenants, isolation, async ([tenantId, screens]) => {
    const ids = screens.map(({ id }) => id)
    await db.execute(sql`update ad_screens set fail_notice_time = ${at}::timestamptz
      where device_id = any(${sql.param(ids)}::int[])`)
    await notifyTenant(services, tenantId, screens)
  })
  return { screens: rows.length, failedItems: failed.length }
}

async function notifyTenant(services: Services, tenantId: number, screens: readonly FailingScreen[]) {
  const { db } = services.database
  const lines = screens.slice(0, MAX_NAMED).map(({ sn, reason }) => `${sn}：${formatPlayerFailure(reason)}`)
  const more = screens.length > MAX_NAMED ? [`等 ${screens.length} 块屏幕`] : []
  await sendMessage(services, db, {
    topic: 'ad',
    title: `${screens.length} 块屏幕的广告文件下载或播放失败`,
    text: [...lines, ...more, '请在“广告管理 / 节目单 / 屏幕”中查看。'].join('\n'),
    uids: await listAccountsWithPermission(db, tenantId, SCREEN),
  })
}

/** Registers the job that notifies of screens with failed files. */
export function registerScreenFailures(services: Services) {
  const work = () => notifyScreenFailures(services, services.now())
  services.jobs.schedule(JOB, work, { title: '屏幕文件失败提醒', cron: '35 * * * * *' })
}
