import {
  type agentQuestions as calls,
  MAX_KEPT_RUNS,
  MAX_QUESTIONS,
  type QuestionRow,
} from '@oms/contract/agent/try-out/question.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { MAX_OPEN_JOBS, TRANSFER_MESSAGES } from '@oms/contract/core/transfer.ts'
import { and, asc, desc, eq, inArray, notInArray } from 'drizzle-orm'
import { checkRevision, updateColumns } from '#core/database/optimistic-lock.ts'
import type { Db } from '#core/database/client.ts'
import { invalid, notFound, refused } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import { scoped } from '#core/tenancy/tenancy.ts'
import { readVersionSnapshot } from '#domain/agents/agents/agent-of-device.ts'
import { agentQuestionRuns, agentQuestions } from '#schema/agent/agent.ts'
import { jobs } from '#schema/system.ts'
import { AGENT_BIZ_TYPE, lockAgent, readAgent, type StoredAgent } from '../agents/agent-store.ts'
import { QUESTION_JOB } from './question-run.ts'
import { assertBudget } from './try-budget.ts'

const COLUMNS = {
  id: agentQuestions.id,
  question: agentQuestions.question,
  mustHave: agentQuestions.mustHave,
  mustNotHave: agentQuestions.mustNotHave,
  rev: agentQuestions.rev,
}

const questionsOf = (db: Db, agentId: number) =>
  db
    .select(COLUMNS)
    .from(agentQuestions)
    .where(eq(agentQuestions.agentId, agentId))
    .orderBy(asc(agentQuestions.sort), asc(agentQuestions.id))
    .limit(MAX_QUESTIONS)

export async function listQuestions(ctx: Ctx, { agentId }: ParsedOf<typeof calls.list>) {
  await readAgent(ctx, agentId)
  return { list: await questionsOf(ctx.db, agentId) }
}

/** Returns a question of an agent that the account may see. */
async function questionOf(ctx: Ctx, id: number) {
  const { db, user } = ctx
  const [found] = await db
    .select()
    .from(agentQuestions)
    .where(and(eq(agentQuestions.id, id), scoped(user, { tenant: agentQuestions.tenantId })))
  if (!found) throw notFound('问题')
  return { found, agent: await readAgent(ctx, found.agentId) }
}

export async function getQuestion(ctx: Ctx, { id }: ParsedOf<typeof calls.get>) {
  const { question, mustHave, mustNotHave, rev } = (await questionOf(ctx, id)).found
  return { id, question, mustHave, mustNotHave, rev }
}

const short = (text: string) => (text.length > 40 ? `${text.slice(0, 40)}…` : text)

export async function createQuestion(ctx: Ctx, { agentId, ...question }: ParsedOf<typeof calls.create>) {
  const { db, user } = ctx
  const agent = await lockAgent(ctx, agentId)
  const count = await db.$count(agentQuestions, eq(agentQuestions.agentId, agentId))
  if (count >= MAX_QUESTIONS) throw refused(`每个智能体最多${MAX_QUESTIONS}个问题`)
  const [made] = await db
    .insert(agentQuestions)
    .values({ ...question, agentId, tenantId: agent.tenantId, createBy: user.uid, updateBy: user.uid })
    .returning({ id: agentQuestions.id })
  ctx.audit({ bizType: AGENT_BIZ_TYPE, bizId: agentId, action: `新增测试问题「${short(question.question)}」` })
  return { id: made!.id }
}

export async function updateQuestion(ctx: Ctx, { id, rev, ...question }: ParsedOf<typeof calls.update>) {
  const { agent } = await questionOf(ctx, id)
  // Reads the question after the lock of its agent, so that of two simultaneous saves one is refused.
  await lockAgent(ctx, agent.id)
  const { found } = await questionOf(ctx, id)
  await checkRevision(ctx.db, found, rev)
  const next = updateColumns(found, ctx.user.uid, ctx.now)
  await ctx.db
    .update(agentQuestions)
    .set({ ...question, ...next })
    .where(eq(agentQuestions.id, id))
  ctx.audit({ bizType: AGENT_BIZ_TYPE, bizId: agent.id, action: `修改测试问题「${short(question.question)}」` })
  return { rev: next.rev }
}

