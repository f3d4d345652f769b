import { EXPORT_DAYS } from '@oms/contract/kernel/transfer.ts'
import type { Kernel } from '#kernel/kernel.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const HOUR_MS = 60 * 60 * 1000

/** Registers the hourly clean-up of files nobody uses: rows never adopted, bytes without a row, abandoned uploads. */
export function registerFileSweep(kernel: Kernel) {
  kernel.jobs.register('file-sweep', () => sweepFiles(kernel), { everyMs: HOUR_MS })
}

/** Removes what nothing refers to and is older than a day; answers what went. */
export async function sweepFiles({ database: { pool }, files, uploads }: Kernel) {
  const rows = await pool.query(`delete from files where used_time is null and create_time < now() - interval '1 day'`)
  // Files of background exports and imports serve one account for some days.
  const transfers = await pool.query(
    `delete from files where purpose in ('export', 'import') and create_time < now() - make_interval(days => $1)`,
    [EXPORT_DAYS],
  )
  await pool.query(`delete from uploads where update_time < now() - interval '1 day'`)
  let bytes = 0
  for await (const { sha256, modified } of files.list()) {
    if (Date.now() - modified.getTime() < DAY_MS) continue
    const { rowCount } = await pool.query('select 1 from files where sha256 = $1 limit 1', [sha256])
    if (rowCount) continue
    await files.remove(sha256)
    bytes += 1
  }
  return {
    rows: (rows.rowCount ?? 0) + (transfers.rowCount ?? 0),
    contents: bytes,
    uploads: await uploads.sweep(),
    temporary: await files.sweep(),
  }
}
