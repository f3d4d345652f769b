import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { AD_TYPE } from '@oms/contract/advertise/engine/manifest.ts'
import { listChecks } from '@oms/contract/advertise/ad-rules.ts'
import { and, eq, ne } from 'drizzle-orm'
import sharp from 'sharp'
import type { Services } from '#core/services.ts'
import { writeZip } from '#core/spreadsheet/formats/zip.ts'
import { PLATFORM_TENANT_ID } from '#core/tenancy/tenancy.ts'
import { addDays, formatLocalDay } from '#core/time/zone.ts'
import { hashContent, readEditedBody } from '#modules/advertise/content.ts'
import { accounts } from '#core/schema/account.ts'
import { adMaterials, ads, adVersions } from '#modules/advertise/schema.ts'
import { files } from '#core/schema/system.ts'
import type { Demo } from './call.ts'
import { createTone, storeFile, VIDEO_FOLDER } from './media.ts'

/** Advertisers of the demo with their ads. The first words of a title name the kind of picture. */
const ADVERTISERS: readonly (readonly [name: string, titles: readonly string[]])[] = [
  ['春风茶饮', ['春日新品 鲜果茶', '早餐组合 第二杯半价', '会员日 积分翻倍', '夏日冰饮季', '门店开业']],
  ['云上航空', ['冬季航线 海南直飞', '里程会员招募', '商务舱体验周', '亲子出游季', '暑期机票']],
  ['华音乐器', ['钢琴试弹周', '少儿音乐课', '年末音乐会', '吉他节', '开学季']],
  ['青禾超市', ['新鲜蔬果每日达', '周五会员日', '年货节', '母婴专区', '产地直供']],
  ['蓝湾地产', ['滨江新区样板间', '周末看房专车', '置业顾问热线', '交付公告', '园林实景']],
  ['星河影城', ['贺岁档排片', '儿童票专场', '巨幕厅体验', '情人节套票', '午夜场']],
  ['老城糕点', ['中秋月饼礼盒', '手工糕点坊', '早点外卖', '新春礼盒', '桂花糕上新']],
  ['向阳公益', ['文明出行', '节约用水', '垃圾分类', '反诈提示', '无偿献血']],
]

const VIDEOS = ['ad-0.webm', 'ad-1.webm', 'ad-2.mp4'] as const
const DRAFT = 0
const SUBMITTED = 1
const APPROVED = 2
const REJECTED = 3
/** States of the last ads; all others are approved. */
const STATES: Readonly<Record<number, number>> = {
  4: SUBMITTED,
  9: SUBMITTED,
  14: SUBMITTED,
  19: REJECTED,
  24: REJECTED,
  29: DRAFT,
}
const REMARKS: Readonly<Record<number, string>> = {
  19: '画面中的价格与合同不一致，请核对后重新提交',
  24: '交付公告缺少预售许可证号',
}
const EXPIRED_PLACE = 38
const VIDEO_PLACES: readonly number[] = [2, 12, 27]
const VIDEO_SECONDS = 2
/** Ending of the text of each text ad, by place. */
const TEXT_ENDINGS: Readonly<Record<number, string>> = { 22: '欢迎来电', 36: '人人有责' }
const WEB_PLACE = 7
const AUDIO_PLACE = 32
const AUDIO_SECONDS = 5
const PACKAGE_PLACE = 17
const PORTRAIT_EVERY = 4
const WIDTH = 640
const HEIGHT = 360
const HTML = `<!doctype html><html lang="zh"><head><meta charset="utf-8"><style>
body{margin:0;height:100vh;display:grid;place-items:center;background:#3a0ca3;color:#fff;font:12vh sans-serif}
b{animation:a 3s infinite alternate}@keyframes a{to{transform:scale(1.2)}}</style></head><body><b>欢迎光临</b></body></html>`

/**
 * Creates 40 ads of eight advertisers with drawn pictures, small videos, a sound, a package, texts and a web address.
 * Three wait for review, two are rejected, one is expired, one is a draft.
 */
