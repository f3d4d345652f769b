import { EXPORT_DAYS } from '@oms/contract/core/transfer.ts'
import { forEachIsolated } from '#core/jobs/isolated.ts'
import { removeUnusedContents } from '#core/storage/local/local-files.ts'
import type { Services } from '#core/services.ts'

const DAY_MS = 24 * 60 * 60 * 1000

/**
 * Deletes temporary files of killed uploads from this process's directory every 15 minutes; opening the store deletes
 * older ones. The hourly job runs in one process only, and with a bucket every process has its own directory.
 */
export function startSpoolSweep({ files, log }: Pick<Services, 'files' | 'log'>, everyMs = 15 * 60 * 1000): () => void {
  const sweep = () => void files.sweep().catch((err: unknown) => log.warn({ err }, 'temporary files were not swept'))
  const timer = setInterval(sweep, everyMs).unref()
  return () => clearInterval(timer)
}

/** Registers the hourly clean-up of unused files: rows never used, bytes without a row, abandoned uploads. */
export function registerFileSweep(services: Services) {
  const options = { title: '无用文件清理', cron: '0 37 * * * *', timeLimitSeconds: 55 * 60 }
  services.jobs.schedule('file-sweep', () => sweepFiles(services), options)
}

/** Deletes unreferenced files older than a day. Returns the numbers of deleted files. */
export async function sweepFiles({ database: { pool }, files, uploads, log }: Services) {
  const rows = await pool.query(`delete from files where used_time is null and create_time < now() - interval '1 day'`)
  // Files of background exports and imports are kept for some days.
  const transfers = await pool.query(
    `delete from files where purpose in ('export', 'import') and create_time < now() - make_interval(days => $1)`,
    [EXPORT_DAYS],
  )
  await pool.query(`delete from uploads where update_time < now() - interval '1 day'`)
  const isolation = { log, kind: 'file-sweep', name: (sha256: string) => ({ sha256 }) }
  await pool.query(`delete from file_claims where claim_time < now() - interval '1 day'`)
  let bytes = 0
  let failedItems = 0
  for await (const { sha256, modified } of files.list()) {
    if (Date.now() - modified.getTime() < DAY_MS) continue
    const { failed } = await forEachIsolated([sha256], isolation, async () => {
      if (await removeUnusedContents(pool, files, sha256)) bytes += 1
    })
    failedItems += failed.length
  }
  return {
    rows: (rows.rowCount ?? 0) + (transfers.rowCount ?? 0),
    contents: bytes,
    uploads: await uploads.sweep(),
    temporary: await files.sweep(),
    failedItems,
  }
}
