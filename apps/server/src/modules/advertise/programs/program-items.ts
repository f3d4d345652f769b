import { AD_TYPE, type AdText, type Manifest, type ManifestAd } from '@oms/contract/advertise/engine/manifest.ts'
import type { ProgramValues } from '@oms/contract/advertise/program-input.ts'
import type { ProgramItemView } from '@oms/contract/advertise/program.ts'
import { and, inArray, sql, asc, ne, not } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { among } from '#core/database/lists/list-query.ts'
import { invalid } from '#core/http/api-error.ts'
import type { Ctx, User } from '#core/http/context.ts'
import { FieldProblems } from '#core/http/field-problems.ts'
import { formatFileUrl } from '#core/storage/save-upload.ts'
import { notDeleted, PLATFORM_TENANT_ID, scoped } from '#core/tenancy/tenancy.ts'
import { FIRST_CODEC_SQL } from '../ads/ad.ts'
import { readApprovedAds } from '../content.ts'
import { adProgramVersions, ads, type StoredProgramItem } from '../schema.ts'

const namedAds = ({ db, user }: Pick<Ctx, 'db' | 'user'>, ids: readonly number[]) =>
  db
    .select({
      id: ads.id,
      tenantId: ads.tenantId,
      adName: ads.adName,
      adType: ads.adType,
      duration: ads.duration,
      approvedVer: ads.approvedVer,
      enableStat: ads.enableStat,
    })
    .from(ads)
    .where(and(inArray(ads.id, [...new Set(ids)]), notDeleted(ads), scoped(user, { tenant: ads.tenantId })))

/** Returns the highest id of an item in the versions of a program; 0 without a version. */
async function lastPublishedId(db: Db, programId: number | undefined): Promise<number> {
  if (programId === undefined) return 0
  const { rows } = await db.execute<{ last: number }>(sql`
    select coalesce(max((i ->> 'id')::int), 0) as last
    from ${adProgramVersions} v, jsonb_array_elements(v.body -> 'items') i where v.program_id = ${programId}`)
  return rows[0]?.last ?? 0
}

interface Wanted {
  /** Absent for a program that is not stored yet. */
  readonly programId?: number | undefined
  readonly tenantId: number
  readonly items: ProgramValues['items']
  /** Items of the program before the save. An item with the same ad keeps its id. */
  readonly before: readonly Pick<StoredProgramItem, 'id' | 'adId'>[]
}

/**
 * Returns the items to store. Refuses ads that do not exist, that belong to another tenant, or that nobody approved. A
 * new item gets an id above the ids of the stored items and of all published versions. Screens may still report plays
 * of removed items.
 */
export async function prepareItems(
  ctx: Ctx,
  { programId, tenantId, items, before }: Wanted,
): Promise<StoredProgramItem[]> {
  const adIds = items.map(({ adId }) => adId)
  const found = await namedAds(ctx, adIds)
  const approved = await readApprovedAds(ctx.db, adIds)
  const byId = new Map(found.map((ad) => [ad.id, ad]))
  const known = new Map(before.map((item) => [item.id, item]))
  let last = Math.max(await lastPublishedId(ctx.db, programId), ...before.map(({ id }) => id))
  const taken = new Set<number>()
  const problems = new FieldProblems()
  for (const [at, { adId }] of items.entries()) {
    const ad = byId.get(adId)
    if (!ad || (tenantId !== PLATFORM_TENANT_ID && ad.tenantId !== tenantId))
      problems.add(`items.${at}.adId`, '广告不存在或已被删除')
    else if (ad.approvedVer === 0) problems.add(`items.${at}.adId`, `广告《${ad.adName}》未通过审核`)
  }
  problems.throwIfAny()
  return items.map((item) => {
    const ad = byId.get(item.adId)!
    const keeps = known.get(item.itemId)?.adId === item.adId && !taken.has(item.itemId)
    const id = keeps ? item.itemId : ++last
    taken.add(id)
    return {
      id,
      adId: item.adId,
      ms: approved.get(ad.id)?.fileMs ?? (item.duration ?? ad.duration) * 1000,
      weight: item.weight,
      maxPlaysPerHour: item.maxPlaysPerHour,
      from: item.startDt ?? null,
      to: item.endDt ?? null,
      transition: item.transition,
    }
  })
}

/** Returns the items with the present durations of their files. Refuses ads that nobody approved or that are disabled. */
export async function requireApprovedItems(
  ctx: Ctx,
  items: readonly StoredProgramItem[],
): Promise<StoredProgramItem[]> {
  const adIds = items.map(({ adId }) => adId)
  const rows = await namedAds(ctx, adIds)
  const approved = await readApprovedAds(ctx.db, adIds)
  const byId = new Map(rows.map((ad) => [ad.id, ad]))
  return items.map((item) => {
    const ad = byId.get(item.adId)
    if (!ad) throw invalid('广告不存在或已被删除', 'items')
    if (ad.approvedVer === 0) throw invalid(`广告《${ad.adName}》未通过审核`, 'items')
    if (ad.enableStat === 0) throw invalid(`广告《${ad.adName}》已停用`, 'items')
    return { ...item, ms: approved.get(ad.id)?.fileMs ?? item.ms }
  })
}

/** Returns the total duration in whole seconds. */
export const sumItemSeconds = (items: readonly Pick<StoredProgramItem, 'ms'>[]): number =>
  Math.round(items.reduce((sum, { ms }) => sum + ms, 0) / 1000)

