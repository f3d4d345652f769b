import { TASK } from '@oms/contract/ota-task.ts'
import { TWO_PERSON_ABOVE } from '@oms/contract/upgrade-release.ts'
import { and, eq, isNull, type SQL, sql } from 'drizzle-orm'
import type { Db } from '#db/client.ts'
import { devices } from '#db/schema/device.ts'
import { otaPolicies, otaStages, otaTasks } from '#db/schema/upgrade.ts'
import { alive, PLATFORM_TENANT_ID } from '#kernel/tenancy.ts'

/** What of a version says which devices it is made for. */
export interface MadeFor {
  readonly otaId: number
  readonly tenantId: number
  readonly modelId: number
  readonly packageName: string
  readonly verCode: number
}

/** The devices a version is made for: of its model, and of its tenant unless it is the vendor's own. */
export const withinReach = ({ tenantId, modelId }: Pick<MadeFor, 'tenantId' | 'modelId'>): SQL | undefined =>
  and(
    alive(devices),
    eq(devices.modelId, modelId),
    tenantId === PLATFORM_TENANT_ID ? undefined : eq(devices.tenantId, tenantId),
  )

/** Who changes a release, and whether a second person is asked for. */
export interface Changer {
  readonly uid: number
  readonly now: Date
  readonly twoPerson: 'auto' | 'on' | 'off'
}

/**
 * Begins the release of a version that was just enabled: a test release, for its white list only. Enabled again it begins
 * anew; devices whose task was cancelled may be offered it again, those where it failed only when somebody says so.
 */
export async function openRelease(db: Db, { otaId, tenantId }: MadeFor, changer: Changer) {
  const time = changer.now.toISOString()
  const who = { createBy: changer.uid, createTime: time, updateBy: changer.uid, updateTime: time }
  await db.delete(otaStages).where(eq(otaStages.otaId, otaId))
  await db.delete(otaPolicies).where(eq(otaPolicies.otaId, otaId))
  await db.insert(otaPolicies).values({ otaId, tenantId, ...who })
  await db
    .update(otaTasks)
    .set({ retried: true })
    .where(and(eq(otaTasks.otaId, otaId), eq(otaTasks.state, TASK.cancelled), eq(otaTasks.retried, false)))
  await holdLargeWhiteList(db, otaId, changer)
}

/**
 * A white list of more devices than one person may release to pauses the release: it goes on when a second person says
 * so. Else a list of everybody would be a way around approval. Answers whether it did.
 */
export async function holdLargeWhiteList(db: Db, otaId: number, { uid, now, twoPerson }: Changer): Promise<boolean> {
  if (twoPerson === 'off') return false
  const few = sql`(select count(*) from (select from ota_whites where ota_id = ${otaId} limit ${TWO_PERSON_ABOVE + 1}) w)`
  const { rowCount } = await db.execute(sql`
    update ota_policies set state = ${PAUSED}, state_reason = ${LARGE_WHITE_LIST}, submit_by = ${uid},
      submit_time = ${now.toISOString()}, audit_by = null, audit_time = null, audit_remark = '', rev = rev + 1,
      update_by = ${uid}, update_time = ${now.toISOString()}
    where ota_id = ${otaId} and state in (0, 1, 2) and ${few} > ${TWO_PERSON_ABOVE}`)
  return (rowCount ?? 0) > 0
}
const PAUSED = 3
/** Why a release waits for a second person to continue it. */
export const LARGE_WHITE_LIST = `白名单超过 ${TWO_PERSON_ABOVE} 台，须由另一人核对后继续`

/** What a cancellation did: those never fetched are closed, the others wait for their device's answer. */
export interface Cancelled {
  readonly cancelled: number
  readonly cancelling: number
}

/** Cancels the open tasks that match, in one statement; devices hear of it at their next poll. */
export async function cancelTasks(db: Db, which: SQL, reason: string): Promise<Cancelled> {
  const open = and(which, isNull(otaTasks.closeTime), sql`${otaTasks.state} <> ${TASK.cancelling}`)
  const unfetched = sql.raw(`state in (${TASK.offered}, ${TASK.confirming})`)
  const { rows } = await db.execute<{ closed: number; asked: number }>(sql`
    with changed as (
      update ota_tasks set update_time = now(), reason = ${reason}, close_time = case when ${unfetched} then now() end,
        state = case when ${unfetched} then ${sql.raw(`${TASK.cancelled} else ${TASK.cancelling}`)} end
      where ${open} returning task_id, state
    ), said as (
      insert into ota_task_logs (task_id, state, details) select task_id, state, array[${reason}]::text[] from changed
    )
    select count(*) filter (where state = ${TASK.cancelled})::int as closed,
      count(*) filter (where state = ${TASK.cancelling})::int as asked from changed`)
  const { closed = 0, asked = 0 } = rows[0] ?? {}
  return { cancelled: closed, cancelling: asked }
}

/** Ends the release of a version that was disabled: nobody gets it any more, and says who has it already. */
export async function recallRelease(db: Db, version: MadeFor, uid: number, now: Date) {
  const { otaId } = version
  await db
    .update(otaPolicies)
    .set({ state: 4, stateReason: '版本已停用', updateBy: uid, updateTime: now.toISOString(), rev: sql`rev + 1` })
    .where(eq(otaPolicies.otaId, otaId))
  const tasks = await cancelTasks(db, eq(otaTasks.otaId, otaId), '版本已停用')
  return { ...tasks, installed: await installedOf(db, version) }
}

/** How many devices report this very version as what they run. */
export async function installedOf(db: Db, version: MadeFor) {
  const runsIt = version.packageName
    ? sql`exists (select from device_packages p where p.device_id = ${devices.id}
        and p.package_name = ${version.packageName} and p.ver_code = ${version.verCode})`
    : eq(devices.verCode, version.verCode)
  return db.$count(devices, and(withinReach(version), runsIt))
}

/** What a recall did, for the person who ordered it; empty when there was nothing to undo. */
export function recallInWords({ cancelled, cancelling, installed }: Cancelled & { readonly installed: number }) {
  const said = [
    cancelled + cancelling > 0 ? `已取消 ${cancelled + cancelling} 个升级任务` : '',
    cancelling > 0 ? `其中 ${cancelling} 个等待设备响应` : '',
    installed > 0 ? `${installed} 台设备已安装该版本，不受影响` : '',
  ]
  return said.filter(Boolean).join('，')
}
