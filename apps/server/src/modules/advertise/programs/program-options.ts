import type { Manifest } from '@oms/contract/advertise/engine/manifest.ts'
import type { programOptions as calls } from '@oms/contract/advertise/program-options.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, desc, eq, exists, gt, not, or, sql } from 'drizzle-orm'
import { contains, paginate, among } from '#core/database/lists/list-query.ts'
import { notFound } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import { formatFileUrl } from '#core/storage/save-upload.ts'
import { notDeleted, PLATFORM_TENANT_ID, scoped, withoutRowSecurity } from '#core/tenancy/tenancy.ts'
import { formatLocalDay } from '#core/time/zone.ts'
import { findDevice } from '#modules/device/device-filter.ts'
import { devices } from '#modules/device/schema.ts'
import { FIRST_CODEC_SQL } from '../ads/ad.ts'
import { signPackageQuery } from '../ads/package-preview.ts'
import { buildExpiredCondition, readApprovedAds } from '../content.ts'
import { loadAdsOfPrograms, buildManifest } from '../manifests/manifest.ts'
import { ads, adUses, type ProgramBody, adMaterials } from '../schema.ts'
import { buildScreenManifest } from '../screens/screen-sets.ts'
import { hideAdContents, prepareItems } from './program-items.ts'
import { toProgramBody, readProgram } from './program.ts'

const MAX_OPTIONS = 100

/** Returns the tenant of the program that is edited: the given one, otherwise the tenant of the session. */
export const resolveProgramTenant = ({ user }: Pick<Ctx, 'user'>, asked: number | undefined) =>
  asked ?? user.tenantId ?? 0

export async function listAdOptions(ctx: Ctx, { keyword, adType, tenantId, ...page }: ParsedOf<typeof calls.ads>) {
  const { db, user, now, services } = ctx
  const owner = resolveProgramTenant(ctx, tenantId)
  const today = formatLocalDay(now, services.config.timeZone)
  const rows = db
    .select({
      id: ads.id,
      adName: ads.adName,
      adType: ads.adType,
      orientation: ads.orientation,
      duration: ads.duration,
      advertiser: ads.advertiser,
      thumb: ads.thumb,
      codec: FIRST_CODEC_SQL.as('codec'),
      validTo: ads.validTo,
    })
    .from(ads)
    .where(
      and(
        notDeleted(ads),
        scoped(user, { tenant: ads.tenantId }),
        owner === PLATFORM_TENANT_ID ? undefined : eq(ads.tenantId, owner),
        gt(ads.approvedVer, 0),
        eq(ads.enableStat, 1),
        not(buildExpiredCondition(today)),
        or(contains(ads.adName, keyword), contains(ads.advertiser, keyword)),
        adType === undefined ? undefined : eq(ads.adType, adType),
      ),
    )
    .$dynamic()
  const found = await paginate(db, rows, page, [sql`${ads.id} desc`])
  return {
    ...found,
    list: found.list.map(({ thumb, ...ad }) => ({ ...ad, thumbUrl: thumb ? formatFileUrl(thumb) : '' })),
  }
}

/** Returns the ads that programs use. The filtered ad comes first, so that the filter shows its name. */
export async function listUsedAdOptions({ db, user }: Ctx, { keyword, adId }: ParsedOf<typeof calls.usedAds>) {
  const isUsed = exists(db.select({ one: sql`1` }).from(adUses).where(eq(adUses.adId, ads.id)))
  const isAsked = adId === undefined ? undefined : eq(ads.id, adId)
  const list = await db
    .select({ id: ads.id, name: ads.adName })
    .from(ads)
    .where(
      and(
        notDeleted(ads),
        scoped(user, { tenant: ads.tenantId }),
        or(isAsked, and(isUsed, contains(ads.adName, keyword))),
      ),
    )
    .orderBy(...(isAsked ? [desc(isAsked)] : []), desc(ads.id))
    .limit(MAX_OPTIONS)
  return { list }
}

/** Returns the program body that publishing the given content now would create. */
async function buildDraftBody(ctx: Ctx, input: ParsedOf<typeof calls.manifest>): Promise<ProgramBody> {
  const { id, tenantId: asked, deviceId: _, ...fields } = input
  const stored = id === undefined ? undefined : await readProgram(ctx, id)
  const tenantId = stored?.tenantId ?? resolveProgramTenant(ctx, asked)
  const items = await prepareItems(ctx, { programId: id, tenantId, items: fields.items, before: stored?.items ?? [] })
  const content = { ...fields, id: id ?? 0, tenantId, items, shareOfVoice: fields.shareOfVoice ?? null }
  return toProgramBody(content, { verNo: (stored?.verNo ?? 0) + 1, publishedAt: ctx.now.getTime() })
}

/** Returns the manifest, and in `left` the names of the programs that exceed the capacity of the screen. */
export async function getDraftManifest(
  ctx: Ctx,
  input: ParsedOf<typeof calls.manifest>,
): Promise<Manifest & { left: string[] }> {
  const { db, user, now, services } = ctx
  const { config } = services
  const draft = await buildDraftBody(ctx, input)
  const standardZone = config.timeZone
  if (input.deviceId === undefined)
    return { ...buildManifest(standardZone, [draft], await loadAdsOfPrograms(db, [draft])), left: [] }
  const seen = await findDevice(ctx, eq(devices.id, input.deviceId))
  // Programs of the platform play on screens of tenants, so the manifest is read without row-level security.
  const found =
    seen &&
    (await withoutRowSecurity(ctx, async (all) => {
      const planned = await buildScreenManifest(all, seen.id, { now, standardZone, draft })
      return (
        planned && {
          ...(await hideAdContents({ db: all, user }, planned.manifest)),
          left: planned.left.map(({ name }) => name),
        }
      )
    }))
  if (!found) throw notFound('屏幕')
  return found
}

/** Returns the files of the approved content of ads that the caller may put into programs. Omits other ads. */
export async function listPreviewFiles(ctx: Ctx, { adIds }: ParsedOf<typeof calls.files>) {
  const { db, user } = ctx
  const offered = await db
    .select({ id: ads.id })
    .from(ads)
    .where(and(notDeleted(ads), scoped(user, { tenant: ads.tenantId }), among(ads.id, adIds)))
  const approved = await readApprovedAds(
    db,
    offered.map(({ id }) => id),
  )
  // The sha256 of a package in a manifest is that of the page that the server made from the archive.
  const shown = [...approved.values()].flatMap(({ ad }) => ad.files)
  const rows = await db
    .select({ id: adMaterials.id, fileId: adMaterials.fileId, pageFileId: adMaterials.pageFileId })
    .from(adMaterials)
    .where(
      among(
        adMaterials.id,
        shown.map(({ materialId }) => materialId),
      ),
    )
  const byId = new Map(rows.map((row) => [row.id, row]))
  const files = []
  const packages = []
  for (const { materialId, sha256 } of shown) {
    const material = byId.get(materialId)
    if (material?.pageFileId) packages.push({ sha256, query: signPackageQuery(ctx, materialId) })
    else if (material) files.push({ sha256, url: formatFileUrl(material.fileId) })
  }
  return { files, packages }
}
