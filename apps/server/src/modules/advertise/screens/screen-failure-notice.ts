import { formatPlayerFailure } from '@oms/contract/advertise/screen.ts'
import { sql } from 'drizzle-orm'
import { forEachIsolated } from '#core/jobs/isolated.ts'
import type { Services } from '#core/services.ts'
import { listAccountsWithPermission } from '#modules/account/permission-holders.ts'
import { sendMessage } from '#modules/system/notices/send-message.ts'

const JOB = 'ad-screen-failures'
const SCREEN = 'advertiseManage:ProgramList:screen'
/** Maximum number of screens that one message names. */
const MAX_NAMED = 10
/** Hours in which a screen that recovers and fails again is not announced again. */
const QUIET_HOURS = 6

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
