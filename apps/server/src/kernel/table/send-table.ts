import type { Readable } from 'node:stream'
import type { ExportFormat } from '@oms/contract/kernel/transfer.ts'
import type { FastifyReply } from 'fastify'
import { safeHeaders } from '#kernel/files/send.ts'
import type { Column, Rows } from './cell.ts'
import { writeCsv } from './csv-writer.ts'
import { writeXlsx } from './xlsx-writer.ts'

export interface TableFile {
  /** File name without its ending, also the name of the sheet. */
  readonly name: string
  readonly format: ExportFormat
  readonly columns: readonly Column[]
  readonly rows: Rows
}

export const TABLE_MIME: Readonly<Record<ExportFormat, string>> = {
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  csv: 'text/csv; charset=utf-8',
}

/** Answers with a table as it is made; nothing but the present batch of rows is in memory. */
export function sendTable(reply: FastifyReply, { name, format, columns, rows }: TableFile) {
  const mime = TABLE_MIME[format]
  const body: Readable = format === 'csv' ? writeCsv(columns, rows) : writeXlsx(columns, rows, { sheet: name })
  return reply
    .headers({ ...safeHeaders({ name: `${name}.${format}`, mime }), 'cache-control': 'no-store' })
    .type(mime)
    .send(body)
}
