import { randomInt } from 'node:crypto'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import {
  LicenseImportLine,
  LicenseRow,
  type LicensePreviewRow,
  PREVIEW_ROWS,
} from '@oms/contract/license/license-rows.ts'
import {
  findUidProblem,
  LICENSE_VENDORS,
  type LicenseVendor,
  toCanonicalUid,
  LICENSE_TYPES,
} from '@oms/contract/license/license-uid.ts'
import { licenseCerts as calls } from '@oms/contract/license/license.ts'
import { and, eq, sql } from 'drizzle-orm'
import type * as z from 'zod'
import { encrypt } from '#core/crypto/keys.ts'
import type { Db } from '#core/database/client.ts'
import { toUniqueViolation } from '#core/database/error-codes.ts'
import { ApiError, conflict, forbidden, invalid, refused } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import type { ColumnSpec } from '#core/spreadsheet/columns.ts'
import { matchHeaderFields } from '#core/spreadsheet/header.ts'
import { defineImport, receiveTable, throwTableError } from '#core/spreadsheet/import/import.ts'
import {
  EXAMPLE_MARK,
  type ImportCtx,
  type ColumnFields,
  describeProblems,
  summarizeProblems,
  parseLine,
} from '#core/spreadsheet/import/lines.ts'
import { type TableRow, openTableInThread } from '#core/spreadsheet/table-thread.ts'
import { notDeleted, transact } from '#core/tenancy/tenancy.ts'
import { formatLocalDay } from '#core/time/zone.ts'
import { deviceModels } from '#modules/device/schema.ts'
import { createStepContext, publishLicensesChanged } from './license.ts'
import { licenseBatches, licenseCounts, licenseGrants } from './schema.ts'

type ImportLine = z.output<typeof LicenseImportLine>
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
interface Batch {
  readonly id: number
  readonly batchNo: string
}
interface State extends Defaults {
  /** Undefined in a dry run, which neither locks nor writes rows. */
  readonly batch: Batch | undefined
  /** First line number of each UID. */
  readonly seen: Map<string, number>
  created: number
}
/** A line that can be stored. */
interface ResolvedLine {
  readonly uid: string
  readonly typeCode: string
  readonly modelId: number | null
  readonly key: string
  readonly expire: string | null
  readonly remark: string
}

const LICENSE_COLUMNS: readonly ColumnSpec[] = [
  ['uid', { width: 30 }],
  ['licenseKey', { width: 40 }],
  'vendor',
  'typeCode',
  'modelCode',
  ['expireTime', { width: 14 }],
  ['remark', { width: 30 }],
]

/** Example line of the template. */
const LICENSE_EXAMPLE = {
  uid: 'VSTC-000123-ABCDE',
  licenseKey: EXAMPLE_MARK,
  vendor: 'PPCS',
  typeCode: 'P2P',
  modelCode: '',
  expireTime: '2030-12-31',
  remark: '密钥、厂商、授权类型、型号编码、到期时间均可不填',
}

export const importLicenses = defineImport({
  kind: 'license',
  endpoint: calls.import,
  name: 'P2P证书',
  schema: LicenseImportLine,
  columns: LICENSE_COLUMNS,
  tables: ['licenses', 'license_events'],
  required: ['uid'],
  exportedRow: LicenseRow,
  example: LICENSE_EXAMPLE,
  secret: ['licenseKey'],
  prepare,
  findProblems: (_ctx, fields, state) => findLineProblems(fields, state),
  takeMany,
  finish,
})

async function prepare(ctx: ImportCtx, input: Input): Promise<State> {
  const { db, user, file } = ctx
  if (!user.isPlatform) throw forbidden()
  await assertNewFile(db, file.sha256)
  const isDryRun = Number(input.dryRun) === 1
  if (isDryRun && input.batchNo) await assertFreeNumber(db, input.batchNo)
  return {
    batch: isDryRun ? undefined : await insertBatch(ctx, input),
    ...(await loadImportDefaults(ctx, input)),
    seen: new Map(),
    created: 0,
  }
}

