import { randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { AD_FILE_PURPOSES } from '@oms/contract/advertise/ad-rules.ts'
import { eq, inArray, sql, and } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { forbidden } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import { files } from '#core/schema/system.ts'
import type { Services } from '#core/services.ts'
import { transact } from '#core/tenancy/tenancy.ts'
import {
  readMaterials,
  type StoredMaterial,
  readEditedBody,
  hashContent,
  isTimedAdType,
  computePlayingTimeMs,
  type StoredAd,
} from '../content.ts'
import { AD_STATUS, PROBE_STATUS, adMaterials, ads, adVersions } from '../schema.ts'
import { FileRefusedError, type ProbeKind, probeFile } from './probe.ts'

const KIND = 'ad-probe'
/**
 * Time limit of the job: longer than that of the probe process, because reading a large file from a bucket takes time.
 */
const LIMIT_SECONDS = 120
const SECOND_MS = 1000

type StoredFile = typeof files.$inferSelect

export const isAdMaterial = (purpose: string) => (AD_FILE_PURPOSES as readonly string[]).includes(purpose)

interface NewMaterial {
  readonly id: string
  readonly name: string
  readonly size: number
  readonly md5: string
  readonly sha256: string
}

/** Inserts the material of an uploaded file and queues the probe of the file. Runs in a transaction of its own. */
export async function recordMaterial(ctx: Ctx, file: NewMaterial) {
  const { tenantId, uid } = ctx.user
  if (tenantId === null) throw forbidden()
  const { id: fileId, name: fileName, size, md5, sha256 } = file
  await transact(ctx, async (db) => {
    const [made] = await db
      .insert(adMaterials)
      .values({ tenantId, fileId, fileName, size, md5, sha256, mime: '', createBy: uid })
      .returning({ id: adMaterials.id })
    await ctx.services.jobs.sendMessage(db, KIND, { materialId: made!.id })
  })
}

/** Queues the creation of a thumbnail from the picture that a browser captured of a video. */
export const queuePoster = ({ jobs }: Pick<Services, 'jobs'>, db: Db, materialId: number) =>
  jobs.sendMessage(db, KIND, { materialId, isPoster: true })

/** Registers the job that probes uploaded files of ads. */
export function registerProbe(services: Services) {
  const options = { title: '广告素材解析', concurrency: 1, timeLimitSeconds: LIMIT_SECONDS, retries: 2 }
  services.jobs.registerMessages(KIND, ({ payload }) => probeMaterial(services, payload as Payload), options)
}

interface Payload {
  readonly materialId: number
  readonly isPoster?: boolean
}

/** Probes a file of an ad and stores its size, duration and codec. An unusable file is stored with the reason. */
async function probeMaterial(services: Services, { materialId, isPoster = false }: Payload) {
  const { database, files: store } = services
  const { db } = database
  const [material] = await db.select().from(adMaterials).where(eq(adMaterials.id, materialId))
  const [file] = await db
    .select()
    .from(files)
    .where(eq(files.id, (isPoster ? material?.posterFileId : material?.fileId) ?? ''))
  if (!material || !file) return
  try {
    await probeFile(store, { kind: file.purpose as ProbeKind, sha256: file.sha256 }, async (probed) => {
      const thumbFileId = await keep(services, file, probed.thumbPath, 'adThumb')
      if (isPoster) return update(db, material, { thumbFileId })
      const pageFileId = await keep(services, file, probed.pagePath, 'adPage')
      const { facts, chunkHashes } = probed
      const made = { ...(thumbFileId && { thumbFileId }), ...(pageFileId && { pageFileId }) }
      return update(db, material, { ...facts, ...made, chunkHashes, probeState: PROBE_STATUS.probed, probeError: '' })
    })
  } catch (error) {
    if (!(error instanceof FileRefusedError)) throw error
    if (!isPoster) await update(db, material, { probeState: PROBE_STATUS.unusable, probeError: error.message })
  }
  await services.events.publish(db, 'changed', { resource: 'advertise', tenantId: material.tenantId })
}

/** Stores the result of the probe, and updates duration and thumbnail of the ad that shows the material. */
async function update(db: Db, { id }: StoredMaterial, facts: Partial<typeof adMaterials.$inferInsert>) {
  await db.transaction(async (tx) => {
    const [saved] = await tx.update(adMaterials).set(facts).where(eq(adMaterials.id, id)).returning()
    if (!saved?.adId) return
    // The probe creates these files after the ad was saved, so they are marked as used here.
    const made = [saved.thumbFileId, saved.pageFileId].filter((fileId) => fileId !== '')
    if (made.length > 0)
      await tx
        .update(files)
        .set({ usedTime: sql`now()` as unknown as string })
        .where(inArray(files.id, made))
    if (saved.deletedAt !== null) return
    const [ad] = await tx.select().from(ads).where(eq(ads.id, saved.adId)).for('update')
    if (!ad) return
    await tx
      .update(ads)
      .set(computeDurationAndThumbnail(ad, await readMaterials(tx, ad.id)))
      .where(eq(ads.id, ad.id))
  })
}

const MADE = {
  adThumb: { name: 'thumb.webp', mime: 'image/webp' },
  adPage: { name: 'index.html', mime: 'text/html; charset=utf-8' },
} as const

/** Stores a file that the probe wrote, with the owner of the upload. Returns its id; empty without a file. */
async function keep(
  { database: { db }, files: store }: Services,
  { tenantId, uid }: StoredFile,
  path: string,
  purpose: keyof typeof MADE,
) {
  if (!path) return ''
  const { md5, sha1, sha256, size } = await store.put(createReadStream(path))
  const id = randomBytes(16).toString('hex')
  await db.insert(files).values({ id, tenantId, uid, purpose, ...MADE[purpose], size, md5, sha1, sha256 })
  return id
}

/**
 * Stores the columns of an ad that follow from its materials: duration, thumbnail and state of the edited content. The
 * content is approved when it equals the version that plays, otherwise it is a draft.
 */
export async function updateMediaFacts(db: Db, ad: StoredAd): Promise<StoredAd> {
  const materials = await readMaterials(db, ad.id)
  const facts = computeDurationAndThumbnail(ad, materials)
  const auditStatus = (await isApprovedContent(db, { ...ad, ...facts }, materials))
    ? AD_STATUS.approved
    : AD_STATUS.draft
  const [saved] = await db
    .update(ads)
    .set({ ...facts, auditStatus })
    .where(eq(ads.id, ad.id))
    .returning()
  return saved!
}

/** Returns duration in seconds, rounded up, and the first thumbnail of the materials. */
export const computeDurationAndThumbnail = (ad: StoredAd, materials: readonly StoredMaterial[]) => ({
  duration: isTimedAdType(ad.adType) ? Math.ceil(computePlayingTimeMs(ad, materials) / SECOND_MS) : ad.duration,
  thumb: materials.find(({ thumbFileId }) => thumbFileId !== '')?.thumbFileId ?? '',
})

async function isApprovedContent(db: Db, ad: StoredAd, materials: readonly StoredMaterial[]) {
  if (ad.approvedVer === 0) return false
  const [approved] = await db
    .select({ contentHash: adVersions.contentHash })
    .from(adVersions)
    .where(and(eq(adVersions.adId, ad.id), eq(adVersions.verNo, ad.approvedVer)))
  return approved?.contentHash === hashContent(await readEditedBody(db, ad, materials))
}
