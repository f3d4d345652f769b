import { DeviceFilter } from '@oms/contract/device.ts'
import { type SQL, sql } from 'drizzle-orm'
import type { Db } from '#db/client.ts'
import type { Ctx } from '#kernel/context.ts'
import { holdLargeWhiteList } from '#kernel/fleet/release.ts'
import type { Worker } from '#kernel/jobs.ts'
import type { Kernel } from '#kernel/kernel.ts'
import { devices } from '#db/schema/device.ts'
import { freshStatistics } from '#kernel/statistics.ts'
import { inTransaction, transact } from '#kernel/tenancy.ts'
import { userOfJob } from '#kernel/table/transfer-jobs.ts'
import { familyOf } from './release-family.ts'
import { type StoredVersion, tellChanged, versionOf } from './release-rows.ts'
import { eligibleMatching, putMatching, removeStepwise } from './white-rows.ts'

const KIND = 'ota-white'
/** What a row of the white list takes on disk with its two index entries: enough to draw progress by. */
const BYTES_A_ROW = 100
const LOOK_MS = 500
const TIMEOUT = '120s'

interface Payload {
  readonly otaId: number
  readonly action: 'put' | 'remove'
  readonly filter: object
  /** Of the version: whose rights the job needs. */
  readonly kind: number
}

/** One change of a version's white list at a time; undefined while another is under way. */
export const addWhiteJob = (ctx: Ctx, { name, ...payload }: Payload & { name: string }) =>
  transact(ctx, (db) =>
    ctx.kernel.jobs.add(db, {
      kind: KIND,
      title: name,
      uid: ctx.user.uid,
      tenantId: ctx.user.tenantId,
      payload,
      uniqueKey: `${KIND}:${payload.otaId}`,
    }),
  )

export const registerWhiteJob = (kernel: Kernel) => kernel.jobs.register(KIND, whiteWorker(kernel))

const whiteWorker =
  (kernel: Kernel): Worker =>
  async (job, progress, signal) => {
    const { otaId, action, filter, kind } = job.payload as Payload
    const user = await userOfJob(kernel, job, familyOf(kind).white.putAll.access)
    const inSight = <T>(work: (db: Db, version: StoredVersion, condition: SQL) => Promise<T>) =>
      inTransaction(kernel.database, user, async (db) => {
        const version = await versionOf(db, user, otaId)
        const condition = await eligibleMatching(db, user, version, DeviceFilter.parse(filter))
        await db.execute(sql.raw(`set local statement_timeout = '${TIMEOUT}'`))
        signal.throwIfAborted()
        return work(db, version, condition)
      })
    const watched = action === 'put' ? await watchGrowth(kernel, await inSight(sizes), progress) : undefined
    try {
      const rows = await inSight(async (db, version, condition) => {
        const told = async (part: number) => {
          signal.throwIfAborted()
          await progress(Math.min(95, part * 95))
        }
        const count =
          action === 'put'
            ? await putMatching(db, otaId, condition, user.uid)
            : await removeStepwise(db, otaId, { devicesMeant: condition, told })
        // Cancelled meanwhile: nothing of it stays.
        signal.throwIfAborted()
        const changer = { uid: user.uid, now: kernel.now(), twoPerson: kernel.config.otaTwoPerson }
        if (action === 'put' && count > 0) await holdLargeWhiteList(db, otaId, changer)
        await tellChanged(kernel, db, version.tenantId)
        return count
      })
      await freshStatistics(kernel, ['ota_whites'], 'vacuum (analyze)')
      return { rows }
    } finally {
      clearInterval(watched)
    }
  }

const sizes = (db: Db, _version: StoredVersion, condition: SQL) => db.$count(devices, condition)

/** One statement tells nothing before it is done, but the table grows under it for all to see. */
async function watchGrowth(kernel: Kernel, total: number, progress: Parameters<Worker>[1]) {
  const before = await sizeOf(kernel)
  const look = async () => progress(Math.min(95, (((await sizeOf(kernel)) - before) * 100) / (total * BYTES_A_ROW)))
  return setInterval(() => void look().catch(() => {}), LOOK_MS)
}

async function sizeOf({ database }: Kernel) {
  const { rows } = await database.pool.query<{ size: number }>(
    `select pg_total_relation_size('ota_whites')::float8 as size`,
  )
  return rows[0]?.size ?? 0
}