/** Returns the items of a program with the facts about the ads that the caller may see. */
export async function readItemViews(
  { db, user }: Pick<Ctx, 'db' | 'user'>,
  items: readonly StoredProgramItem[],
): Promise<ProgramItemView[]> {
  if (items.length === 0) return []
  const adIds = items.map(({ adId }) => adId)
  const rows = await db
    .select({
      id: ads.id,
      adName: ads.adName,
      adType: ads.adType,
      orientation: ads.orientation,
      thumb: ads.thumb,
      codec: FIRST_CODEC_SQL.as('codec'),
      approvedVer: ads.approvedVer,
      enableStat: ads.enableStat,
      validTo: ads.validTo,
    })
    .from(ads)
    .where(isVisibleAd(user, adIds))
  const byId = new Map(rows.map((ad) => [ad.id, ad]))
  return items.map((item) => {
    const { id: _, thumb, ...ad } = byId.get(item.adId) ?? HIDDEN_AD
    return {
      ...ad,
      thumbUrl: thumb ? formatFileUrl(thumb) : '',
      itemId: item.id,
      adId: item.adId,
      duration: Math.max(1, Math.round(item.ms / 1000)),
      weight: item.weight,
      maxPlaysPerHour: item.maxPlaysPerHour,
      startDt: item.from,
      endDt: item.to,
      transition: item.transition,
    }
  })
}

const isVisibleAd = (user: User, ids: readonly number[]) =>
  and(inArray(ads.id, [...new Set(ids)]), scoped(user, { tenant: ads.tenantId }))

/** Shown for an ad outside the caller's data scope. */
export const HIDDEN_AD_NAME = '数据范围之外的广告'
const HIDDEN_AD = {
  id: 0,
  adName: HIDDEN_AD_NAME,
  adType: 0,
  orientation: 0,
  thumb: '',
  codec: '',
  approvedVer: 1,
  enableStat: 1,
  validTo: null,
}

/** Returns the names of the ads that the caller may see, by id. */
export async function readAdNames(
  { db, user }: Pick<Ctx, 'db' | 'user'>,
  ids: readonly number[],
): Promise<Map<number, string>> {
  if (ids.length === 0) return new Map()
  const rows = await db.select({ id: ads.id, adName: ads.adName }).from(ads).where(isVisibleAd(user, ids))
  return new Map(rows.map(({ id, adName }) => [id, adName]))
}

/** Names shown instead of the names of ads that the caller may not read, by the id of the ad. */
export type HiddenAds = ReadonlyMap<number, string>
type Reader = Pick<Ctx, 'db' | 'user'>

/**
 * Returns the ads of tenants outside the caller's data scope, which programs of the platform may contain. Several ads are
 * numbered, so that their texts differ. Ads of the platform keep their names, because they play on screens of all
 * tenants. `db` must not have row-level security.
 */
export async function readHiddenAds({ db, user }: Reader, adIds: readonly number[]): Promise<HiddenAds> {
  const isReadable = scoped(user, { tenant: ads.tenantId })
  if (!isReadable || adIds.length === 0) return new Map()
  const rows = await db
    .select({ id: ads.id })
    .from(ads)
    .where(and(among(ads.id, [...new Set(adIds)]), ne(ads.tenantId, PLATFORM_TENANT_ID), not(isReadable)))
    .orderBy(asc(ads.id))
  return new Map(rows.map(({ id }, at) => [id, rows.length > 1 ? `${HIDDEN_AD_NAME} ${at + 1}` : HIDDEN_AD_NAME]))
}

/**
 * Returns the manifest without the names of ads that the caller may not read. The content of these ads stays, because
 * the plan of a screen depends on the content. `db` must not have row-level security.
 */
export const hideAdNames = (reader: Reader, manifest: Manifest) =>
  replaceHidden(reader, manifest, (ad, name) => ({ ...ad, name }))

/**
 * Returns the manifest of a preview, in which a text with the replacement name plays in place of each ad that the caller
 * may not read: text, address and files of the ad are confidential. `db` must not have row-level security.
 */
export const hideAdContents = (reader: Reader, manifest: Manifest) =>
  replaceHidden(reader, manifest, (ad, name) => ({
    ...ad,
    name,
    type: AD_TYPE.text,
    text: { ...HIDDEN_TEXT, content: name },
    linkUrl: null,
    files: [],
  }))

const HIDDEN_TEXT: Omit<AdText, 'content'> = {
  fontSize: 48,
  color: '#ffffff',
  background: '#595959',
  align: 'center',
  scroll: false,
  speed: 1,
}

async function replaceHidden(
  reader: Reader,
  manifest: Manifest,
  replace: (ad: ManifestAd, name: string) => ManifestAd,
): Promise<Manifest> {
  const hidden = await readHiddenAds(
    reader,
    manifest.ads.map(({ id }) => id),
  )
  if (hidden.size === 0) return manifest
  const shown = (ad: ManifestAd) => {
    const name = hidden.get(ad.id)
    return name === undefined ? ad : replace(ad, name)
  }
  return { ...manifest, ads: manifest.ads.map(shown) }
}

/** Returns ads that no manifest contains, with the reason: disabled or not approved. */
export async function readMissingAds(db: Db, ids: readonly number[]) {
  if (ids.length === 0) return []
  const rows = await db
    .select({ id: ads.id, name: ads.adName, enableStat: ads.enableStat })
    .from(ads)
    .where(inArray(ads.id, [...ids]))
  return rows.map(({ id, name, enableStat }) => ({
    id,
    name,
    obstacle: enableStat === 0 ? ('adDisabled' as const) : ('adNotApproved' as const),
  }))
}
