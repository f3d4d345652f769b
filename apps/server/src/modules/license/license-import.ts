import { randomInt } from 'node:crypto'
import type { ParsedOf } from '@oms/contract/kernel/endpoint.ts'
import { licenseCerts as calls } from '@oms/contract/license.ts'
import { LICENSE_IMPORT_ROWS, LicenseImportLine } from '@oms/contract/license-rows.ts'
import { canonicalUid, LICENSE_VENDORS, type LicenseVendor, uidProblem } from '@oms/contract/license-uid.ts'
import { and, eq, sql } from 'drizzle-orm'
import type * as z from 'zod'
import type { Db } from '#db/client.ts'
import { deviceModels } from '#db/schema/device.ts'
import { licenseBatches } from '#db/schema/license.ts'
import { conflict, forbidden, invalid, Problem, refused } from '#kernel/problem.ts'
import { seal } from '#kernel/sealed.ts'
import { defineImport } from '#kernel/table/import.ts'
import type { ImportCtx } from '#kernel/table/take-lines.ts'
import { alive } from '#kernel/tenancy.ts'
import { uniqueClash } from '#kernel/unique.ts'
import { doingOf, tellChanged } from './license-rows.ts'

export type ImportLine = z.output<typeof LicenseImportLine>
type Input = ParsedOf<typeof calls.import>
interface State {
  readonly batchId: number
  readonly batchNo: string
  readonly vendor: LicenseVendor
  readonly typeCode: string
  readonly models: ReadonlyMap<string, number>
  /** In which line each UID came first. */
  readonly seen: Map<string, number>
  created: number
}
/** A line that can be stored. */
export interface Resolved {
  readonly uid: string
  readonly typeCode: string
  readonly modelId: number | null
  readonly key: string
  readonly expire: string | null
  readonly remark: string
}

export const licenseImport = defineImport({
  kind: 'license',
  endpoint: calls.import,
  name: 'P2P证书',
  schema: LicenseImportLine,
  columns: [
    ['uid', { width: 30 }],
    ['licenseKey', { width: 40 }],
    'vendor',
    'typeCode',
    'modelCode',
    ['expireTime', { width: 14 }],
    ['remark', { width: 30 }],
  ],
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
      batchNo: input.batchNo || (await freeNumber(db, ctx.now)),
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
      throw uniqueClash(error, CLASHES) ?? error
    })
  const made = batch!
  return {
    batchId: made.id,
    batchNo: made.batchNo,
    vendor: input.vendor,
    typeCode: input.typeCode,
    models: await modelsByCode(db),
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
async function freeNumber(db: Db, now: Date): Promise<string> {
  for (let tries = 0; tries < 20; tries++) {
    const batchNo = `B${now.toISOString().slice(0, 10).replaceAll('-', '')}-${randomInt(1000, 10_000)}`
    if ((await db.$count(licenseBatches, eq(licenseBatches.batchNo, batchNo))) === 0) return batchNo
  }
  throw refused('无法生成批次号，请手动填写')
}

export async function modelsByCode(db: Db) {
  const rows = await db
    .select({ id: deviceModels.id, code: deviceModels.modelCode })
    .from(deviceModels)
    .where(and(alive(deviceModels)))
  return new Map(rows.map(({ id, code }) => [code.toLowerCase(), id]))
}

interface Defaults {
  readonly vendor: LicenseVendor
  readonly typeCode: string
  readonly models: ReadonlyMap<string, number>
}

/** What is stored of a line; throws the problem that keeps it out. */
export function resolved(input: ImportLine, { vendor, typeCode, models }: Defaults): Resolved {
  if (input.vendor && input.vendor.toLowerCase() !== LICENSE_VENDORS[vendor].toLowerCase())
    throw invalid(`厂商「${input.vendor}」与批次的厂商${LICENSE_VENDORS[vendor]}不一致`, 'vendor')
  const uid = canonicalUid(vendor, input.uid)
  const problem = uidProblem(vendor, uid)
  if (problem) throw invalid(problem, 'uid')
  const modelId = input.modelCode ? models.get(input.modelCode.toLowerCase()) : null
  if (modelId === undefined) throw invalid(`型号编码「${input.modelCode}」不存在`, 'modelCode')
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

/** Two statements a batch of lines: one writes what is new, one its history. */
async function takeMany(ctx: ImportCtx, lines: readonly Numbered[], state: State): Promise<('created' | Problem)[]> {
  const outcomes: ('created' | Problem)[] = []
  const added: { at: number; line: Resolved }[] = []
  for (const [at, { row, input }] of lines.entries()) {
    const verdict = judged(row, input, state)
    if (verdict instanceof Problem) outcomes[at] = verdict
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

function judged(row: number, input: ImportLine, state: State) {
  try {
    const line = resolved(input, state)
    const earlier = state.seen.get(line.uid)
    if (earlier !== undefined) throw conflict(`与第${earlier}行的UID重复`, 'uid')
    state.seen.set(line.uid, row)
    return line
  } catch (error) {
    if (error instanceof Problem) return error
    throw error
  }
}

async function insert(ctx: ImportCtx, lines: readonly Resolved[], state: State): Promise<ReadonlySet<string>> {
  if (lines.length === 0) return new Set()
  const { db, now, kernel } = ctx
  const { uid, operName } = doingOf(ctx)
  const wire = lines.map((line) => ({
    u: line.uid,
    t: line.typeCode,
    m: line.modelId,
    k: line.key === '' ? '' : seal(kernel.config.secretKey, line.key),
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

/** A delivery of which nothing was new is none: the file may be put right and come again. */
async function finish(ctx: ImportCtx, { batchId, created }: State) {
  const { db } = ctx
  if (created === 0) await db.delete(licenseBatches).where(eq(licenseBatches.id, batchId))
  else await db.update(licenseBatches).set({ total: created }).where(eq(licenseBatches.id, batchId))
  if (created > 0) await tellChanged(ctx, [null])
}
