import { AD_MESSAGES, AD_TYPES, ORIENTATION } from '@oms/contract/advertise/ad-rules.ts'
import type { ads as calls } from '@oms/contract/advertise/ad.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import {
  and,
  arrayContains,
  eq,
  getTableColumns,
  gt,
  gte,
  isNull,
  lte,
  or,
  type SQL,
  sql,
  desc,
  inArray,
} from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import type { Db } from '#core/database/client.ts'
import { contains, buildSort, paginate, within, byName } from '#core/database/lists/list-query.ts'
import { notFound } from '#core/http/api-error.ts'
import type { Ctx, User } from '#core/http/context.ts'
import { accounts } from '#core/schema/account.ts'
import { dictData } from '#core/schema/system.ts'
import { tenants } from '#core/schema/tenant.ts'
import { formatFileUrl } from '#core/storage/save-upload.ts'
import { PLATFORM_TENANT_ID, notDeleted } from '#core/tenancy/tenancy.ts'
import { formatLocalDay } from '#core/time/zone.ts'
import { buildExpiredCondition, readMaterials, type StoredMaterial } from '../content.ts'
import { AD_STATUS, adMaterials, ads, adUses, adVersions, type AdBody } from '../schema.ts'
import { buildAwaitingAdAuditCondition, buildOutOfScopeAdCondition, visibleAds } from '../scope.ts'

type Filter = Omit<ParsedOf<typeof calls.list>, 'pageNum' | 'pageSize'>

const MAX_VERSIONS = 50
const BANNED_WORDS = 'ad_banned_words'
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
    auditRemark: row.auditStatus === AD_STATUS.rejected ? (remark ?? '') : '',
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

const submitter = alias(accounts, 'submitter')
const auditor = alias(accounts, 'auditor')
const nameOf = (table: typeof submitter | typeof auditor) =>
  sql<string>`coalesce(nullif(${table.realname}, ''), ${table.account}, '')`

const formatValidity = ({ validFrom, validTo }: AdBody) =>
  validFrom || validTo ? `${validFrom ?? '不限'} 至 ${validTo ?? '不限'}` : '不限'

const hashesOf = (list: readonly { readonly sha256: string }[]) =>
  list.map(({ sha256 }) => sha256.slice(0, 12)).join('、')

/** Describes the content of a version for the comparison with another version. */
function contentInWords(body: AdBody, categories: ReadonlyMap<string, string>) {
  const { text, review } = body
  const fields: [string, string, string][] = [
    ['name', '广告名称', body.name],
    ['type', '类型', AD_TYPES[body.type]],
    ['orientation', '适用屏幕', ORIENTATION[review?.orientation as 0] ?? ''],
    ['duration', '时长', review ? `${review.durationMs / 1000} 秒` : ''],
    ['linkUrl', '网址', body.linkUrl ?? ''],
    ['text', '文字内容', text?.content ?? ''],
    [
      'style',
      '文字样式',
      text
        ? `字号 ${text.fontSize} · ${text.color} / ${text.background}${text.scroll ? ` · 滚动 ${text.speed}` : ''}`
        : '',
    ],
    ['advertiser', '广告主', review?.advertiser ?? ''],
    ['category', '广告类别', categories.get(String(review?.categoryId)) ?? ''],
    ['approvalNo', '广告批准文号', review?.approvalNo ?? ''],
    ['approvalUntil', '批准文号有效期', body.approvalUntil ?? ''],
    ['proofs', '证明文件', (review?.proofs ?? []).map(({ name }) => name).join('、')],
    ['validity', '有效期', formatValidity(body)],
    ['files', '素材校验值', hashesOf(body.files)],
    ['posters', '封面校验值', hashesOf(review?.posters ?? [])],
  ]
  return fields.flatMap(([field, title, value]) => (value === '' ? [] : [{ field, title, value }]))
}

async function categoryNames({ db }: Ctx) {
  const rows = await db
    .select({ value: dictData.dictValue, label: dictData.dictLabel })
    .from(dictData)
    .where(eq(dictData.dictType, 'ad_category'))
  return new Map(rows.map(({ value, label }) => [value, label]))
}

/** Returns the newest 50 submitted versions with their files. */
export async function listAdVersions(ctx: Ctx, { id }: ParsedOf<typeof calls.versions>) {
  const { db, user } = ctx
  if ((await db.$count(ads, and(eq(ads.id, id), visibleAds(user)))) === 0) throw notFound('广告')
  const rows = await db
    .select({
      ...getTableColumns(adVersions),
      submitName: nameOf(submitter),
      auditName: nameOf(auditor),
    })
    .from(adVersions)
    .leftJoin(submitter, eq(submitter.uid, adVersions.submitBy))
    .leftJoin(auditor, eq(auditor.uid, adVersions.auditBy))
    .where(eq(adVersions.adId, id))
    .orderBy(desc(adVersions.verNo))
    .limit(MAX_VERSIONS)
  const materialIds = [...new Set(rows.flatMap(({ body }) => body.files.map(({ materialId }) => materialId)))]
  const materials = materialIds.length
    ? await db.select().from(adMaterials).where(inArray(adMaterials.id, materialIds))
    : []
  const found = new Map(materials.map((material) => [material.id, presentMaterial(material)]))
  const categories = await categoryNames(ctx)
  return {
    list: rows.map(({ body, ...row }) => ({
      ...row,
      content: contentInWords(body, categories),
      files: body.files.flatMap(({ materialId }) => found.get(materialId) ?? []),
    })),
  }
}

interface SubmittedVersion {
  readonly tenantId: number
  /** Null before the first submission. */
  readonly submitBy: number | null
  readonly uploaders: readonly number[] | null
  /** 1 when staff of the platform audits the ads of the tenant. */
  readonly platformAudit: number | null
}

/**
 * Returns why an account may not audit a version; empty when it may. Staff of the platform audits where 广告审核方 is 平台, otherwise staff of
 * the tenant, and never the submitter or an uploader of the files.
 */
export function findAuditRefusal(
  { tenantId, submitBy, uploaders, platformAudit }: SubmittedVersion,
  user: User,
): string {
  if (submitBy === null) return ''
  if (tenantId !== PLATFORM_TENANT_ID && platformAudit === 1) {
    if (!user.isPlatform) return AD_MESSAGES.platformAudit
  } else if (user.tenantId !== tenantId) return AD_MESSAGES.tenantAudit
  if (submitBy === user.uid) return AD_MESSAGES.ownSubmission
  return uploaders?.includes(user.uid) ? AD_MESSAGES.ownUpload : ''
}

/**
 * Returns the enabled words of the dictionary `ad_banned_words` that occur in these texts. The result is a hint for
 * authors and auditors and never refuses an ad.
 */
async function findBannedWords(db: Db, texts: readonly string[]): Promise<string[]> {
  const words = await db
    .select({ word: dictData.dictLabel })
    .from(dictData)
    .where(and(eq(dictData.dictType, BANNED_WORDS), eq(dictData.status, 1), notDeleted(dictData)))
  const text = texts.join('\n')
  return words.flatMap(({ word }) => (text.includes(word) ? [word] : []))
}

/** Codec of the first file of an ad, for queries of `ads`; empty without a codec. */
export const FIRST_CODEC_SQL = sql<string>`coalesce((select m.codec from ${adMaterials} m
  where m.ad_id = ${ads.id} and m.deleted_at is null order by m.sort, m.id limit 1), '')`
