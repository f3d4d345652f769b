import { agentQuestions as calls, type QuestionAnswer } from '@oms/contract/agent/try-out/question.ts'
import { eq, sql } from 'drizzle-orm'
import { ApiError, notFound } from '#core/http/api-error.ts'
import type { User } from '#core/http/context.ts'
import { JobLostError, ProcessClosing, type Worker } from '#core/jobs/types.ts'
import type { Services } from '#core/services.ts'
import { loadJobUser } from '#core/spreadsheet/transfer-jobs.ts'
import { readVersionSnapshot } from '#domain/agents/agents/agent-of-device.ts'
import { streamChat } from '#domain/agents/llm/chat.ts'
import { LlmError } from '#domain/agents/llm/llm-error.ts'
import { agentQuestionRuns as runs } from '#schema/agent/agent.ts'
import { readAgent, type StoredAgent } from '../agents/agent-store.ts'
import { assertBudget, countTryOut } from './try-budget.ts'
import { TryMeter } from './try-figures.ts'
import { prepareChat, type TrySubject } from './try-prepare.ts'

export const QUESTION_JOB = 'agent-questions'
/** Time limit of a run: 50 questions to two slow versions, with at most two minutes for an answer. */
const TIME_LIMIT_SECONDS = 2 * 60 * 60
const MAX_ANSWER = 8000
const STATE = { running: 1, done: 2, failed: 3, cancelled: 4 } as const

type Run = typeof runs.$inferSelect

/** Registers the job that asks the test questions of an agent. */
export const registerQuestionRuns = (services: Services) =>
  services.jobs.register(QUESTION_JOB, questionWorker(services), {
    concurrency: 2,
    timeLimitSeconds: TIME_LIMIT_SECONDS,
  })

/**
 * Returns the worker of a run. Stores each answer at once, so that another process can continue the run after a
 * restart.
 */
const questionWorker =
  (services: Services): Worker =>
  async (job, progress, signal) => {
    const { db } = services.database
    const { runId } = job.payload as { runId: number }
    const [run] = await db.update(runs).set({ state: STATE.running }).where(eq(runs.id, runId)).returning()
    if (!run) throw notFound('运行')
    try {
      for (let at = run.answers.length; at < run.questions.length; at += 1) {
        signal.throwIfAborted()
        const user = await loadJobUser(services, job, calls.start.access)
        await answerNext(services, run, { user, at, signal })
        await progress(((at + 1) / run.questions.length) * 100)
      }
    } catch (error) {
      const { reason } = signal
      if (!(reason instanceof ProcessClosing))
        await end(services, runId, reason instanceof JobLostError ? STATE.cancelled : STATE.failed, wordsOf(error))
      throw error
    }
    await end(services, runId, STATE.done)
    return { rows: run.questions.length }
  }

const wordsOf = (error: unknown) => (error instanceof ApiError ? error.message : '')

const end = ({ database }: Services, runId: number, state: number, error = '') =>
  database.db
    .update(runs)
    .set({ state, error: error.slice(0, 300), endTime: sql`now()` })
    .where(eq(runs.id, runId))

interface Step {
  readonly user: User
  readonly at: number
  readonly signal: AbortSignal
}

/** Asks both versions one question at the same time, and stores the answers. */
async function answerNext(services: Services, run: Run, { user, at, signal }: Step) {
  const { db } = services.database
  const agent = await readAgent({ db, user }, run.agentId)
  await assertBudget({ services }, agent.tenantId)
  const { question } = run.questions[at]!
  const ask = async (versionNo: number) =>
    answerOf(services, agent, { subject: await subjectOf(services, agent, versionNo), question, signal })
  const [current, candidate] = await Promise.all([
    ask(run.versionNo),
    run.candidateNo === null ? null : ask(run.candidateNo),
  ])
  signal.throwIfAborted()
  const answers = JSON.stringify([{ current, candidate }])
  await db
    .update(runs)
    .set({ answers: sql`${runs.answers} || ${answers}::jsonb` })
    .where(eq(runs.id, run.id))
}

/** Returns the configuration of a version. For the version in force, returns the agent itself. */
async function subjectOf({ database }: Services, agent: StoredAgent, versionNo: number): Promise<TrySubject> {
  if (versionNo === agent.versionNo) return agent
  const snapshot = await readVersionSnapshot(database.db, agent.id, versionNo)
  if (!snapshot) throw notFound(`版本 ${versionNo} `)
  const { agentName = agent.agentName, llmId, systemPrompt, wordFileIds } = snapshot
  return { agentName, llmId, systemPrompt, wordFileIds }
}

interface Asked {
  readonly subject: TrySubject
  readonly question: string
  readonly signal: AbortSignal
}

/** Asks one version. Returns a failure of the model as an answer with an error, so that the run continues. */
async function answerOf(services: Services, agent: StoredAgent, asked: Asked): Promise<QuestionAnswer> {
  const { subject, question, signal } = asked
  let meter: TryMeter | undefined
  let error = ''
  try {
    const prepared = await prepareChat(services, agent, subject, { messages: [{ role: 'user', content: question }] })
    meter = new TryMeter(prepared)
    const { endpoint, messages, policy } = prepared
    for await (const event of streamChat({ endpoint, messages, policy, signal })) meter.add(event)
  } catch (thrown) {
    if (thrown instanceof ApiError) error = thrown.message
    else if (thrown instanceof LlmError) error = thrown.message
    else throw thrown
  }
  if (!meter) return { text: '', error, firstMs: 0, totalMs: 0, input: 0, output: 0, isEstimate: false }
  const figures = meter.figures()
  await countTryOut(services, agent, meter.model, figures)
  const { firstMs, totalMs, input, output, isEstimate } = figures
  return { text: meter.text.slice(0, MAX_ANSWER), error, firstMs, totalMs, input, output, isEstimate }
}
