import { AD_TYPE, type AdText, type Manifest, type ManifestAd } from '@oms/contract/advertise/engine/manifest.ts'
import { and, asc, ne, not } from 'drizzle-orm'
import { among } from '#core/database/lists/list-query.ts'
import type { Ctx } from '#core/http/context.ts'
import { PLATFORM_TENANT_ID, scoped } from '#core/tenancy/tenancy.ts'
import { ads } from '../schema.ts'
import { HIDDEN_AD_NAME } from './program-items.ts'

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
