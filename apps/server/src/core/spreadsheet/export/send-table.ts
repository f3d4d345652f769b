import type { Readable } from 'node:stream'
import type { ExportFormat } from '@oms/contract/core/transfer.ts'
import type { FastifyReply } from 'fastify'
import { buildSafeHeaders } from '#core/storage/send.ts'
import type { Column, Rows } from '#core/spreadsheet/cell.ts'
import { writeCsv } from '#core/spreadsheet/formats/csv-writer.ts'
import { writeXlsx } from '#core/spreadsheet/formats/xlsx-writer.ts'

export interface TableFile {
  /** File name without extension, also the name of the sheet. */
  readonly name: string
  readonly format: ExportFormat
  readonly columns: readonly Column[]
  readonly rows: Rows
  /** Option `isForm` of `XlsxOptions`. */
  readonly isForm?: boolean
}

export const TABLE_MIME: Readonly<Record<ExportFormat, string>> = {
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  csv: 'text/csv; charset=utf-8',
}

/** Streams a table as the response. Memory holds only the present batch of rows. */
export function sendTable(reply: FastifyReply, { name, format, columns, rows, isForm = false }: TableFile) {
  const mime = TABLE_MIME[format]
  const body: Readable = format === 'csv' ? writeCsv(columns, rows) : writeXlsx(columns, rows, { sheet: name, isForm })
  return reply
    .headers({ ...buildSafeHeaders({ name: `${name}.${format}`, mime }), 'cache-control': 'no-store' })
    .type(mime)
    .send(body)
}