export async function seedDemoAds({ services, db, actor }: Demo) {
  const today = formatLocalDay(services.now(), services.config.timeZone)
  const { uid } = actor.user
  const staff = and(eq(accounts.tenantId, PLATFORM_TENANT_ID), ne(accounts.uid, uid))
  const [auditor] = await db.select({ uid: accounts.uid }).from(accounts).where(staff).orderBy(accounts.uid).limit(1)
  const materials = await Promise.all(
    Array.from({ length: ADVERTISERS.length * 5 }, (_, place) => materialsAt(services, uid, place)),
  )
  await db.insert(files).values(materials.flat().flatMap(({ rows }) => rows))
  const owner = { tenantId: PLATFORM_TENANT_ID, createBy: uid }
  const made = await db
    .insert(ads)
    .values(
      materials.map(([first], place) => ({
        ...fieldsAt(place, today),
        ...owner,
        thumb: first?.columns.thumbFileId ?? '',
        updateBy: uid,
      })),
    )
    .returning()
  const stored = await db
    .insert(adMaterials)
    .values(materials.flatMap((list, at) => list.map(({ columns }) => ({ ...columns, ...owner, adId: made[at]!.id }))))
    .returning()
  const versions = []
  for (const [place, ad] of made.entries()) {
    if (ad.verNo === 0) continue
    const body = await readEditedBody(
      db,
      ad,
      stored.filter(({ adId }) => adId === ad.id),
    )
    versions.push({
      adId: ad.id,
      verNo: ad.verNo,
      tenantId: ad.tenantId,
      body,
      contentHash: hashContent(body),
      uploaders: [uid],
      submitBy: uid,
      auditStatus: ad.auditStatus,
      ...(ad.auditStatus !== SUBMITTED && { auditBy: auditor?.uid ?? uid, auditTime: services.now().toISOString() }),
      auditRemark: REMARKS[place] ?? '',
      checks: ad.auditStatus === APPROVED ? [...listChecks(ad.adType)] : [],
    })
  }
  await db.insert(adVersions).values(versions)
}

interface Media {
  readonly purpose: string
  readonly name: string
  readonly mime: string
  readonly bytes: Buffer
}
type Facts = Partial<typeof adMaterials.$inferInsert>

/** Stores the files of a material: the media, its thumbnail and its page. Returns their rows and the material's columns. */
async function addMaterial(services: Services, uid: number, { bytes, ...file }: Media, facts: Facts, thumb?: Buffer) {
  const keep = (named: Omit<Media, 'bytes'>, content: Buffer) =>
    storeFile(services, { uid, tenantId: PLATFORM_TENANT_ID }, named, content)
  const media = await keep(file, bytes)
  const small = thumb && (await keep({ purpose: 'adThumb', name: 'thumb.webp', mime: 'image/webp' }, thumb))
  const isPackage = file.purpose === 'adPackage'
  const page = isPackage
    ? await keep({ purpose: 'adPage', name: 'index.html', mime: 'text/html; charset=utf-8' }, Buffer.from(HTML))
    : undefined
  return {
    rows: [media, small, page].filter((row) => row !== undefined),
    columns: {
      fileId: media.id,
      fileName: media.name,
      sha256: media.sha256,
      md5: media.md5,
      mime: media.mime,
      size: media.size,
      thumbFileId: small?.id ?? '',
      pageFileId: page?.id ?? '',
      chunkHashes: [(page ?? media).sha256],
      probeState: 1,
      ...facts,
    },
  }
}

const draw = (place: number, width: number, height: number) =>
  sharp(Buffer.from(createAdPicture(Math.floor(place / 5), place, width, height)))
    .webp({ quality: 70, effort: 0 })
    .toBuffer()

/** Returns the materials of the ad at a place. Texts and web addresses have none. */
async function materialsAt(services: Services, uid: number, place: number) {
  const type = typeAt(place)
  const name = `素材${place + 1}`
  if (type === AD_TYPE.video) {
    const clip = VIDEOS[VIDEO_PLACES.indexOf(place)]!
    const isMp4 = clip.endsWith('.mp4')
    const bytes = await readFile(join(VIDEO_FOLDER, clip))
    const file = {
      purpose: 'adVideo',
      name: `${name}${extname(clip)}`,
      mime: isMp4 ? 'video/mp4' : 'video/webm',
      bytes,
    }
    const codec = isMp4 ? 'avc1' : 'vp9'
    const facts = { width: WIDTH, height: HEIGHT, durationMs: VIDEO_SECONDS * 1000, codec, fps: 12 }
    return [await addMaterial(services, uid, file, facts, await draw(place, WIDTH, HEIGHT))]
  }
  if (type === AD_TYPE.audio) {
    const file = { purpose: 'adAudio', name: `${name}.wav`, mime: 'audio/wav', bytes: createTone(AUDIO_SECONDS, 523) }
    return [await addMaterial(services, uid, file, { durationMs: AUDIO_SECONDS * 1000, codec: 'pcm-s16', hasAudio: 1 })]
  }
  if (type === AD_TYPE.package) {
    const parts: Uint8Array[] = []
    for await (const part of writeZip([{ name: 'index.html', source: [Buffer.from(HTML)] }])) parts.push(part)
    const file = { purpose: 'adPackage', name: `${name}.zip`, mime: 'application/zip', bytes: Buffer.concat(parts) }
    return [await addMaterial(services, uid, file, {})]
  }
  if (type !== AD_TYPE.image) return []
  const sizes =
    place % PORTRAIT_EVERY === 0
      ? ([
          [WIDTH, HEIGHT],
          [HEIGHT, WIDTH],
        ] as const)
      : ([[WIDTH, HEIGHT]] as const)
  return Promise.all(
    sizes.map(async ([width, height], sort) => {
      const bytes = await draw(place, width, height)
      const file = {
        purpose: 'adImage',
        name: `${name}-${width > height ? '横' : '竖'}.webp`,
        mime: 'image/webp',
        bytes,
      }
      return addMaterial(services, uid, file, { sort, width, height }, bytes)
    }),
  )
}

