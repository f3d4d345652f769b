import type { ExportFormat } from '@oms/contract/core/transfer.ts'
import type { Job, Worker } from '#core/jobs/types.ts'
import type { Services } from '#core/services.ts'
import { notFound } from '#core/http/api-error.ts'
import { selectColumns } from '#core/spreadsheet/columns.ts'
import { writeCsv } from '#core/spreadsheet/formats/csv.ts'
import { findExportDefinition, iterateExportRows, findStreamedExport, readStreamedRows } from './export.ts'
import { TABLE_MIME, storeJobFile, type TransferPayload, loadJobUser } from './transfer-jobs.ts'
import { writeXlsx } from '#core/spreadsheet/formats/xlsx-writer.ts'

/** Progress in percent after all rows are written. The rest is storing the file. */
const ROWS_PERCENT = 98

/** Registers the job that writes an export into a file. After a crash, the job starts over. */
export const registerExports = (services: Services) =>
  services.jobs.register('export', exportWorker(services), {
    // A short export runs beside a long export of the same tenant, and another tenant still finds a free worker.
    concurrency: 3,
    maxPerTenant: 2,
    timeLimitSeconds: 60 * 60,
  })

const exportWorker =
  (services: Services): Worker =>
  async (job, progress, signal) => {
    const { of, input } = job.payload as TransferPayload
    const definition = findExportDefinition(of)
    const streamed = findStreamedExport(of)
    const { endpoint, sheet, all } = definition ?? streamed ?? fail()
    const { format, columns: wanted } = input as { format: ExportFormat; columns?: string[] }
    const user = () => loadJobUser(services, job, endpoint.access)
    let written = 0
    const source = {
      services,
      input: input as never,
      user,
      signal,
      onBatch: async (done: number, total: number) => {
        written = done
        await progress((done / total) * ROWS_PERCENT)
      },
    }
    const rows = definition
      ? iterateExportRows({ ...source, definition })
      : readStreamedRows(streamed ?? fail(), source)
    const columns = selectColumns(all, wanted)
    const body = format === 'csv' ? writeCsv(columns, rows) : writeXlsx(columns, rows, { sheet })
    const stored = await services.files.put(body, { signal })
    const kept = { purpose: 'export', name: fileName(sheet, job, format), mime: TABLE_MIME[format] } as const
    const file = await storeJobFile({ services, user: await user() }, { ...kept, stored })
    return { rows: written, file }
  }

function fail(): never {
  throw notFound('导出')
}

/** Returns a distinct file name, so that several exports of one list fit in one folder. */
const fileName = (sheet: string, { jobId }: Job, format: ExportFormat) => `${sheet}-${jobId}.${format}`
