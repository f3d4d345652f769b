import { programs } from '@oms/contract/advertise/program.ts'
import { programPublish } from '@oms/contract/advertise/program-publish.ts'
import { sql } from 'drizzle-orm'
import { type Actor, runAsActor, createPlatformUser } from '#core/auth/system-actor.ts'
import type { Db } from '#core/database/client.ts'
import type { Services } from '#core/services.ts'
import { addDays, formatLocalDay } from '#core/time/zone.ts'
import { reviewProgram, publishProgramVersion } from '#modules/advertise/programs/program-publish.ts'
import { createProgram } from '#modules/advertise/programs/program-save.ts'
import { countTargetScreens } from '#modules/advertise/programs/program-targets.ts'

const ALL = 127
const WEEKDAYS = 31
const WEEKEND = 96
const FRIDAY = 16
const DEFAULT = 1
const TAKEOVER = 1
const ONCE = 2
const DAYS_AHEAD = 50
/** Age of the published demo programs in days. */
const DAYS_PUBLISHED = 40
/** Program that was published a moment ago, so that its screens still fetch it. */
const NEWEST = '整点问候'

interface Plan {
  readonly programName: string
  readonly description: string
  /** Advertisers of `ad-list.ts` with the number of their ads. */
  readonly ads: Readonly<Record<string, number>>
  readonly fields?: object
  /** False: stays a draft. */
  readonly isPublished?: false
}

const PLANS: readonly Plan[] = [
  {
    programName: '默认节目单',
    description: '没有其他节目单时播放',
    ads: { 向阳公益: 3 },
    fields: { isDefault: DEFAULT },
  },
  {
    programName: '早餐时段',
    description: '工作日早餐，优先于全天轮播',
    ads: { 春风茶饮: 2, 老城糕点: 1 },
    fields: { priority: 5, weekdays: WEEKDAYS, dayParts: [{ start: '06:30', end: '10:00' }] },
  },
  {
    programName: '全天轮播',
    description: '各门店日常内容',
    ads: { 青禾超市: 2, 蓝湾地产: 1, 华音乐器: 2, 云上航空: 1 },
    fields: { playMode: 3 },
  },
  {
    programName: '云上航空 20%',
    description: '份额售卖',
    ads: { 云上航空: 2 },
    fields: { shareOfVoice: 20, priority: 5 },
  },
  {
    programName: '青禾超市 10%',
    description: '份额售卖',
    ads: { 青禾超市: 1 },
    fields: { shareOfVoice: 10, priority: 5 },
  },
  {
    programName: '周五夜场',
    description: '周五晚上到周六凌晨',
    ads: { 星河影城: 2 },
    fields: { priority: 6, weekdays: FRIDAY, dayParts: [{ start: '22:00', end: '02:00' }] },
  },
  {
    programName: '周末家庭',
    description: '周末全天',
    ads: { 华音乐器: 2, 星河影城: 1 },
    fields: { priority: 4, weekdays: WEEKEND },
  },
  {
    programName: NEWEST,
    description: '每天 12:00 插播一次',
    ads: { 春风茶饮: 1 },
    fields: { insertMode: ONCE, priority: 7, dayParts: [{ start: '12:00', end: '12:05' }] },
  },
  {
    programName: '双十二预热',
    description: '份额合计超过 100%，发布前须处理冲突',
    ads: { 蓝湾地产: 2 },
    fields: { shareOfVoice: 80, priority: 5, weekdays: ALL },
    isPublished: false,
  },
]

/**
 * Creates programs of the vendor and publishes all but one. The first administrator approves them. All screens except
 * the newest screen show the published programs.
 */
