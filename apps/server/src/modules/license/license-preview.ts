import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { licenseCerts as calls } from '@oms/contract/license/license.ts'
import { toCanonicalUid } from '@oms/contract/license/license-uid.ts'
import {
  LicenseImportLine,
  LicenseRow,
  type LicensePreviewRow,
  PREVIEW_ROWS,
} from '@oms/contract/license/license-rows.ts'
import type { Ctx } from '#core/http/context.ts'
import { forbidden } from '#core/http/api-error.ts'
import { receiveTable, throwTableError } from '#core/spreadsheet/import/import.ts'
import { matchHeaderFields } from '#core/spreadsheet/header.ts'
import { type ColumnFields, describeProblems, summarizeProblems, parseLine } from '#core/spreadsheet/import/lines.ts'
import { type TableRow, openTableInThread } from '#core/spreadsheet/table-thread.ts'
import { transact } from '#core/tenancy/tenancy.ts'
import { findLineProblems, LICENSE_COLUMNS, LICENSE_EXAMPLE, loadImportDefaults } from './license-import.ts'

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
