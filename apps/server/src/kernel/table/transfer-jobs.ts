import { createHash, randomBytes } from 'node:crypto'
import type { Access } from '@oms/contract/kernel/endpoint.ts'
import { type JobAnswer, MAX_OPEN_JOBS, TRANSFER_MESSAGES } from '@oms/contract/kernel/transfer.ts'
import { and, eq, inArray, sql } from 'drizzle-orm'
import { files, jobs } from '#db/schema/system.ts'
import type { Ctx, User } from '#kernel/context.ts'
import type { StoredFile } from '#kernel/files/store.ts'
import type { Job } from '#kernel/jobs.ts'
import type { Kernel } from '#kernel/kernel.ts'
import { refused } from '#kernel/problem.ts'
import { isVisit, mayVisit, userOf } from '#kernel/rights.ts'
import { transact } from '#kernel/tenancy.ts'

/** What a job of this kind needs to know: which definition, and what it was asked for. */
export interface TransferPayload {
  readonly of: string
  readonly input: unknown
  /** Of an import: the uploaded table. */
  readonly file?: { readonly id: string; readonly name: string; readonly sha256: string }
  readonly total?: number
}
interface NewTransfer extends TransferPayload {
  readonly name: string
}

/** Puts an export or import in line for the caller; the same one asked for again while it is under way is that one. */
export async function addTransfer(
  ctx: Ctx,
  kind: 'export' | 'import',
  { name, ...payload }: NewTransfer,
): Promise<JobAnswer> {
  const { uid, tenantId } = ctx.user
  const text = JSON.stringify(payload)
  const uniqueKey = `${kind}:${uid}:${tenantId}:${createHash('sha256').update(text).digest('hex').slice(0, 40)}`
  const title = `${kind === 'export' ? '导出' : '导入'}${name}`
  return transact(ctx, async (db) => {
    // Two clicks at once take turns, so that neither slips past the limit.
    await db.execute(sql`select pg_advisory_xact_lock(hashtext('jobs'), ${uid})`)
    const open = await db
      .select({ jobId: jobs.jobId, uniqueKey: jobs.uniqueKey })
      .from(jobs)
      .where(and(eq(jobs.uid, uid), inArray(jobs.state, ['waiting', 'running'])))
      .limit(MAX_OPEN_JOBS)
    const same = open.find((job) => job.uniqueKey === uniqueKey)
    if (same) return { jobId: same.jobId }
    if (open.length >= MAX_OPEN_JOBS) throw refused(TRANSFER_MESSAGES.tooManyJobs)
    const jobId = await ctx.kernel.jobs.add(db, { kind, title, uid, tenantId, payload, uniqueKey })
    return { jobId: jobId as number }
  })
}

const LOST = '您已没有执行该任务的权限'

/** The account behind a job with the rights it has now; refused when it may no longer do this. */
export async function userOfJob({ sessions }: Kernel, { uid, tenantId }: Job, access: Access): Promise<User> {
  const rights = uid === null ? undefined : await sessions.rightsOf(uid)
  if (!rights) throw refused(LOST)
  if (rights.barredBecause) throw refused(rights.barredBecause)
  const user = userOf(rights, { id: '', tenantId })
  const moved = isVisit(rights, tenantId) && !mayVisit(rights, tenantId as number)
  if (moved || (access !== 'session' && !user.can(access))) throw refused(LOST)
  return user
}

/** Gives stored bytes a row that only their owner may fetch; swept by purpose and age. */
export async function keepFile(
  { kernel, user }: Pick<Ctx, 'kernel' | 'user'>,
  { purpose, name, mime, stored }: { purpose: 'export' | 'import'; name: string; mime: string; stored: StoredFile },
) {
  const id = randomBytes(16).toString('hex')
  const { md5, sha1, sha256, size } = stored
  const { uid, tenantId } = user
  const usedTime = kernel.now().toISOString()
  await transact({ kernel, user }, (db) =>
    db.insert(files).values({ id, tenantId, uid, purpose, name, mime, size, md5, sha1, sha256, usedTime }),
  )
  return { id, name, size }
}
