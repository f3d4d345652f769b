import { createHash, randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import type { ManifestFile, ManifestProgram } from '@oms/contract/ad-engine/manifest.ts'
import type { deviceLab } from './device-fixture.ts'
import { TOKEN } from './device-fixture.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

interface ProgramFields {
  readonly tenantId?: number
  readonly ads?: readonly number[]
  readonly targetType?: number
  readonly targetIds?: readonly number[]
  readonly body?: Partial<ManifestProgram>
}

/** Creates approved ads, published programs and screens without the console. */
export function useAds(oms: ReturnType<typeof deviceLab>) {
  let made = 0
  const today = () => new Date().toISOString().slice(0, 10)

  /** Creates an approved image ad with one file. */
  const ad = async (
    fields: { tenantId?: number; bytes?: Buffer; validTo?: string; type?: number; mime?: string } = {},
  ) => {
    made += 1
    const { tenantId = 1, bytes = randomBytes(2000), validTo = null, type = 1, mime = 'image/png' } = fields
    const stored = await oms.services.files.put(Readable.from([bytes]))
    const [row] = await oms.query(
      `insert into ads (tenant_id, ad_name, ad_type, ver_no, approved_ver, audit_status) values ($1, $2, $3, 1, 1, 2) returning id`,
      [tenantId, `广告${made}`, type],
    )
    const id: number = row.id
    const [material] = await oms.query(
      `insert into ad_materials (tenant_id, ad_id, file_id, sha256, md5, mime, size) values ($1, $2, 'f', $3, $4, $5, $6) returning id`,
      [tenantId, id, stored.sha256, stored.md5, mime, stored.size],
    )
    const file: ManifestFile = {
      materialId: material.id,
      sha256: stored.sha256,
      size: stored.size,
      mime,
      width: 1920,
      height: 1080,
      codec: '',
      chunks: [stored.sha256],
    }
    const body = {
      id,
      verNo: 1,
      name: `广告${made}`,
      type,
      validFrom: null,
      validTo,
      approvalUntil: null,
      linkUrl: null,
      text: null,
      files: [file],
    }
    await oms.query(
      `insert into ad_versions (ad_id, ver_no, tenant_id, body, content_hash, submit_by, audit_status) values ($1, 1, $2, $3, $4, 1, 2)`,
      [id, tenantId, JSON.stringify(body), sha256(JSON.stringify(body))],
    )
    return { id, sha256: stored.sha256, bytes, materialId: material.id as number }
  }

  /** Publishes a program with one item of 15 seconds for each ad; by default to all devices of the tenant. */
  const program = async (fields: ProgramFields = {}) => {
    made += 1
    const { tenantId = 1, ads = [], body = {}, targetType = 4, targetIds = [tenantId] } = fields
    const dates = { dateFrom: body.dateFrom ?? today(), dateTo: body.dateTo ?? '2099-12-31' }
    const [row] = await oms.query(
      `insert into ad_programs (tenant_id, program_name, date_from, date_to, target_type, target_ids, ver_no)
       values ($1, $2, $3, $4, $5, $6, 1) returning id`,
      [tenantId, `节目单${made}`, dates.dateFrom, dates.dateTo, targetType, targetIds],
    )
    const id: number = row.id
    await publish(id, 1, { ...fields, tenantId, ads, targetType, targetIds, body: { ...body, ...dates } })
    return id
  }

  const publish = async (id: number, verNo: number, fields: ProgramFields) => {
    const { tenantId = 1, ads = [], targetType = 4, targetIds = [tenantId], body = {} } = fields
    const whole: ManifestProgram = {
      id,
      verNo,
      name: `节目单${id}`,
      publishedAt: 1,
      playMode: 1,
      priority: 0,
      insertMode: 0,
      share: null,
      dateFrom: today(),
      dateTo: '2099-12-31',
      weekdays: 127,
      dayParts: [],
      fallback: 0,
      items: ads.map((adId, at) => ({
        id: at + 1,
        adId,
        ms: 15_000,
        weight: 1,
        maxPlaysPerHour: 0,
        from: null,
        to: null,
        transition: 0,
      })),
      ...body,
    }
    await oms.query(
      `insert into ad_program_versions (program_id, ver_no, tenant_id, body, target_type, target_ids, state, publish_by)
       values ($1, $2, $3, $4, $5, $6, 2, 1)`,
      [id, verNo, tenantId, JSON.stringify(whole), targetType, targetIds],
    )
    await oms.query(`update ad_programs set status = 2, ver_no = $2, published_ver = $2 where id = $1`, [id, verNo])
    await oms.sync()
  }

  const bearer = (token = TOKEN) => ({ authorization: `Bearer ${token}` })
  return {
    ad,
    program,
    publish,
    bearer,
    get: (path: string, headers: Record<string, string> = {}, token = TOKEN) =>
      oms.send(`/device/v1/ad/${path}`, { token: null, headers: { ...bearer(token), ...headers } }),
    report: (sn: string, reports: readonly unknown[], token = TOKEN) => oms.plain('ad/report', { sn, reports }, token),
  }
}