function typeAt(place: number): number {
  if (VIDEO_PLACES.includes(place)) return AD_TYPE.video
  if (place in TEXT_ENDINGS) return AD_TYPE.text
  if (place === WEB_PLACE) return AD_TYPE.web
  if (place === AUDIO_PLACE) return AD_TYPE.audio
  return place === PACKAGE_PLACE ? AD_TYPE.package : AD_TYPE.image
}

/** Seconds of the types whose files have a duration. */
const SECONDS: Readonly<Record<number, number>> = { [AD_TYPE.video]: VIDEO_SECONDS, [AD_TYPE.audio]: AUDIO_SECONDS }
const TEXT = { fontSize: 120, color: '#ffffff', background: '#b5179e', align: 'center', speed: 5 } as const

function fieldsAt(place: number, today: string) {
  const [advertiser, titles] = ADVERTISERS[Math.floor(place / 5)]!
  const adName = titles[place % 5]!
  const adType = typeAt(place)
  const isPublic = advertiser === '向阳公益'
  const auditStatus = STATES[place] ?? APPROVED
  return {
    adName,
    adType,
    auditStatus,
    verNo: auditStatus === DRAFT ? 0 : 1,
    approvedVer: auditStatus === APPROVED ? 1 : 0,
    advertiser,
    // Each advertiser has two contracts.
    contractNo: isPublic ? '' : `HT-2026-${101 + Math.floor(place / 5) * 2 + (place % 5 < 3 ? 0 : 1)}`,
    categoryId: isPublic ? 7 : 1 + (place % 3),
    duration: SECONDS[adType] ?? 8 + (place % 3) * 4,
    linkUrl: adType === AD_TYPE.web ? 'https://www.example.com/flights' : '',
    text:
      adType === AD_TYPE.text ? { ...TEXT, content: `${adName}　${TEXT_ENDINGS[place]}`, scroll: place === 36 } : null,
    validFrom: addDays(today, -60),
    validTo: place === EXPIRED_PLACE ? addDays(today, -3) : addDays(today, 90 + place),
    tags: isPublic ? ['公益'] : [['餐饮', '出行', '文化', '零售', '房产', '影视', '食品'][Math.floor(place / 5)]!],
  }
}

/** Colours of each advertiser: background from, background to, accent. */
const PALETTES: readonly (readonly [string, string, string])[] = [
  ['#ff8a3d', '#e8384f', '#fff3d6'],
  ['#1f7a8c', '#0b3954', '#bfd7ea'],
  ['#5b2a86', '#9a4c95', '#f6d8ae'],
  ['#2d6a4f', '#95d5b2', '#fefae0'],
  ['#1d3557', '#457b9d', '#f1faee'],
  ['#b5179e', '#3a0ca3', '#ffd6ff'],
  ['#7f4f24', '#dda15e', '#fefae0'],
  ['#0f4c5c', '#e36414', '#fff1e6'],
]

const spread = (seed: number, n: number, most: number) => (seed * 7919 + n * 104_729) % most

/** Returns the picture of a demo ad as SVG: shapes in the colours of the advertiser, without text. */
function createAdPicture(advertiser: number, seed: number, width: number, height: number): string {
  const [from, to, accent] = PALETTES[advertiser % PALETTES.length]!
  const circles = Array.from({ length: 6 }, (_, n) => {
    const radius = 40 + spread(seed, n + 3, Math.round(height / 4))
    return `<circle cx="${spread(seed, n, width)}" cy="${spread(seed, n + 1, height)}" r="${radius}" fill="${accent}" fill-opacity="0.${10 + n * 4}"/>`
  }).join('')
  const bar = Math.round(height / 9)
  const x = Math.round(width * 0.12)
  const y = Math.round(height * 0.62)
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">
    <defs><linearGradient id="g" x1="0" y1="0" x2="1" y2="1"><stop offset="0" stop-color="${from}"/>
    <stop offset="1" stop-color="${to}"/></linearGradient></defs>
    <rect width="100%" height="100%" fill="url(#g)"/>${circles}
    <rect x="${x}" y="${y}" width="${Math.round(width * 0.5)}" height="${bar}" rx="${bar / 2}" fill="${accent}"/>
    <rect x="${x}" y="${y + bar * 1.4}" width="${Math.round(width * 0.3)}" height="${bar / 2}" rx="${bar / 4}" fill="${accent}" fill-opacity="0.6"/>
  </svg>`
}
