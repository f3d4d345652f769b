import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import type { ImportReport } from '@oms/contract/core/transfer.ts'
import { isJobOpen, JOB_STATES, type jobs as contract } from '@oms/contract/system/job.ts'
import { and, desc, eq, inArray, isNull, or, type SQL, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { paginate } from '#core/database/lists/list-query.ts'
import { notFound, refused } from '#core/http/api-error.ts'
import type { Ctx, User } from '#core/http/context.ts'
import { jobs } from '#core/schema/system.ts'

interface Result {
  readonly rows?: number
  readonly file?: { readonly id: string; readonly name: string; readonly size: number }
  readonly report?: ImportReport
  readonly answer?: Record<string, unknown>
}

const own = ({ uid }: User) => eq(jobs.uid, uid)
/**
 * Returns the condition for visible jobs. Failed scheduled jobs have no account and concern all tenants. They are visible
 * to platform accounts with the log permission that see all tenants.
 */
const visible = (user: User) =>
  user.isPlatform && user.scope.tenants === 'all' && user.can('system:operLog:list')
    ? or(own(user), and(isNull(jobs.uid), eq(jobs.state, 'failed')))
    : own(user)

const shown = (db: Db) =>
  db
    .select({
      jobId: jobs.jobId,
      title: jobs.title,
      state: jobs.state,
      percent: jobs.percent,
      error: jobs.error,
      result: jobs.result,
      createTime: jobs.createTime,
      finishTime: jobs.finishTime,
      hasFile: sql<boolean>`exists (select 1 from files f where f.id = jobs.result -> 'file' ->> 'id')`,
    })
    .from(jobs)
    .$dynamic()

type Shown = Awaited<ReturnType<typeof shown>>[number]

function rowOf(shownRow: Shown) {
  const { jobId, title, percent, error, createTime, finishTime, result, hasFile } = shownRow
  const { rows = null, file, report = null } = (result ?? {}) as Result
  return {
    jobId,
    title,
    percent,
    error,
    createTime,
    finishTime,
    rows,
    report,
    state: stateOf(shownRow.state),
    file: file ? { ...file, expired: !hasFile } : null,
  }
}
const stateOf = (state: string) => JOB_STATES.find((known) => known === state) ?? 'failed'

export async function listJobs({ db, user }: Ctx, { state, ...page }: ParsedOf<typeof contract.list>) {
  const wanted: SQL | undefined = state && eq(jobs.state, state)
  const found = await paginate(db, shown(db).where(and(visible(user), wanted)), page, [desc(jobs.jobId)])
  return { ...found, list: found.list.map(rowOf) }
}

export async function getJob({ db, user }: Ctx, { id }: ParsedOf<typeof contract.get>) {
  const [found] = await shown(db).where(and(visible(user), eq(jobs.jobId, id)))
  if (!found) throw notFound('任务')
  const { answer = null } = (found.result ?? {}) as Result
  return { ...rowOf(found), answer }
}

/** Cancels a job. A waiting job never starts; a running job stops between two batches. */
export async function cancelJob(ctx: Ctx, { id }: ParsedOf<typeof contract.cancel>) {
  const { db, user, now, services } = ctx
  const mine = and(own(user), eq(jobs.jobId, id))
  const [stopped] = await db
    .update(jobs)
    .set({ state: 'cancelled', finishTime: now.toISOString() })
    .where(and(mine, inArray(jobs.state, JOB_STATES.filter(isJobOpen))))
    .returning({ title: jobs.title, percent: jobs.percent })
  if (!stopped) {
    const [found] = await db.select({ jobId: jobs.jobId }).from(jobs).where(mine)
    throw found ? refused('任务已经结束') : notFound('任务')
  }
  await services.jobs.cancelled(db, { jobId: id, uid: user.uid, percent: stopped.percent })
  ctx.audit({ bizType: 'job', bizId: id, action: `取消任务「${stopped.title}」` })
  return null
}
