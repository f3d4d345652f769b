import { type agentQuestions as calls, MAX_KEPT_RUNS } from '@oms/contract/agent/try-out/question.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, desc, eq, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { notFound } from '#core/http/api-error.ts'
import type { Ctx, User } from '#core/http/context.ts'
import { scoped } from '#core/tenancy/tenancy.ts'
import { accounts } from '#schema/account.ts'
import { agentQuestionRuns as runs } from '#schema/agent/agent.ts'
import { jobs } from '#schema/system.ts'
import { readAgent } from '../agents/agent-store.ts'

/** Hours after which an open run counts as failed, because its job ended without storing a result. */
const MAX_HOURS = 4

/**
 * SQL of the state of a run, with the state of its job. A job that is cancelled before its start never updates the run.
 */
const state = sql<number>`case when ${runs.state} >= 2 then ${runs.state}
  when ${jobs.state} = 'cancelled' then 4
  when ${jobs.state} = 'failed' or ${runs.createTime} < now() - make_interval(hours => ${MAX_HOURS}) then 3
  else ${runs.state} end`.as('run_state')

const select = (db: Db, user: User) =>
  db
    .select({
      id: runs.id,
      jobId: runs.jobId,
      versionNo: runs.versionNo,
      candidateNo: runs.candidateNo,
      state,
      questions: sql<number>`jsonb_array_length(${runs.questions})`.as('asked'),
      answered: sql<number>`jsonb_array_length(${runs.answers})`.as('answered'),
      error: sql<string>`coalesce(nullif(${runs.error}, ''), ${jobs.error}, '')`.as('run_error'),
      createName: sql<string>`coalesce(nullif(${accounts.realname}, ''), ${accounts.account}, '')`.as('create_name'),
      isOwn: sql<boolean>`coalesce(${runs.createBy} = ${user.uid}, false)`.as('is_own'),
      createTime: runs.createTime,
      endTime: runs.endTime,
    })
    .from(runs)
    .leftJoin(accounts, eq(accounts.uid, runs.createBy))
    .leftJoin(jobs, eq(jobs.jobId, runs.jobId))

export async function listRuns(ctx: Ctx, { agentId }: ParsedOf<typeof calls.runs>) {
  await readAgent(ctx, agentId)
  const list = await select(ctx.db, ctx.user)
    .where(eq(runs.agentId, agentId))
    .orderBy(desc(runs.id))
    .limit(MAX_KEPT_RUNS)
  return { list }
}

/** Returns a run with its questions and the answers so far. */
export async function getRun(ctx: Ctx, { id }: ParsedOf<typeof calls.run>) {
  const { db, user } = ctx
  const isVisible = and(eq(runs.id, id), scoped(user, { tenant: runs.tenantId }))
  const [run] = await select(db, user).where(isVisible)
  const [stored] = await db.select().from(runs).where(isVisible)
  if (!run || !stored) throw notFound('运行')
  await readAgent(ctx, stored.agentId)
  return { run, list: stored.questions.map((question, at) => ({ ...question, answers: stored.answers[at] ?? null })) }
}