export async function removeQuestion(ctx: Ctx, { id }: ParsedOf<typeof calls.remove>) {
  const { found, agent } = await questionOf(ctx, id)
  await ctx.db.delete(agentQuestions).where(eq(agentQuestions.id, id))
  ctx.audit({ bizType: AGENT_BIZ_TYPE, bizId: agent.id, action: `删除测试问题「${short(found.question)}」` })
  return null
}

const askedOf = ({ id, question, mustHave, mustNotHave }: QuestionRow) => ({ id, question, mustHave, mustNotHave })

/** Starts the job that asks the questions. An agent has one open run at a time. */
export async function startRun(ctx: Ctx, { agentId, versionNo }: ParsedOf<typeof calls.start>) {
  const { db, user, services } = ctx
  const agent = await lockAgent(ctx, agentId)
  await assertBudget(ctx, agent.tenantId)
  const questions = (await questionsOf(db, agentId)).map(askedOf)
  if (questions.length === 0) throw refused('请先添加问题')
  const candidateNo = await comparedVersion(db, agent, versionNo)
  await assertFewJobs(db, user.uid)
  const [run] = await db
    .insert(agentQuestionRuns)
    .values({
      agentId,
      tenantId: agent.tenantId,
      versionNo: agent.versionNo,
      candidateNo,
      questions,
      createBy: user.uid,
    })
    .returning({ id: agentQuestionRuns.id })
  const jobId = await services.jobs.add(db, {
    kind: QUESTION_JOB,
    title: `测试「${agent.agentName}」的问题`,
    uid: user.uid,
    tenantId: user.tenantId,
    payload: { runId: run!.id },
    uniqueKey: `${QUESTION_JOB}:${agentId}`,
  })
  if (jobId === undefined) throw refused('该智能体的问题正在运行，请等待完成或取消')
  await db.update(agentQuestionRuns).set({ jobId }).where(eq(agentQuestionRuns.id, run!.id))
  await removeOldRuns(db, agentId)
  const against = candidateNo === null ? '' : `与 v${candidateNo}`
  const action = `对 v${agent.versionNo}${against} 运行${questions.length}个测试问题`
  ctx.audit({ bizType: AGENT_BIZ_TYPE, bizId: agentId, action })
  return { id: run!.id, jobId }
}

/** Returns the version to compare with: the requested version, else the candidate, else null. */
async function comparedVersion(db: Db, agent: StoredAgent, versionNo: number | undefined) {
  const compared = versionNo ?? agent.candidateNo
  if (compared === agent.versionNo) throw invalid('请选择当前版本以外的版本', 'versionNo')
  if (compared !== null && !(await readVersionSnapshot(db, agent.id, compared))) throw notFound(`版本 ${compared} `)
  return compared
}

async function assertFewJobs(db: Db, uid: number) {
  const open = await db.$count(jobs, and(eq(jobs.uid, uid), inArray(jobs.state, ['waiting', 'running'])))
  if (open >= MAX_OPEN_JOBS) throw refused(TRANSFER_MESSAGES.tooManyJobs)
}

async function removeOldRuns(db: Db, agentId: number) {
  const isOfAgent = eq(agentQuestionRuns.agentId, agentId)
  const newest = db
    .select({ id: agentQuestionRuns.id })
    .from(agentQuestionRuns)
    .where(isOfAgent)
    .orderBy(desc(agentQuestionRuns.id))
    .limit(MAX_KEPT_RUNS)
  await db.delete(agentQuestionRuns).where(and(isOfAgent, notInArray(agentQuestionRuns.id, newest)))
}
