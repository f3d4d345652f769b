import { JOB_REPORTED_ROWS } from '@oms/contract/kernel/transfer.ts'
import type { Worker } from '#kernel/jobs.ts'
import type { Kernel } from '#kernel/kernel.ts'
import { notFound } from '#kernel/problem.ts'
import { freshStatistics } from '#kernel/statistics.ts'
import { FailureFile } from './failure-file.ts'
import { importOf } from './import.ts'
import { TABLE_MIME } from './send-table.ts'
import { takeLines } from './take-lines.ts'
import { keepFile, type TransferPayload, userOfJob } from './transfer-jobs.ts'

/** Of a table's lines that are taken; how many there are is known from the time it was received. */
const LINES_PERCENT = 98

/** Registers the job that takes a large table. Taken again after a crash, it starts over: nothing was written. */
export const registerImports = (kernel: Kernel) => kernel.jobs.register('import', importWorker(kernel))

const importWorker =
  (kernel: Kernel): Worker =>
  async (job, progress, signal) => {
    const { of, input, file, total = 1 } = job.payload as TransferPayload
    const definition = importOf(of)
    if (!definition || !file) throw notFound('导入')
    const chunks: Buffer[] = []
    for await (const chunk of await kernel.files.openRead(file.sha256)) chunks.push(chunk as Buffer)
    const user = await userOfJob(kernel, job, definition.endpoint.access)
    const failures = new FailureFile(kernel)
    const report = await takeLines(
      { user, kernel, now: kernel.now() },
      {
        definition,
        input: input as { dryRun: 0 | 1 },
        table: { bytes: Buffer.concat(chunks), name: file.name },
        signal,
        reported: JOB_REPORTED_ROWS,
        onFailed: (line) => failures.add(line),
        async onLine(done) {
          // The right is asked for, and progress told, often enough for a person, however long the table is.
          if (done % Math.max(100, Math.ceil(total / 200)) > 0) return
          await userOfJob(kernel, job, definition.endpoint.access)
          await progress((done / total) * LINES_PERCENT)
        },
      },
    ).catch((error: unknown) => {
      failures.abandon()
      throw error
    })
    if (!report.dryRun && report.created + report.updated > 0) await freshStatistics(kernel, definition.tables ?? [])
    const stored = await failures.end()
    if (!stored) return { rows: report.total, report }
    const about = {
      purpose: 'export',
      name: `${definition.name}导入失败明细-${job.jobId}.csv`,
      mime: TABLE_MIME.csv,
    } as const
    return { rows: report.total, report, file: await keepFile({ kernel, user }, { ...about, stored }) }
  }
