import { USAGE_SOURCE } from '@oms/contract/agent/usage/usage-unit.ts'
import { sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { isTransientError } from '#core/jobs/isolated.ts'
import { selectAddressPolicy } from '#core/outbound/address-policy.ts'
import type { OutboundLimits } from '#core/outbound/outbound.ts'
import type { Services } from '#core/services.ts'
import { PLATFORM_TENANT_ID } from '#core/tenancy/tenancy.ts'
import { isOpenAiCompatible, readLlmEndpoint, streamChat, type LlmUsage } from '../models/llm-chat.ts'
import { LlmError } from '../models/llm-error.ts'
import { readModelConfigs, type DecryptedModel } from '../models/model-config.ts'
import { isModelOpen } from '../models/open-models.ts'
import { estimateTokens, recordUsage, buildTokenEntries } from '../usage/usage-record.ts'
import { lockRunningTask, type MemoryOwner, replaceMemory } from './memory.ts'

/** Queue of the jobs that process rows of `agent_after`. */
export const SESSION_TASK_QUEUE = 'agent-after'
/** Kinds of the tasks after a session, stored in `agent_after.kind`. */
export const SESSION_TASK = { title: 1, summary: 2 } as const

const CONCURRENCY = 8
/** Limits of one model call. */
const LIMITS = { firstByteMs: 20_000, totalMs: 25_000 } as const
const TRIES = 3
/** Maximum number of merges in one run. A merge is repeated when the memory changed during the call of the model. */
const MERGES = 3
/** Longer than all merges of a summary, so that the cause of a failure is stored before the job is aborted. */
const TIME_LIMIT_SECONDS = (MERGES * LIMITS.totalMs) / 1000 + 15
const MAX_TURNS = 200
const TITLE_CHARACTERS = 15
const MAX_TITLE = 255
/** Minimum length of a user turn in a summary. Shorter turns are greetings and confirmations. */
const MIN_REMEMBERED = 5
const MAX_SUMMARY = 1800
const MAX_TALK = 12_000

interface Run {
  readonly services: Services
  readonly limits: Partial<OutboundLimits>
  readonly signal: AbortSignal
}
interface Work extends MemoryOwner {
  readonly taskId: number
  readonly kind: number
  readonly tries: number
  readonly tenantId: number
  readonly sessionRowId: string
  readonly slmId: number | null
  readonly memory: string
}
interface Turn {
  readonly kind: number
  readonly content: string
}

const TAKE = `update agent_after f set state = 1, tries = f.tries + 1 from agent_sessions s join agents a on a.id = s.agent_id
    left join agent_devices d on d.device_id = s.device_id
  where f.id = $1 and f.state < 2 and s.id = f.session_row_id
  returning f.id::float8 as "taskId", f.kind, f.tries, s.tenant_id as "tenantId", s.id as "sessionRowId", s.device_id as "deviceId", s.agent_id as "agentId", a.slm_id as "slmId",
    a.memory_scope as "memoryScope", case when a.memory_scope = 2 then a.memory else coalesce(d.memory, '') end as memory`
const TURNS = `select kind, content from agent_turns where session_row_id = $1 and kind < 3 and content <> ''
  order by report_time, id limit ${MAX_TURNS}`
const END = `update agent_after set state = $2, error = $3 where id = $1`

/** Registers the tasks after sessions: titles and summaries. A slow model delays only this queue. */
export function registerSessionWork(services: Services, limits: Partial<OutboundLimits> = LIMITS) {
  const options = {
    title: '会话标题与记忆',
    concurrency: CONCURRENCY,
    timeLimitSeconds: TIME_LIMIT_SECONDS,
    retries: TRIES - 1,
    retryDelaySeconds: 5,
  }
  services.jobs.registerMessages(
    SESSION_TASK_QUEUE,
    ({ payload }, _progress, signal) => workAfter({ services, limits, signal }, (payload as { id: number }).id),
    options,
  )
}

/** Processes one row of `agent_after`. Skips a row that is already done. */
async function workAfter(run: Run, id: number) {
  const { services } = run
  const { pool, db } = services.database
  const { rows } = await pool.query<Work>(TAKE, [id])
  const [work] = rows
  if (!work) return
  const turns = (await pool.query<Turn>(TURNS, [work.sessionRowId])).rows
  try {
    if (work.kind === SESSION_TASK.title) await writeTitle(run, work, turns)
    else await writeSummary(run, work, turns)
    await pool.query(END, [id, 2, ''])
  } catch (error) {
    const isLast = work.tries >= TRIES
    if (isLast && work.kind === SESSION_TASK.title) await saveTitle(db, work, firstWords(turns))
    await pool.query(END, [id, isLast ? 3 : 0, error instanceof LlmError ? error.message.slice(0, 300) : '处理失败'])
    if (!isLast || isTransientError(error)) throw error
  }
}

const firstWords = (turns: readonly Turn[]) =>
  [...(turns.find(({ kind }) => kind === 1)?.content ?? '')].slice(0, TITLE_CHARACTERS).join('')

/** Stores a title unless an erasure removed the task. Locks the task before the session, as erasures do. */
const saveTitle = (db: Db, { sessionRowId, taskId }: Work, title: string) =>
  db.transaction(async (tx) => {
    if (!(await lockRunningTask(tx, taskId))) return
    await tx.execute(sql`update agent_sessions set title = ${title.slice(0, MAX_TITLE)} where id = ${sessionRowId}`)
  })

async function writeTitle(run: Run, work: Work, turns: readonly Turn[]) {
  const { services } = run
  const model = turns.length === 0 ? undefined : await smallModel(services, work)
  const answer = model
    ? await complete(
        run,
        { work, model },
        `为下面的对话写一个不超过${TITLE_CHARACTERS}个字的标题，只输出标题，不加引号和标点。\n\n${talkOf(turns)}`,
      )
    : ''
  const title = answer.replaceAll(/[\p{Cc}"“”《》]/gu, '').trim()
  await saveTitle(services.database.db, work, title || firstWords(turns))
}

async function writeSummary(run: Run, work: Work, turns: readonly Turn[]) {
  const { services } = run
  const remembered = turns.filter(({ kind, content }) => kind === 1 && [...content].length >= MIN_REMEMBERED)
  const model = remembered.length === 0 ? undefined : await smallModel(services, work)
  if (!model) return
  const said = remembered
    .map(({ content }) => content)
    .join('\n')
    .slice(-MAX_TALK)
  let before: string | undefined = work.memory
  for (let merges = 0; before !== undefined; merges += 1) {
    if (merges === MERGES) throw new Error('the memory changed during each merge')
    const after = await mergedMemory(run, { work, model }, before, said)
    if (after === '') return
    before = await replaceMemory(services.database.db, work, { taskId: work.taskId, before, after })
  }
}

/** Returns the memory that the model writes: the old memory merged with the words of the user. */
async function mergedMemory(run: Run, completion: Completion, before: string, said: string) {
  const prompt = `你为语音助手整理关于用户的长期记忆。把旧记忆与新对话合并成一份简洁的记忆，只保留关于用户的事实、喜好和约定，不超过${MAX_SUMMARY}字，只输出记忆。\n\n旧记忆：\n${before}\n\n用户的话：\n${said}`
  return (await complete(run, completion, prompt)).replaceAll('\0', '').trim().slice(0, MAX_SUMMARY)
}

const talkOf = (turns: readonly Turn[]) =>
  turns
    .map(({ kind, content }) => `${kind === 1 ? '用户' : '助手'}：${content}`)
    .join('\n')
    .slice(0, MAX_TALK)

/**
 * Returns the small language model of the agent. Returns undefined without a model, without its key, or when OMS cannot
 * call the model.
 */
async function smallModel(services: Services, { slmId, tenantId }: Work): Promise<DecryptedModel | undefined> {
  const { database, config } = services
  if (slmId === null) return undefined
  const model = (await readModelConfigs(database.db, config.secretKey, [slmId])).get(slmId)
  const isUsable = model && isModelOpen(model, tenantId) && isOpenAiCompatible(model.config) && !model.isKeyMissing
  return isUsable ? model : undefined
}

interface Completion {
  readonly work: Work
  readonly model: DecryptedModel
}

/**
 * Returns the text of the model. Counts the tokens of a call that fails after its first text, because the vendor
 * charges it.
 */
async function complete({ services, limits, signal }: Run, { work, model }: Completion, prompt: string) {
  const policy = selectAddressPolicy(services.config, model.tenantId === PLATFORM_TENANT_ID ? 'platform' : 'tenant')
  const parts: string[] = []
  let usage: LlmUsage | undefined
  const call = {
    endpoint: readLlmEndpoint(model.config),
    messages: [{ role: 'user', content: prompt } as const],
    policy,
    limits,
    signal,
  }
  try {
    for await (const event of streamChat(call)) {
      if (event.type === 'text') parts.push(event.text)
      if (event.type === 'usage') ({ usage } = event)
    }
  } finally {
    const used = usage ?? { input: estimateTokens(prompt), output: estimateTokens(parts.join('')), cached: 0 }
    const { tenantId, agentId, deviceId } = work
    const owner = { tenantId, agentId, deviceId, source: USAGE_SOURCE.background }
    if (usage || parts.length > 0)
      await recordUsage(services.database.db, buildTokenEntries(owner, model, used, usage === undefined))
  }
  return withoutThinking(parts.join(''))
}

const [THOUGHT_START, THOUGHT_END] = ['<think>', '</think>']

/**
 * Removes the thoughts that some models write between `<think>` and `</think>` before their answer. A thought without
 * an end lasts to the end of the text. Runs in linear time, because the text comes from a vendor.
 */
function withoutThinking(text: string): string {
  const kept: string[] = []
  let at = 0
  for (;;) {
    const start = text.indexOf(THOUGHT_START, at)
    kept.push(text.slice(at, start < 0 ? undefined : start))
    const end = start < 0 ? -1 : text.indexOf(THOUGHT_END, start)
    if (end < 0) return kept.join('')
    at = end + THOUGHT_END.length
  }
}
