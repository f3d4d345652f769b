import { createHash, randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { AD_TYPE } from '@oms/contract/advertise/engine/manifest.ts'
import { listChecks } from '@oms/contract/advertise/ad-rules.ts'
import { and, eq, ne } from 'drizzle-orm'
import sharp from 'sharp'
import type { Db } from '#core/database/client.ts'
import type { Services } from '#core/services.ts'
import { writeZip } from '#core/spreadsheet/formats/zip.ts'
import type { Actor } from '#core/auth/system-actor.ts'
import { PLATFORM_TENANT_ID } from '#core/tenancy/tenancy.ts'
import { addDays, formatLocalDay } from '#core/time/zone.ts'
import { putBytes } from '#core/storage/open-store.ts'
import { readEditedBody, hashContent, readMaterials } from '#modules/advertise/content.ts'
import { computeDurationAndThumbnail } from '#modules/advertise/ads/materials.ts'
import { accounts } from '#core/schema/account.ts'
import { adMaterials, ads, adVersions } from '#modules/advertise/schema.ts'
import { files } from '#core/schema/system.ts'
import { ADVERTISERS } from './ad-list.ts'
import { createAdPicture } from './ad-pictures.ts'
import { createTone } from '#demo/tone.ts'
import { VIDEO_FOLDER } from '#demo/video-folder.ts'

const VIDEOS = ['ad-0.webm', 'ad-1.webm', 'ad-2.mp4'] as const
const [DRAFT, SUBMITTED, APPROVED, REJECTED] = [0, 1, 2, 3]
/** States of the last ads; all others are approved. */
const STATES: Readonly<Record<number, number>> = {
  4: SUBMITTED!,
  9: SUBMITTED!,
  14: SUBMITTED!,
  19: REJECTED!,
  24: REJECTED!,
  29: DRAFT!,
}
const REMARKS: Readonly<Record<number, string>> = {
  19: '画面中的价格与合同不一致，请核对后重新提交',
  24: '交付公告缺少预售许可证号',
}
const EXPIRED_PLACE = 38
const VIDEO_PLACES: readonly number[] = [2, 12, 27]
/** Ending of the text of each text ad, by place. */
const TEXT_ENDINGS: Readonly<Record<number, string>> = { 22: '欢迎来电', 36: '人人有责' }
const WEB_PLACE = 7
const AUDIO_PLACE = 32
const AUDIO_SECONDS = 5
const PACKAGE_PLACE = 17
const PORTRAIT_EVERY = 4
const HTML = `<!doctype html><html lang="zh"><head><meta charset="utf-8"><style>
body{margin:0;height:100vh;display:grid;place-items:center;background:#3a0ca3;color:#fff;font:12vh sans-serif}
b{animation:a 3s infinite alternate}@keyframes a{to{transform:scale(1.2)}}</style></head><body><b>欢迎光临</b></body></html>`

interface Maker {
  readonly services: Services
  readonly db: Db
  readonly uid: number
}
type Facts = Partial<typeof adMaterials.$inferInsert>

/** Stores a file with its row. Returns the row. */
async function keep({ services, db, uid }: Maker, purpose: string, name: string, mime: string, bytes: Buffer) {
  const { sha256, sha1, md5, size } = await putBytes(services.files, bytes)
  const id = randomBytes(16).toString('hex')
  const row = { id, tenantId: PLATFORM_TENANT_ID, uid, purpose, name, mime, size, md5, sha1, sha256 }
  await db.insert(files).values({ ...row, usedTime: services.now().toISOString() })
  return row
}

/** Stores a material with its thumbnail. `played` are the bytes that screens get. */
async function addMaterial(
  maker: Maker,
  adId: number,
  file: { readonly purpose: string; readonly name: string; readonly mime: string; readonly bytes: Buffer },
  facts: Facts & { readonly picture?: Buffer },
) {
  const { picture, ...columns } = facts
  const { id: fileId, name: fileName, ...stored } = await keep(maker, file.purpose, file.name, file.mime, file.bytes)
  const thumb =
    picture && (await sharp(picture).resize(480, 480, { fit: 'inside' }).webp({ quality: 75, effort: 0 }).toBuffer())
  const thumbFileId = thumb ? (await keep(maker, 'adThumb', 'thumb.webp', 'image/webp', thumb)).id : ''
  const page =
    file.purpose === 'adPackage'
      ? await keep(maker, 'adPage', 'index.html', 'text/html; charset=utf-8', Buffer.from(HTML))
      : undefined
  const chunkHashes = [
    createHash('sha256')
      .update(page ? HTML : file.bytes)
      .digest('hex'),
  ]
  await maker.db.insert(adMaterials).values({
    adId,
    tenantId: PLATFORM_TENANT_ID,
    fileId,
    fileName,
    sha256: stored.sha256,
    md5: stored.md5,
    mime: stored.mime,
    size: stored.size,
    thumbFileId,
    pageFileId: page?.id ?? '',
    chunkHashes,
    probeState: 1,
    createBy: maker.uid,
    ...columns,
  })
}

const draw = (advertiser: number, seed: number, width: number, height: number) =>
  sharp(Buffer.from(createAdPicture(advertiser, seed, width, height)))
    .webp({ quality: 70, effort: 0 })
    .toBuffer()

async function addPackage(maker: Maker, adId: number, name: string) {
  const parts: Buffer[] = []
  for await (const part of writeZip([{ name: 'index.html', source: [Buffer.from(HTML)] }]))
    parts.push(Buffer.from(part))
  const file = { purpose: 'adPackage', name, mime: 'application/zip', bytes: Buffer.concat(parts) } as const
  return addMaterial(maker, adId, file, {})
}

function addSound(maker: Maker, adId: number, name: string) {
  const file = { purpose: 'adAudio', name, mime: 'audio/wav', bytes: createTone(AUDIO_SECONDS, 523) }
  return addMaterial(maker, adId, file, { durationMs: AUDIO_SECONDS * 1000, codec: 'pcm-s16', hasAudio: 1 })
}

async function addFiles(maker: Maker, adId: number, place: number, type: number) {
  const advertiser = Math.floor(place / 5)
  const name = `素材${place + 1}`
  if (type === AD_TYPE.video) {
    const clip = VIDEOS[VIDEO_PLACES.indexOf(place)]!
    const isMp4 = clip.endsWith('.mp4')
    const mime = isMp4 ? 'video/mp4' : 'video/webm'
    const bytes = await readFile(join(VIDEO_FOLDER, clip))
    const picture = await draw(advertiser, place, 640, 360)
    const facts = { width: 640, height: 360, durationMs: 2000, codec: isMp4 ? 'avc1' : 'vp9', fps: 12, picture }
    return addMaterial(
      maker,
      adId,
      { purpose: 'adVideo', name: `${name}.${isMp4 ? 'mp4' : 'webm'}`, mime, bytes },
      facts,
    )
  }
  if (type === AD_TYPE.audio) return addSound(maker, adId, `${name}.wav`)
  if (type === AD_TYPE.package) return addPackage(maker, adId, `${name}.zip`)
  if (type !== AD_TYPE.image) return
  const sizes =
    place % PORTRAIT_EVERY === 0
      ? [
          [1280, 720],
          [720, 1280],
        ]
      : [[1280, 720]]
  for (const [sort, [width = 0, height = 0]] of sizes.entries()) {
    const bytes = await draw(advertiser, place, width, height)
    const file = { purpose: 'adImage', name: `${name}-${width > height ? '横' : '竖'}.webp`, mime: 'image/webp', bytes }
    await addMaterial(maker, adId, file, { sort, width, height, picture: bytes })
  }
}

function typeAt(place: number): number {
  if (VIDEO_PLACES.includes(place)) return AD_TYPE.video
  if (place in TEXT_ENDINGS) return AD_TYPE.text
  if (place === WEB_PLACE) return AD_TYPE.web
  if (place === AUDIO_PLACE) return AD_TYPE.audio
  return place === PACKAGE_PLACE ? AD_TYPE.package : AD_TYPE.image
}

const TEXT = { fontSize: 120, color: '#ffffff', background: '#b5179e', align: 'center', speed: 5 } as const

function fieldsAt(place: number, today: string) {
  const [advertiser, titles] = ADVERTISERS[Math.floor(place / 5)]!
  const adName = titles[place % 5]!
  const adType = typeAt(place)
  const isPublic = advertiser === '向阳公益'
  return {
    adName,
    adType,
    advertiser,
    // Each advertiser has two contracts.
    contractNo: isPublic ? '' : `HT-2026-${101 + Math.floor(place / 5) * 2 + (place % 5 < 3 ? 0 : 1)}`,
    categoryId: isPublic ? 7 : 1 + (place % 3),
    duration: adType === AD_TYPE.video ? 2 : 8 + (place % 3) * 4,
    linkUrl: adType === AD_TYPE.web ? 'https://www.example.com/flights' : '',
    text:
      adType === AD_TYPE.text ? { ...TEXT, content: `${adName}　${TEXT_ENDINGS[place]}`, scroll: place === 36 } : null,
    validFrom: addDays(today, -60),
    validTo: place === EXPIRED_PLACE ? addDays(today, -3) : addDays(today, 90 + place),
    tags: isPublic ? ['公益'] : [['餐饮', '出行', '文化', '零售', '房产', '影视', '食品'][Math.floor(place / 5)]!],
  }
}

/**
 * Creates 40 ads of eight advertisers with drawn pictures, small videos, a sound, a package, texts and a web address.
 * Three wait for review, two are rejected, one is expired, one is a draft.
 */
export async function seedDemoAds(services: Services, db: Db, demo: Actor) {
  const today = formatLocalDay(services.now(), services.config.timeZone)
  const { uid } = demo.user
  const staff = and(eq(accounts.tenantId, PLATFORM_TENANT_ID), ne(accounts.uid, uid))
  const [auditor] = await db.select({ uid: accounts.uid }).from(accounts).where(staff).orderBy(accounts.uid).limit(1)
  const maker: Maker = { services, db, uid }
  for (let place = 0; place < ADVERTISERS.length * 5; place += 1) {
    const fields = fieldsAt(place, today)
    const [ad] = await db
      .insert(ads)
      .values({ ...fields, tenantId: PLATFORM_TENANT_ID, createBy: uid, updateBy: uid })
      .returning()
    await addFiles(maker, ad!.id, place, fields.adType)
    await review(db, ad!, { place, uid, auditor: auditor?.uid ?? uid, at: services.now().toISOString() })
  }
}

interface Review {
  readonly place: number
  readonly uid: number
  readonly auditor: number
  readonly at: string
}

async function review(db: Db, ad: typeof ads.$inferSelect, { place, uid, auditor, at }: Review) {
  const auditStatus = STATES[place] ?? APPROVED!
  const materials = await readMaterials(db, ad.id)
  const facts = computeDurationAndThumbnail(ad, materials)
  const verNo = auditStatus === DRAFT ? 0 : 1
  const approvedVer = auditStatus === APPROVED ? 1 : 0
  await db
    .update(ads)
    .set({ ...facts, auditStatus, verNo, approvedVer })
    .where(eq(ads.id, ad.id))
  if (verNo === 0) return
  const body = await readEditedBody(db, { ...ad, ...facts, verNo }, materials)
  const isDecided = auditStatus !== SUBMITTED
  await db.insert(adVersions).values({
    adId: ad.id,
    verNo,
    tenantId: ad.tenantId,
    body,
    contentHash: hashContent(body),
    uploaders: [uid],
    submitBy: uid,
    auditStatus,
    ...(isDecided && { auditBy: auditor, auditTime: at }),
    auditRemark: REMARKS[place] ?? '',
    checks: auditStatus === APPROVED ? [...listChecks(ad.adType)] : [],
  })
}
