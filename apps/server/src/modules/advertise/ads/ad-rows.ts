import type { ads as calls } from '@oms/contract/advertise/ad.ts'
import { AD_MESSAGES } from '@oms/contract/advertise/ad-rules.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, arrayContains, eq, getTableColumns, gt, gte, isNull, lte, or, type SQL, sql } from 'drizzle-orm'
import { contains, buildSort, paginate, within, byName } from '#core/database/lists/list-query.ts'
import { notFound } from '#core/http/api-error.ts'
import type { Ctx, User } from '#core/http/context.ts'
import { formatFileUrl } from '#core/storage/save-upload.ts'
import { formatLocalDay } from '#core/time/zone.ts'
import { buildAwaitingAdAuditCondition } from '../audit-work.ts'
import { buildExpiredCondition, readMaterials, type StoredMaterial } from '../content.ts'
import { FIRST_CODEC_SQL } from '../first-codec.ts'
import { buildOutOfScopeAdCondition } from '../program-scope.ts'
import { visibleAds } from '../visible-ads.ts'
import { accounts } from '#core/schema/account.ts'
import { adMaterials, ads, adUses, adVersions } from '../schema.ts'
import { tenants } from '#core/schema/tenant.ts'
import { findAuditRefusal } from './audit-refusal.ts'
import { findBannedWords } from './banned-words.ts'

type Filter = Omit<ParsedOf<typeof calls.list>, 'pageNum' | 'pageSize'>

const REJECTED = 3
const todayOf = ({ now, services }: Pick<Ctx, 'now' | 'services'>) => formatLocalDay(now, services.config.timeZone)

/** Returns the address of a stored file; empty without a file. */
const urlOf = (fileId: string) => (fileId ? formatFileUrl(fileId) : '')

const selectAds = ({ db, user }: Pick<Ctx, 'db' | 'user'>, today: string) =>
  db
    .select({
      ...getTableColumns(ads),
      isExpired: buildExpiredCondition(today).as('is_expired'),
      // Distinct sizes of the renditions, in the order of the files.
      spec: sql<string>`coalesce((select string_agg(each.size, '、' order by each.place)
        from (select m.width || '×' || m.height as size, min(m.sort) as place from ${adMaterials} m
          where m.ad_id = ${ads.id} and m.deleted_at is null and m.width > 0 group by 1) each), '')`.as('spec'),
      fileBytes: sql<number>`coalesce((select sum(m.size) from ${adMaterials} m
        where m.ad_id = ${ads.id} and m.deleted_at is null), 0)::float8`.as('file_bytes'),
      codec: FIRST_CODEC_SQL.as('codec'),
      refCount: sql<number>`(select count(*)::int from ${adUses} u where u.ad_id = ${ads.id})`.as('ref_count'),
      isBeyondScope: buildOutOfScopeAdCondition(user, ads.id).as('is_beyond_scope'),
      tenantName: sql<string>`coalesce(${tenants.name}, '')`.as('tenant_name'),
      createName: sql<string>`coalesce(nullif(${accounts.realname}, ''), ${accounts.account}, '')`.as('create_name'),
      remark: adVersions.auditRemark,
      submitBy: adVersions.submitBy,
      uploaders: adVersions.uploaders,
      platformAudit: tenants.adPlatformAudit,
    })
    .from(ads)
    .leftJoin(adVersions, and(eq(adVersions.adId, ads.id), eq(adVersions.verNo, ads.verNo)))
    .leftJoin(tenants, eq(tenants.id, ads.tenantId))
    .leftJoin(accounts, eq(accounts.uid, ads.createBy))
type Selected = Awaited<ReturnType<typeof selectAds>>[number]

const presentTo =
  (user: User) =>
  ({ thumb, remark, submitBy, uploaders, platformAudit, ...row }: Selected) => ({
    ...row,
    thumbUrl: urlOf(thumb),
    auditRemark: row.auditStatus === REJECTED ? (remark ?? '') : '',
    auditRefusal: row.isBeyondScope
      ? AD_MESSAGES.beyondScope
      : findAuditRefusal({ tenantId: row.tenantId, submitBy, uploaders, platformAudit }, user),
  })

function validityIs(validity: Filter['validity'], today: string): SQL | undefined {
  if (validity === undefined) return undefined
  if (validity === 1) return gt(ads.validFrom, today)
  if (validity === 3) return buildExpiredCondition(today)
  return and(or(isNull(ads.validFrom), lte(ads.validFrom, today)), sql`not ${buildExpiredCondition(today)}`)
}

const conditionsOf = (user: User, filter: Filter, today: string) =>
  and(
    contains(ads.adName, filter.adName),
    contains(ads.advertiser, filter.advertiser),
    filter.adType === undefined ? undefined : eq(ads.adType, filter.adType),
    filter.auditStatus === undefined ? undefined : eq(ads.auditStatus, filter.auditStatus),
    filter.enableStat === undefined ? undefined : eq(ads.enableStat, filter.enableStat),
    filter.tag ? arrayContains(ads.tags, [filter.tag]) : undefined,
    validityIs(filter.validity, today),
    filter.usable === 1
      ? and(gte(ads.approvedVer, 1), eq(ads.enableStat, 1), sql`not ${buildExpiredCondition(today)}`)
      : undefined,
    filter.todo === undefined ? undefined : buildAwaitingAdAuditCondition(user),
    ...within(ads.createTime, filter.beginTime, filter.endTime),
  )

export async function listAds(ctx: Ctx, input: ParsedOf<typeof calls.list>) {
  const { db, user } = ctx
  const today = todayOf(ctx)
  const query = selectAds({ db, user }, today).where(and(visibleAds(user), conditionsOf(user, input, today)))
  const sort = {
    adName: byName(ads.adName),
    duration: ads.duration,
    // An ad without an end sorts after all others.
    validTo: sql`coalesce(${ads.validTo}, 'infinity')`,
    createTime: ads.createTime,
    updateTime: ads.updateTime,
  }
  const page = await paginate(db, query.$dynamic(), input, buildSort(input, sort, ads.id))
  return { ...page, list: page.list.map(presentTo(user)) }
}

/**
 * Serialises a material for the console. `url` is the content that players show. For an HTML package, `url` is the page
 * that the server made from the package.
 */
export const presentMaterial = ({ probeState, probeError, ...material }: StoredMaterial) => ({
  ...material,
  probeState,
  probeError,
  url: urlOf(material.pageFileId || material.fileId),
  thumbUrl: urlOf(material.thumbFileId),
})

export async function getAd(ctx: Ctx, { id }: ParsedOf<typeof calls.get>) {
  const { db, user } = ctx
  const [found] = await selectAds({ db, user }, todayOf(ctx)).where(and(eq(ads.id, id), visibleAds(user)))
  if (!found) throw notFound('广告')
  const materials = await readMaterials(db, id)
  return {
    ...presentTo(user)(found),
    proofs: found.proofs.map((proof) => ({ ...proof, url: urlOf(proof.id) })),
    materials: materials.map(presentMaterial),
    bannedWords: await findBannedWords(db, [found.adName, found.text?.content ?? '']),
  }
}
