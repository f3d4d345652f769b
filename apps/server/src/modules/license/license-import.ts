import { randomInt } from 'node:crypto'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { licenseCerts as calls } from '@oms/contract/license/license.ts'
import { LICENSE_IMPORT_ROWS, LicenseImportLine } from '@oms/contract/license/license-rows.ts'
import {
  toCanonicalUid,
  LICENSE_VENDORS,
  type LicenseVendor,
  findUidProblem,
} from '@oms/contract/license/license-uid.ts'
import { and, eq, sql } from 'drizzle-orm'
import type * as z from 'zod'
import { encrypt } from '#core/crypto/encrypted-value.ts'
import type { Db } from '#core/database/client.ts'
import { toUniqueViolation } from '#core/database/unique-violation.ts'
import { ApiError, conflict, forbidden, invalid, refused } from '#core/http/api-error.ts'
import type { ColumnSpec } from '#core/spreadsheet/columns.ts'
import { defineImport } from '#core/spreadsheet/import/import.ts'
import type { ImportCtx } from '#core/spreadsheet/import/take-lines.ts'
import { notDeleted } from '#core/tenancy/tenancy.ts'
import { formatLocalDay } from '#core/time/zone.ts'
import { deviceModels } from '#schema/device.ts'
import { licenseBatches } from '#schema/license.ts'
import { publishLicensesChanged, createStepContext } from './license-rows.ts'
import { listKnownTypes } from './license-types.ts'

export type ImportLine = z.output<typeof LicenseImportLine>
type Input = ParsedOf<typeof calls.import>
/** Values that every line of a file is checked against. */
interface Defaults {
  readonly vendor: LicenseVendor
  readonly typeCode: string
  readonly models: ReadonlyMap<string, number>
  readonly types: ReadonlySet<string>
  /** `yyyy-MM-dd` in the time zone of the console. */
  readonly today: string
}
interface State extends Defaults {
  readonly batchId: number
  readonly batchNo: string
  /** First line number of each UID. */
  readonly seen: Map<string, number>
  created: number
}
/** A line that can be stored. */
export interface ResolvedLine {
  readonly uid: string
  readonly typeCode: string
  readonly modelId: number | null
  readonly key: string
  readonly expire: string | null
  readonly remark: string
}

export const LICENSE_COLUMNS: readonly ColumnSpec[] = [
  ['uid', { width: 30 }],
  ['licenseKey', { width: 40 }],
  'vendor',
  'typeCode',
  'modelCode',
  ['expireTime', { width: 14 }],
  ['remark', { width: 30 }],
]

export const importLicenses = defineImport({
  kind: 'license',
  endpoint: calls.import,
  name: 'P2P证书',
  schema: LicenseImportLine,
  columns: LICENSE_COLUMNS,
  tables: ['licenses', 'license_events'],
  required: ['uid'],
  example: {
    uid: 'VSTC-000123-ABCDE',
    licenseKey: '示例行，导入前请删除',
    vendor: 'PPCS',
    typeCode: 'P2P',
    modelCode: '',
    expireTime: '2030-12-31',
    remark: '密钥、厂商、授权类型、型号编码、到期日期均可不填',
  },
  maxRows: LICENSE_IMPORT_ROWS,
  secret: ['licenseKey'],
  prepare,
  takeMany,
  finish,
})

async function prepare(ctx: ImportCtx, input: Input): Promise<State> {
  const { db, user, file } = ctx
  if (!user.isPlatform) throw forbidden()
  await assertNewFile(db, file.sha256)
  const [batch] = await db
    .insert(licenseBatches)
    .values({
      batchNo: input.batchNo || (await freeNumber(ctx)),
      vendor: input.vendor,
      orderNo: input.orderNo,
      remark: input.remark,
      fileName: file.name.slice(0, 255),
      fileHash: file.sha256,
      createBy: user.uid,
      createTime: ctx.now.toISOString(),
    })
    .returning({ id: licenseBatches.id, batchNo: licenseBatches.batchNo })
    .catch((error: unknown) => {
      throw toUniqueViolation(error, CLASHES) ?? error
    })
  const made = batch!
  return {
    batchId: made.id,
    batchNo: made.batchNo,
    ...(await loadImportDefaults(ctx, input)),
    seen: new Map(),
    created: 0,
  }
}

const CLASHES = {
  license_batches_no: ['批次号已存在', 'batchNo'],
  license_batches_file: ['该文件已导入过，未做任何更改', 'file'],
} as const

async function assertNewFile(db: Db, sha256: string) {
  const [same] = await db
    .select({ batchNo: licenseBatches.batchNo, total: licenseBatches.total })
    .from(licenseBatches)
    .where(eq(licenseBatches.fileHash, sha256))
  if (same) throw invalid(`该文件已导入过（批次 ${same.batchNo}，${same.total}个），未做任何更改`, 'file')
}

/** `B20260102-4821`. */
async function freeNumber({ db, now, services }: Pick<ImportCtx, 'db' | 'now' | 'services'>): Promise<string> {
  const day = formatLocalDay(now, services.config.timeZone).replaceAll('-', '')
  for (let tries = 0; tries < 20; tries++) {
    const batchNo = `B${day}-${randomInt(1000, 10_000)}`
    if ((await db.$count(licenseBatches, eq(licenseBatches.batchNo, batchNo))) === 0) return batchNo
  }
  throw refused('无法生成批次号，请手动填写')
}

