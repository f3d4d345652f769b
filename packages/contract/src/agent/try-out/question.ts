import * as z from 'zod'
import type { Contract } from '../../core/endpoint.ts'
import { id, optional, reference, rev, text } from '../../core/fields.ts'

export const MAX_QUESTIONS = 50
/** Number of newest runs that are kept for an agent. */
export const MAX_KEPT_RUNS = 20
const MAX_WORDS = 10
const MAX_WORD = 50

const words = (title: string) =>
  z.array(text(title, MAX_WORD)).max(MAX_WORDS, `${title}最多${MAX_WORDS}个`).default([]).meta({ title })

const QuestionInput = z.object({
  question: text('问题', 1000),
  /** The answer must contain each of these words. */
  mustHave: words('必须出现'),
  /** The answer must contain none of these words. */
  mustNotHave: words('不能出现'),
})
export const QuestionRow = z.object({
  id: z.int(),
  question: z.string().meta({ title: '问题' }),
  mustHave: z.array(z.string()).meta({ title: '必须出现' }),
  mustNotHave: z.array(z.string()).meta({ title: '不能出现' }),
  rev: z.int(),
})
export type QuestionRow = z.output<typeof QuestionRow>

/** A question as it was asked in a run. */
export const AskedQuestion = QuestionRow.omit({ rev: true })
export type AskedQuestion = z.output<typeof AskedQuestion>

/** Answer of one version to one question. */
export const QuestionAnswer = z.object({
  text: z.string(),
  /** Reason of an incomplete answer; empty for a complete answer. */
  error: z.string(),
  /** Milliseconds to the first text. */
  firstMs: z.int(),
  totalMs: z.int(),
  input: z.number(),
  output: z.number(),
  isEstimate: z.boolean(),
})
export type QuestionAnswer = z.output<typeof QuestionAnswer>

/** Answers of both versions; `candidate` is null in a run of one version. */
export const QuestionAnswers = z.object({ current: QuestionAnswer, candidate: QuestionAnswer.nullable() })
export type QuestionAnswers = z.output<typeof QuestionAnswers>

export const QUESTION_RUN_STATE = { 0: '等待中', 1: '运行中', 2: '已完成', 3: '失败', 4: '已取消' } as const
export const RunRow = z.object({
  id: z.int(),
  /** Background job, which its owner may cancel; null when the job centre no longer has the job. */
  jobId: z.int().nullable(),
  versionNo: z.int().meta({ title: '当前版本' }),
  candidateNo: z.int().nullable().meta({ title: '候选版本' }),
  state: z.int().meta({ title: '状态', labels: QUESTION_RUN_STATE }),
  questions: z.int().meta({ title: '问题数' }),
  answered: z.int().meta({ title: '已回答' }),
  error: z.string().meta({ title: '原因' }),
  createName: z.string().meta({ title: '操作人' }),
  /** True when the caller started the run and may cancel its job. */
  isOwn: z.boolean(),
  createTime: z.string().meta({ title: '开始时间', format: 'date-time' }),
  endTime: z.string().nullable().meta({ title: '结束时间', format: 'date-time' }),
})
export type RunRow = z.output<typeof RunRow>
export const RunDetail = z.object({
  run: RunRow,
  list: z.array(AskedQuestion.extend({ answers: QuestionAnswers.nullable() })),
})
export type RunDetail = z.output<typeof RunDetail>

interface WordCheck {
  /** Words that the answer must contain and does not contain. */
  readonly missing: readonly string[]
  /** Words that the answer contains and must not contain. */
  readonly forbidden: readonly string[]
}

/** Returns the missing and the forbidden words of an answer, ignoring case. */
export function checkExpectedWords(
  answer: string,
  { mustHave, mustNotHave }: Pick<AskedQuestion, 'mustHave' | 'mustNotHave'>,
): WordCheck {
  const said = answer.toLowerCase()
  const isSaid = (word: string) => said.includes(word.toLowerCase())
  return { missing: mustHave.filter((word) => !isSaid(word)), forbidden: mustNotHave.filter(isSaid) }
}

const TEST = 'agent:agent:test'
const ROOT = '/api/v1/agent/questions'
const byId = z.object({ id })

/** Test questions of an agent, and the runs that ask its versions these questions. */
export const agentQuestions = {
  /** Questions of an agent. */
  list: {
    method: 'GET',
    path: `${ROOT}/of/:agentId`,
    access: TEST,
    input: z.object({ agentId: id }),
    result: z.object({ list: z.array(QuestionRow) }),
  },
  get: { method: 'GET', path: `${ROOT}/:id`, access: TEST, input: byId, result: QuestionRow },
  create: {
    method: 'POST',
    path: ROOT,
    access: TEST,
    title: '新增测试问题',
    body: 'json',
    input: QuestionInput.extend({ agentId: reference('智能体') }),
    result: byId,
    done: '新增成功',
  },
  update: {
    method: 'PUT',
    path: ROOT,
    access: TEST,
    title: '修改测试问题',
    body: 'json',
    input: QuestionInput.extend({ id, rev }),
    result: z.object({ rev: z.int() }),
    done: '修改成功',
  },
  remove: {
    method: 'DELETE',
    path: `${ROOT}/:id`,
    access: TEST,
    title: '删除测试问题',
    input: byId,
    result: z.null(),
    done: '删除成功',
  },
  /**
   * Starts a background job that asks all questions of the version in force and of the candidate or another version.
   */
  start: {
    method: 'POST',
    path: `${ROOT}/run/:agentId`,
    access: TEST,
    title: '运行测试问题',
    kind: 'other',
    perMinute: 10,
    input: z.object({ agentId: id, versionNo: optional(id).meta({ title: '对比版本' }) }),
    result: z.object({ id: z.int(), jobId: z.int() }),
    done: '已开始运行',
  },
  /** The newest runs of an agent. */
  runs: {
    method: 'GET',
    path: `${ROOT}/runs/:agentId`,
    access: TEST,
    input: z.object({ agentId: id }),
    result: z.object({ list: z.array(RunRow) }),
  },
  run: { method: 'GET', path: `${ROOT}/run/:id`, access: TEST, input: byId, result: RunDetail },
} as const satisfies Contract