export async function seedDemoPrograms(services: Services, db: Db, submitter: Actor) {
  const auditor = { ...submitter, user: createPlatformUser({ uid: 1, account: 'admin', realname: '系统管理员' }) }
  const offered = await playableAds(db)
  const tenantIds = await tenantsWithScreens(db)
  const today = formatLocalDay(services.now(), services.config.timeZone)
  for (const { programName, description, ads: wanted, fields, isPublished } of PLANS) {
    const input = programs.create.input.parse({
      programName,
      description,
      items: Object.entries(wanted).flatMap(([advertiser, count]) =>
        offered
          .filter((ad) => ad.advertiser === advertiser)
          .slice(0, count)
          .map(({ id: adId }) => ({ adId })),
      ),
      dateFrom: addDays(today, -40),
      dateTo: addDays(today, DAYS_AHEAD),
      targetType: 4,
      targetIds: tenantIds,
      ...fields,
    })
    const { id } = await runAsActor(services, submitter, { name: 'create', ...programs.create, input }, (ctx) =>
      createProgram(ctx, input),
    )
    if (isPublished !== false) await publishProgram(services, db, { id, submitter, auditor })
  }
  await db.execute(sql`update ad_programs set delivered_ver = published_ver
    where published_ver > 0 and program_name <> ${NEWEST}`)
  // The submitter has read the decisions, so the demo account keeps the specified number of unread notices.
  await db.execute(sql`insert into notice_reads (notice_id, uid) select notice_id, ${submitter.user.uid}::int from notices
    where title like '节目单已通过审批：%' on conflict do nothing`)
  await backdatePrograms(db)
}

/** Sets the dates of the programs and of the approved ads to a time before the demo plays. */
async function backdatePrograms(db: Db) {
  const earlier = sql.raw(`- interval '${DAYS_PUBLISHED} days'`)
  await db.execute(
    sql`update ad_program_versions set publish_time = publish_time ${earlier}, audit_time = audit_time ${earlier}`,
  )
  await db.execute(sql`update ad_versions set submit_time = submit_time ${earlier}, audit_time = audit_time ${earlier}
    where audit_status = 2`)
  await db.execute(sql`update ad_programs set create_time = create_time ${earlier} where published_ver > 0`)
  await db.execute(sql`update ads set create_time = create_time ${earlier} where approved_ver > 0`)
}

interface Publication {
  readonly id: number
  readonly submitter: Actor
  readonly auditor: Actor
}

async function publishProgram(services: Services, db: Db, { id, submitter, auditor }: Publication) {
  const { rows } = await db.execute<{ tenantId: number; targetIds: number[]; insertMode: number; isDefault: number }>(
    sql`select tenant_id as "tenantId", target_ids as "targetIds", insert_mode as "insertMode",
      is_default as "isDefault" from ad_programs where id = ${id}`,
  )
  const program = rows[0]!
  const screens = await countTargetScreens(db, { ...program, targetType: 4 })
  if (screens === 0) return
  const input = programPublish.publish.input.parse({ id, ...(program.insertMode >= TAKEOVER && { screens }) })
  const { isWaiting, verNo } = await runAsActor(
    services,
    submitter,
    { name: 'publish', ...programPublish.publish, input },
    (ctx) => publishProgramVersion(ctx, input),
  )
  if (!isWaiting) return
  const approval = programPublish.audit.input.parse({ id, verNo, auditStatus: 2 })
  await runAsActor(services, auditor, { name: 'audit', ...programPublish.audit, input: approval }, (ctx) =>
    reviewProgram(ctx, approval),
  )
}

/** Returns the tenants that have screens, those with the most first. */
async function tenantsWithScreens(db: Db) {
  const { rows } = await db.execute<{ id: number }>(
    sql`select tenant_id as id from ad_screens group by 1 order by count(*) desc, 1`,
  )
  return rows.map(({ id }) => id)
}

/** Returns the approved ads of the vendor that are valid longer than the programs. */
async function playableAds(db: Db): Promise<{ id: number; advertiser: string }[]> {
  const { rows } = await db.execute<{ id: number; advertiser: string }>(sql`select id, advertiser from ads
    where approved_ver > 0 and enable_stat = 1 and deleted_at is null and tenant_id = 1
      and coalesce(valid_to, 'infinity') >= current_date + ${DAYS_AHEAD + 2}::int
      and coalesce(approval_until, 'infinity') >= current_date + ${DAYS_AHEAD + 2}::int order by id`)
  return rows
}
