import { DeviceFilter } from '@oms/contract/device/device-fields.ts'
import { type SQL, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import type { Ctx } from '#core/http/context.ts'
import { lockLargeAllowlist } from './releases/release-rules.ts'
import type { Worker } from '#core/jobs/types.ts'
import type { Services } from '#core/services.ts'
import { devices } from '#modules/device/schema.ts'
import { analyzeTable } from '#core/database/analyze.ts'
import { inTransaction, transact } from '#core/tenancy/tenancy.ts'
import { loadJobUser } from '#core/spreadsheet/transfer-jobs.ts'
import { findArtifactKind } from './releases/release-artifact-kind.ts'
import { requireChangeableVersion, type StoredVersion, publishReleaseChanged } from './releases/release-rows.ts'
import { eligibleDevicesMatching, addMatchingDevices, removeDevicesInSteps } from './allowlist-rows.ts'

const KIND = 'ota-white'
/** Estimated bytes of one allowlist row with its two index entries. Used to calculate the progress of the job. */
const BYTES_A_ROW = 100
const LOOK_MS = 500
const TIMEOUT = '120s'

interface Payload {
  readonly otaId: number
  readonly action: 'put' | 'remove'
  readonly filter: object
  /** Kind of the version (firmware or software). The job checks the permission of this kind. */
  readonly kind: number
}

/**
 * Starts a job that changes the allowlist of one version. Returns undefined while another job changes the same list.
 */
export const addAllowlistJob = (ctx: Ctx, { name, ...payload }: Payload & { name: string }) =>
  transact(ctx, (db) =>
    ctx.services.jobs.add(db, {
      kind: KIND,
      title: name,
      uid: ctx.user.uid,
      tenantId: ctx.user.tenantId,
      payload,
      uniqueKey: `${KIND}:${payload.otaId}`,
    }),
  )

export const registerAllowlistJob = (services: Services) =>
  services.jobs.register(KIND, whiteWorker(services), {
    concurrency: 2,
    maxPerTenant: 1,
    timeLimitSeconds: 30 * 60,
  })

const whiteWorker =
  (services: Services): Worker =>
  async (job, progress, signal) => {
    const { otaId, action, filter, kind } = job.payload as Payload
    const user = await loadJobUser(services, job, findArtifactKind(kind).white.putAll.access)
    const inSight = <T>(work: (db: Db, version: StoredVersion, condition: SQL) => Promise<T>) =>
      inTransaction(services.database, user, async (db) => {
        const version = await requireChangeableVersion(db, user, otaId)
        const condition = await eligibleDevicesMatching(db, user, version, DeviceFilter.parse(filter))
        await db.execute(sql.raw(`set local statement_timeout = '${TIMEOUT}'`))
        signal.throwIfAborted()
        return work(db, version, condition)
      })
    const watched = action === 'put' ? await watchGrowth(services, await inSight(sizes), progress) : undefined
    try {
      const rows = await inSight(async (db, version, condition) => {
        const onProgress = async (part: number) => {
          signal.throwIfAborted()
          await progress(Math.min(95, part * 95))
        }
        const count =
          action === 'put'
            ? await addMatchingDevices(db, otaId, condition, user.uid)
            : await removeDevicesInSteps(db, otaId, { devicesMeant: condition, onProgress })
        // The job was cancelled: the transaction rolls back all its changes.
        signal.throwIfAborted()
        const changer = { uid: user.uid, now: services.now(), twoPerson: services.config.otaTwoPerson }
        if (action === 'put' && count > 0) await lockLargeAllowlist(db, otaId, changer)
        await publishReleaseChanged(services, db, version.tenantId)
        return count
      })
      await analyzeTable(services, ['ota_whites'], 'vacuum (analyze)')
      return { rows }
    } finally {
      clearInterval(watched)
    }
  }

const sizes = (db: Db, _version: StoredVersion, condition: SQL) => db.$count(devices, condition)

/** Reports progress by the growth of the table, because one statement reports nothing before the statement ends. */
async function watchGrowth(services: Services, total: number, progress: Parameters<Worker>[1]) {
  const before = await sizeOf(services)
  const look = async () => progress(Math.min(95, (((await sizeOf(services)) - before) * 100) / (total * BYTES_A_ROW)))
  return setInterval(() => void look().catch(() => {}), LOOK_MS)
}

async function sizeOf({ database }: Services) {
  const { rows } = await database.pool.query<{ size: number }>(
    `select pg_total_relation_size('ota_whites')::float8 as size`,
  )
  return rows[0]?.size ?? 0
}
