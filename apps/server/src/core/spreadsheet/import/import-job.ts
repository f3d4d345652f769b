import { MAX_JOB_REPORTED_ROWS } from '@oms/contract/core/transfer.ts'
import { analyzeTable } from '#core/database/analyze.ts'
import { notFound } from '#core/http/api-error.ts'
import type { Worker } from '#core/jobs/types.ts'
import type { Services } from '#core/services.ts'
import { loadJobUser, storeFailureFile, type TransferPayload } from '#core/spreadsheet/transfer-jobs.ts'
import { FailureFile, selectFailureFileFormat } from './failure-file.ts'
import { findImport } from './import.ts'
import { importLines } from './take-lines.ts'

/** Progress in percent after all lines are imported. The number of lines is known when the table is received. */
const LINES_PERCENT = 98

/**
 * Registers the job that imports a large table. After a crash or a lock conflict, the job starts over, because nothing
 * was committed. Another import may hold locks of the same rows, so the retries last longer than most imports.
 */
export const registerImports = (services: Services) =>
  services.jobs.register('import', importWorker(services), {
    concurrency: 2,
    maxPerTenant: 1,
    timeLimitSeconds: 60 * 60,
    retries: 5,
    retryDelaySeconds: 10,
  })

const importWorker =
  (services: Services): Worker =>
  async (job, progress, signal) => {
    const { of, input, file, total = 1 } = job.payload as TransferPayload
    const definition = findImport(of)
    if (!definition || !file) throw notFound('导入')
    const chunks: Buffer[] = []
    for await (const chunk of await services.files.openRead(file.sha256)) chunks.push(chunk as Buffer)
    const user = await loadJobUser(services, job, definition.endpoint.access)
    const failures = new FailureFile(services, selectFailureFileFormat(file.name))
    let ended: unknown
    const report = await importLines(
      { user, services, now: services.now() },
      {
        definition,
        input: input as { dryRun: 0 | 1 },
        table: { bytes: Buffer.concat(chunks), name: file.name },
        signal,
        reported: MAX_JOB_REPORTED_ROWS,
        onFailed: (line) => failures.add(line),
        onEnd: (state) => void (ended = state),
        async onLine(done) {
          // Checks the permission and reports progress at most 200 times, however long the table is.
          if (done % Math.max(100, Math.ceil(total / 200)) > 0) return
          await loadJobUser(services, job, definition.endpoint.access)
          await progress((done / total) * LINES_PERCENT)
        },
      },
    ).catch((error: unknown) => {
      failures.abandon()
      throw error
    })
    if (!report.dryRun && report.created + report.updated > 0) await analyzeTable(services, definition.tables ?? [])
    const name = `${definition.name}导入失败明细-${job.jobId}`
    const kept = await storeFailureFile({ services, user }, failures, { table: file.name, name })
    const full = { ...report, ...(kept && { file: kept }) }
    if (!report.dryRun) await definition.storeReport?.({ services, user }, ended, full)
    const answer = definition.isAnswerStored && definition.answer?.(ended, report.dryRun)
    return { rows: report.total, report, ...(answer && { answer }), ...(kept && { file: kept }) }
  }
