import { sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { adMaterials, ads, adVersions } from '../schema.ts'
import { adScreens } from '../schema-screen.ts'
import { deviceModels, devices, deviceTypes } from '#modules/device/schema.ts'

let made = 0

/** Creates an approved ad with one picture of `size` bytes. */
export async function createApprovedAd(
  db: Db,
  options: { tenantId?: number; name?: string; type?: number; size?: number; validTo?: string; duration?: number } = {},
) {
  made += 1
  const { tenantId = 1, name = `广告${made}`, type = 1, size = 100_000, validTo = null, duration = 10 } = options
  const [ad] = await db
    .insert(ads)
    .values({ tenantId, adName: name, adType: type, duration, auditStatus: 2, verNo: 1, approvedVer: 1, validTo })
    .returning({ id: ads.id })
  const adId = ad!.id
  const sha256 = made.toString(16).padStart(64, '0')
  const [material] = await db
    .insert(adMaterials)
    .values({
      tenantId,
      adId,
      fileId: `file${made}`,
      sha256,
      md5: sha256.slice(32),
      mime: type === 2 ? 'video/mp4' : 'image/png',
      size,
      width: 1920,
      height: 1080,
      durationMs: type === 2 ? 15_400 : 0,
      codec: type === 2 ? 'avc1' : '',
    })
    .returning({ id: adMaterials.id })
  const file = {
    materialId: material!.id,
    sha256,
    size,
    mime: 'image/png',
    width: 1920,
    height: 1080,
    codec: type === 2 ? 'avc1' : '',
    chunks: [],
  }
  await db.insert(adVersions).values({
    adId,
    verNo: 1,
    tenantId,
    body: {
      id: adId,
      verNo: 1,
      name,
      type: type as 1,
      validFrom: null,
      validTo,
      approvalUntil: null,
      linkUrl: null,
      text: null,
      files: [file],
      ...(type === 2 && { review: { orientation: 0, durationMs: 15_400 } as never }),
    },
    contentHash: sha256,
    submitBy: 1,
    auditStatus: 2,
  })
  return adId
}

/** Creates devices of a new model, each with a screen. Returns their ids. */
export async function createScreens(db: Db, { tenantId = 1, count = 2, codecs = [] as string[] } = {}) {
  made += 1
  const [type] = await db
    .insert(deviceTypes)
    .values({ typeName: `屏${made}`, typeCode: `screen${made}` })
    .returning({ id: deviceTypes.id })
  const [model] = await db
    .insert(deviceModels)
    .values({ typeId: type!.id, modelName: `屏型号${made}`, modelCode: `SM${made}` })
    .returning({ id: deviceModels.id })
  const prefix = made
  const rows = await db
    .insert(devices)
    .values(Array.from({ length: count }, (_, at) => ({ tenantId, modelId: model!.id, sn: `SCR-${prefix}-${at}` })))
    .returning({ id: devices.id, sn: devices.sn })
  await db
    .insert(adScreens)
    .values(rows.map(({ id }) => ({ deviceId: id, tenantId, playerKind: 1, width: 1920, height: 1080, codecs })))
  return { modelId: model!.id, ids: rows.map(({ id }) => id), sns: rows.map(({ sn }) => sn) }
}

/** Fields of a program that plays all day today and tomorrow. */
export const buildProgramInput = (fields: object = {}) => ({
  programName: '测试节目单',
  dateFrom: formatDayFromToday(0),
  dateTo: formatDayFromToday(1),
  targetType: 1,
  targetIds: [],
  ...fields,
})

/** Returns today's date plus `days` in the console's time zone. */
export const formatDayFromToday = (days: number) =>
  new Date(Date.now() + 8 * 3_600_000 + days * 86_400_000).toISOString().slice(0, 10)

/** Returns the ads that a program uses. */
export async function readAdUses(db: Db, programId: number): Promise<number[]> {
  const { rows } = await db.execute<{ id: number }>(
    sql`select ad_id as id from ad_uses where program_id = ${programId} order by 1`,
  )
  return rows.map(({ id }) => id)
}
