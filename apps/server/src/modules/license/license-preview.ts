import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { licenseCerts as calls } from '@oms/contract/license/license.ts'
import { LicenseImportLine, type LicensePreviewRow, PREVIEW_ROWS } from '@oms/contract/license/license-rows.ts'
import type { Ctx } from '#core/http/context.ts'
import { forbidden, ApiError } from '#core/http/api-error.ts'
import { receiveTable } from '#core/spreadsheet/import/import.ts'
import { throwTableError } from '#core/spreadsheet/import/read-incoming.ts'
import { matchHeaderFields } from '#core/spreadsheet/header.ts'
import { readLineCells, type ColumnFields } from '#core/spreadsheet/import/line-cells.ts'
import type { TableRow } from '#core/spreadsheet/table-limits.ts'
import { openTableInThread } from '#core/spreadsheet/table-thread.ts'
import { transact } from '#core/tenancy/tenancy.ts'
import { LICENSE_COLUMNS, loadImportDefaults, resolveLine } from './license-import.ts'

/** Parses the first lines of a file with the given import settings. Writes nothing. */
export async function previewImport(ctx: Ctx, input: ParsedOf<typeof calls.preview>) {
  if (!ctx.user.isPlatform) throw forbidden()
  const { name, bytes } = await receiveTable(ctx, calls.preview)
  const defaults = await transact(ctx, (db) => loadImportDefaults({ ...ctx, db }, input))
  const rows = await read(bytes, name, { ...defaults, secretKey: ctx.services.config.secretKey }).catch(throwTableError)
  return { rows }
}

type Settings = Parameters<typeof resolveLine>[1] & { readonly secretKey: Buffer }

async function read(bytes: Uint8Array, name: string, settings: Settings) {
  const { header, rows, close } = await openTableInThread(bytes, name)
  try {
    const fields = matchHeaderFields({ schema: LicenseImportLine, columns: LICENSE_COLUMNS, required: ['uid'] }, header)
    const columns = { header, fields, secret: ['licenseKey'], secretKey: settings.secretKey }
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

/** Parses a line. An invalid line is returned as its texts with the problem. */
function readLine(line: TableRow, columns: ColumnFields, settings: Settings) {
  try {
    return lineOf(readLineCells(line, columns).given, settings)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const cells = columns.fields.flatMap((field, at) => (field ? [[field, line.cells[at] ?? '']] : []))
    return { ...lineOf(Object.fromEntries(cells), settings), problem: error.message }
  }
}

function lineOf(given: Readonly<Record<string, string>>, settings: Settings) {
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
    return { ...facts, uid: resolveLine(line.data, settings).uid }
  } catch (error) {
    if (error instanceof ApiError) return { ...facts, problem: error.message }
    throw error
  }
}