async function insertBatch(ctx: ImportCtx, input: Input): Promise<Batch> {
  const { db, user, file } = ctx
  const [made] = await db
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
  return made!
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

const countNumber = (db: Db, batchNo: string) => db.$count(licenseBatches, eq(licenseBatches.batchNo, batchNo))

async function assertFreeNumber(db: Db, batchNo: string) {
  if ((await countNumber(db, batchNo)) > 0) throw conflict(...CLASHES.license_batches_no)
}

/** `B20260102-4821`. */
async function freeNumber({ db, now, services }: Pick<ImportCtx, 'db' | 'now' | 'services'>): Promise<string> {
  const day = formatLocalDay(now, services.config.timeZone).replaceAll('-', '')
  for (let tries = 0; tries < 20; tries++) {
    const batchNo = `B${day}-${randomInt(1000, 10_000)}`
    if ((await countNumber(db, batchNo)) === 0) return batchNo
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
async function loadImportDefaults(
  { db, now, services }: Pick<ImportCtx, 'db' | 'now' | 'services'>,
  { vendor, typeCode }: Pick<Input, 'vendor' | 'typeCode'>,
): Promise<Defaults> {
  const today = formatLocalDay(now, services.config.timeZone)
  return { vendor, typeCode, models: await modelsByCode(db), types: await listKnownTypes(db, typeCode), today }
}

/** Returns the problems of the fields of a line, one for each field. */
function findLineProblems(fields: Partial<ImportLine>, { vendor, models, types, today }: Defaults): ApiError[] {
  const name = LICENSE_VENDORS[vendor]
  const isOther = fields.vendor && fields.vendor.toLowerCase() !== name.toLowerCase()
  const uidProblem = fields.uid === undefined ? undefined : findUidProblem(vendor, toCanonicalUid(vendor, fields.uid))
  const { typeCode, modelCode, expireTime } = fields
  return [
    ...(isOther ? [invalid(`厂商「${fields.vendor}」与批次的厂商${name}不一致`, 'vendor')] : []),
    ...(uidProblem ? [invalid(uidProblem, 'uid')] : []),
    ...(typeCode && !types.has(typeCode)
      ? [invalid(`授权类型「${typeCode}」不存在，请改正，或先以该类型导入批次或申请授权`, 'typeCode')]
      : []),
    ...(modelCode && !models.has(modelCode.toLowerCase())
      ? [invalid(`型号编码「${modelCode}」不存在`, 'modelCode')]
      : []),
    ...(expireTime && expireTime < today
      ? [invalid(`到期时间 ${expireTime} 已过，不能导入已过期的证书`, 'expireTime')]
      : []),
  ]
}

/** Returns the stored fields of a line without problems. */
function resolveLine(input: ImportLine, { vendor, typeCode, models }: Defaults): ResolvedLine {
  return {
    uid: toCanonicalUid(vendor, input.uid),
    typeCode: input.typeCode ?? typeCode,
    modelId: (input.modelCode ? models.get(input.modelCode.toLowerCase()) : undefined) ?? null,
    key: input.licenseKey,
    expire: input.expireTime ? `${input.expireTime} 23:59:59` : null,
    remark: input.remark,
  }
}

type Numbered = { readonly row: number; readonly input: ImportLine }

/**
 * Writes a batch of lines with two statements: one inserts the certificates, one inserts their history. A dry run only
 * looks up the UIDs.
 */
async function takeMany(ctx: ImportCtx, lines: readonly Numbered[], state: State): Promise<('created' | ApiError)[]> {
  const outcomes: ('created' | ApiError)[] = []
  const added: { at: number; line: ResolvedLine }[] = []
  for (const [at, { row, input }] of lines.entries()) {
    const verdict = checkedLine(row, input, state)
    if (verdict instanceof ApiError) outcomes[at] = verdict
    else added.push({ at, line: verdict })
  }
  const resolved = added.map(({ line }) => line)
  const made = await (state.batch ? insert(ctx, resolved, state.vendor, state.batch) : findFreeUids(ctx.db, resolved))
  for (const { at, line } of added) outcomes[at] = made.has(line.uid) ? 'created' : conflict('UID已存在', 'uid')
  state.created += made.size
  return outcomes
}

function checkedLine(row: number, input: ImportLine, state: State) {
  const line = resolveLine(input, state)
  const earlier = state.seen.get(line.uid)
  if (earlier !== undefined) return conflict(`与第${earlier}行的UID重复`, 'uid')
  state.seen.set(line.uid, row)
  return line
}

/** Returns the UIDs that no certificate has. */
async function findFreeUids(db: Db, lines: readonly ResolvedLine[]): Promise<ReadonlySet<string>> {
  const uids = lines.map(({ uid }) => uid)
  const { rows } = await db.execute<{ uid: string }>(
    sql`select uid from licenses where uid = any(${sql.param(uids)}::text[])`,
  )
  const taken = new Set(rows.map(({ uid }) => uid))
  return new Set(uids.filter((uid) => !taken.has(uid)))
}

async function insert(
  ctx: ImportCtx,
  lines: readonly ResolvedLine[],
  vendor: LicenseVendor,
  batch: Batch,
): Promise<ReadonlySet<string>> {
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
      select x.u, ${vendor}, x.t, x.k, ${batch.id}, x.m, x.e, x.r, ${now.toISOString()}, ${uid}, ${now.toISOString()}
      from jsonb_to_recordset(${JSON.stringify(wire)}::jsonb) as x(u text, t text, k text, m int, e timestamptz, r text)
      on conflict (uid) do nothing returning id, uid
    ), noted as (
      insert into license_events (license_id, action, to_state, uid, oper_name, reason, create_time)
      select id, 'import', 0, ${uid}::int, ${operName.slice(0, 30)}::varchar, ${`批次 ${batch.batchNo}`}::varchar, ${now.toISOString()}::timestamptz from made
    )
    select uid from made`)
  return new Set(rows.map((row) => row.uid))
}

/**
 * Stores the number of certificates. Deletes a delivery without new certificates, so that the corrected file can be
 * imported again.
 */
async function finish(ctx: ImportCtx, { batch, created }: State) {
  const { db } = ctx
  if (!batch) return
  if (created === 0) await db.delete(licenseBatches).where(eq(licenseBatches.id, batch.id))
  else await db.update(licenseBatches).set({ total: created }).where(eq(licenseBatches.id, batch.id))
  if (created > 0) await publishLicensesChanged(ctx, [null])
}

/** Parses the first lines of a file with the given import settings. Writes nothing. */
export async function previewImport(ctx: Ctx, input: ParsedOf<typeof calls.preview>) {
  if (!ctx.user.isPlatform) throw forbidden()
  const { name, bytes } = await receiveTable(ctx, calls.preview)
  const defaults = await transact(ctx, (db) => loadImportDefaults({ ...ctx, db }, input))
  const rows = await read(bytes, name, { ...defaults, secretKey: ctx.services.config.secretKey }).catch(throwTableError)
  return { rows }
}

type Settings = Parameters<typeof findLineProblems>[1] & { readonly secretKey: Buffer }

async function read(bytes: Uint8Array, name: string, settings: Settings) {
  const { header, rows, close } = await openTableInThread(bytes, name)
  try {
    const known = { schema: LicenseImportLine, columns: LICENSE_COLUMNS, required: ['uid'], exportedRow: LicenseRow }
    const fields = matchHeaderFields(known, header)
    const columns = { schema: LicenseImportLine, header, fields, secret: ['licenseKey'], secretKey: settings.secretKey }
    const shown: LicensePreviewRow[] = []
    for await (const line of rows) {
      shown.push({ row: line.row, ...readLine(line, columns, settings) })
      if (shown.length >= PREVIEW_ROWS) break
    }
    return shown
  } finally {
    close()
  }
}

/** Parses a line. An invalid line is returned as its texts with all problems. */
function readLine(row: TableRow, columns: ColumnFields, settings: Settings) {
  const { fields, problems: invalid } = parseLine(
    { schema: LicenseImportLine, example: LICENSE_EXAMPLE },
    { row, columns },
  )
  const problems = [...invalid, ...findLineProblems(fields, settings)]
  const texts = Object.fromEntries(columns.fields.flatMap((field, at) => (field ? [[field, row.cells[at] ?? '']] : [])))
  return {
    uid: toCanonicalUid(settings.vendor, (texts['uid'] ?? '').trim()),
    hasKey: (texts['licenseKey'] ?? '') !== '',
    typeCode: texts['typeCode'] || settings.typeCode,
    modelCode: texts['modelCode'] ?? '',
    expireTime: texts['expireTime'] ?? '',
    problem: summarizeProblems(describeProblems(LicenseImportLine, columns, problems)),
  }
}

/** Returns the types of the program, of stored certificates and of grants that the account sees, and `more`. */
export async function listKnownTypes(db: Db, ...more: readonly string[]): Promise<ReadonlySet<string>> {
  const { rows } = await db.execute<{ code: string }>(
    sql`select distinct type_code as code from ${licenseCounts} union select type_code from ${licenseGrants}`,
  )
  return new Set([...LICENSE_TYPES, ...more, ...rows.map(({ code }) => code)])
}
