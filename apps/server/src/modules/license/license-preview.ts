import { about } from '@oms/contract/kernel/fields.ts'
import type { ParsedOf } from '@oms/contract/kernel/endpoint.ts'
import type { licenseCerts as calls } from '@oms/contract/license.ts'
import { LicenseImportLine, type LicensePreviewRow, PREVIEW_ROWS } from '@oms/contract/license-rows.ts'
import { tooLarge, UPLOAD, uploadProblem } from '@oms/contract/upload.ts'
import type { Ctx } from '#kernel/context.ts'
import { forbidden, invalid, Problem } from '#kernel/problem.ts'
import { explained } from '#kernel/table/read-incoming.ts'
import { openTable } from '#kernel/table/table-reader.ts'
import { transact } from '#kernel/tenancy.ts'
import { modelsByCode, resolved } from './license-import.ts'

/** The beginning of a file as an import with these settings would read it; nothing is written. */
export async function preview(ctx: Ctx, input: ParsedOf<typeof calls.preview>) {
  if (!ctx.user.isPlatform) throw forbidden()
  const { name, bytes } = await received(ctx)
  const models = await transact(ctx, modelsByCode)
  const rows = await read(bytes, name, { ...input, models }).catch(explained)
  return { rows }
}

type Settings = Parameters<typeof resolved>[1]

async function read(bytes: Uint8Array, name: string, settings: Settings) {
  const { header, rows } = await openTable(bytes, name)
  const fields = header.map((title) =>
    Object.keys(LicenseImportLine.shape).find(
      (key) => about(LicenseImportLine, key).title === title.replace(/^\*/, ''),
    ),
  )
  if (!fields.includes('uid')) throw invalid('表格缺少列：UID，请使用导入模板', 'file')
  const shown: LicensePreviewRow[] = []
  for await (const { row, cells } of rows) {
    const given = Object.fromEntries(fields.flatMap((field, at) => (field ? [[field, (cells[at] ?? '').trim()]] : [])))
    shown.push({ row, ...lineOf(given, settings) })
    if (shown.length >= PREVIEW_ROWS) break
  }
  return shown
}

function lineOf(given: Record<string, string>, settings: Settings) {
  const facts = {
    uid: given['uid'] ?? '',
    hasKey: (given['licenseKey'] ?? '') !== '',
    typeCode: given['typeCode'] || settings.typeCode,
    modelCode: given['modelCode'] ?? '',
    expireTime: given['expireTime'] ?? '',
    problem: '',
  }
  const line = LicenseImportLine.safeParse(given)
  if (!line.success) return { ...facts, problem: line.error.issues[0]?.message ?? '格式不正确' }
  try {
    return { ...facts, uid: resolved(line.data, settings).uid }
  } catch (error) {
    if (error instanceof Problem) return { ...facts, problem: error.message }
    throw error
  }
}

async function received({ incoming }: Ctx) {
  if (!incoming) throw invalid('请选择文件', 'file')
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of incoming.stream as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size <= UPLOAD.table.maxBytes) chunks.push(chunk)
  }
  const problem =
    size > UPLOAD.table.maxBytes ? tooLarge(UPLOAD.table) : uploadProblem(UPLOAD.table, { name: incoming.name, size })
  if (problem) throw invalid(problem, 'file')
  return { name: incoming.name, bytes: Buffer.concat(chunks) }
}
