import type { ExportFormat } from '@oms/contract/kernel/transfer.ts'
import type { Job, Worker } from '#kernel/jobs.ts'
import type { Kernel } from '#kernel/kernel.ts'
import { notFound } from '#kernel/problem.ts'
import { chosenOf } from './columns.ts'
import { writeCsv } from './csv-writer.ts'
import { exportOf, exportRows } from './export.ts'
import { TABLE_MIME } from './send-table.ts'
import { keepFile, type TransferPayload, userOfJob } from './transfer-jobs.ts'
import { writeXlsx } from './xlsx-writer.ts'

/** The part of progress that belongs to writing rows; the rest is putting the file away. */
const ROWS_PERCENT = 98

/** Registers the job that writes an export into a file. Taken again after a crash, it starts over. */
export const registerExports = (kernel: Kernel) => kernel.jobs.register('export', exportWorker(kernel))

const exportWorker =
  (kernel: Kernel): Worker =>
  async (job, progress, signal) => {
    const { of, input } = job.payload as TransferPayload
    const definition = exportOf(of)
    if (!definition) throw notFound('导出')
    const { format, columns: wanted } = input as { format: ExportFormat; columns?: string[] }
    const user = () => userOfJob(kernel, job, definition.endpoint.access)
    let written = 0
    const rows = exportRows({
      kernel,
      definition,
      input: input as never,
      user,
      signal,
      onBatch: async (done, total) => {
        written = done
        await progress((done / total) * ROWS_PERCENT)
      },
    })
    const columns = chosenOf(definition.all, wanted)
    const body = format === 'csv' ? writeCsv(columns, rows) : writeXlsx(columns, rows, { sheet: definition.sheet })
    const stored = await kernel.files.put(body, { signal })
    const kept = { purpose: 'export', name: fileName(definition.sheet, job, format), mime: TABLE_MIME[format] } as const
    const file = await keepFile({ kernel, user: await user() }, { ...kept, stored })
    return { rows: written, file }
  }

/** Several exports of one list stay apart in a folder. */
const fileName = (sheet: string, { jobId }: Job, format: ExportFormat) => `${sheet}-${jobId}.${format}`