async function modelsByCode(db: Db) {
  const rows = await db
    .select({ id: deviceModels.id, code: deviceModels.modelCode })
    .from(deviceModels)
    .where(and(notDeleted(deviceModels)))
  return new Map(rows.map(({ id, code }) => [code.toLowerCase(), id]))
}

/** Loads the values that lines are checked against. */
export async function loadImportDefaults(
  { db, now, services }: Pick<ImportCtx, 'db' | 'now' | 'services'>,
  { vendor, typeCode }: Pick<Input, 'vendor' | 'typeCode'>,
): Promise<Defaults> {
  const today = formatLocalDay(now, services.config.timeZone)
  return { vendor, typeCode, models: await modelsByCode(db), types: await listKnownTypes(db, typeCode), today }
}

/** Returns the stored fields of a line. Throws the problem of a line that cannot be stored. */
export function resolveLine(input: ImportLine, { vendor, typeCode, models, types, today }: Defaults): ResolvedLine {
  if (input.vendor && input.vendor.toLowerCase() !== LICENSE_VENDORS[vendor].toLowerCase())
    throw invalid(`厂商「${input.vendor}」与批次的厂商${LICENSE_VENDORS[vendor]}不一致`, 'vendor')
  const uid = toCanonicalUid(vendor, input.uid)
  const problem = findUidProblem(vendor, uid)
  if (problem) throw invalid(problem, 'uid')
  if (input.typeCode && !types.has(input.typeCode))
    throw invalid(`授权类型「${input.typeCode}」不存在，请改正，或先以该类型导入批次或申请授权`, 'typeCode')
  const modelId = input.modelCode ? models.get(input.modelCode.toLowerCase()) : null
  if (modelId === undefined) throw invalid(`型号编码「${input.modelCode}」不存在`, 'modelCode')
  if (input.expireTime && input.expireTime < today)
    throw invalid(`到期日期 ${input.expireTime} 已过，不能导入已过期的证书`, 'expireTime')
  return {
    uid,
    typeCode: input.typeCode ?? typeCode,
    modelId,
    key: input.licenseKey,
    expire: input.expireTime ? `${input.expireTime} 23:59:59` : null,
    remark: input.remark,
  }
}

type Numbered = { readonly row: number; readonly input: ImportLine }

/** Writes a batch of lines with two statements: one inserts the certificates, one inserts their history. */
async function takeMany(ctx: ImportCtx, lines: readonly Numbered[], state: State): Promise<('created' | ApiError)[]> {
  const outcomes: ('created' | ApiError)[] = []
  const added: { at: number; line: ResolvedLine }[] = []
  for (const [at, { row, input }] of lines.entries()) {
    const verdict = checkedLine(row, input, state)
    if (verdict instanceof ApiError) outcomes[at] = verdict
    else added.push({ at, line: verdict })
  }
  const made = await insert(
    ctx,
    added.map(({ line }) => line),
    state,
  )
  for (const { at, line } of added) outcomes[at] = made.has(line.uid) ? 'created' : conflict('UID已存在', 'uid')
  state.created += made.size
  return outcomes
}

function checkedLine(row: number, input: ImportLine, state: State) {
  try {
    const line = resolveLine(input, state)
    const earlier = state.seen.get(line.uid)
    if (earlier !== undefined) throw conflict(`与第${earlier}行的UID重复`, 'uid')
    state.seen.set(line.uid, row)
    return line
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
}

async function insert(ctx: ImportCtx, lines: readonly ResolvedLine[], state: State): Promise<ReadonlySet<string>> {
  if (lines.length === 0) return new Set()
  const { db, now, services } = ctx
  const { uid, operName } = createStepContext(ctx)
  const wire = lines.map((line) => ({
    u: line.uid,
    t: line.typeCode,
    m: line.modelId,
    k: line.key === '' ? '' : encrypt(services.config.secretKey, line.key),
    e: line.expire,
    r: line.remark,
  }))
  const { rows } = await db.execute<{ uid: string }>(sql`
    with made as (
      insert into licenses (uid, vendor, type_code, key_sealed, batch_id, model_id, expire_time, remark, import_time, update_by, update_time)
      select x.u, ${state.vendor}, x.t, x.k, ${state.batchId}, x.m, x.e, x.r, ${now.toISOString()}, ${uid}, ${now.toISOString()}
      from jsonb_to_recordset(${JSON.stringify(wire)}::jsonb) as x(u text, t text, k text, m int, e timestamptz, r text)
      on conflict (uid) do nothing returning id, uid
    ), noted as (
      insert into license_events (license_id, action, to_state, uid, oper_name, reason, create_time)
      select id, 'import', 0, ${uid}::int, ${operName.slice(0, 30)}::varchar, ${`批次 ${state.batchNo}`}::varchar, ${now.toISOString()}::timestamptz from made
    )
    select uid from made`)
  return new Set(rows.map((row) => row.uid))
}

/**
 * Stores the number of certificates. Deletes a delivery without new certificates, so that the corrected file can be
 * imported again.
 */
async function finish(ctx: ImportCtx, { batchId, created }: State) {
  const { db } = ctx
  if (created === 0) await db.delete(licenseBatches).where(eq(licenseBatches.id, batchId))
  else await db.update(licenseBatches).set({ total: created }).where(eq(licenseBatches.id, batchId))
  if (created > 0) await publishLicensesChanged(ctx, [null])
}
