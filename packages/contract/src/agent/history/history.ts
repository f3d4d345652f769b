import * as z from 'zod'
import type { Contract } from '../../core/endpoint.ts'
import { id, note, optional, search, text, whole } from '../../core/fields.ts'
import { createPageSchema, pageQuery, timeRange } from '../../core/page.ts'
import { exportQuery } from '../../core/transfer.ts'

export const TURN_KIND = { 1: '用户', 2: '智能体', 3: '工具' } as const
/** Maximum length of a memory. */
export const MAX_MEMORY = 2000
const time = (title: string) => z.string().meta({ title, format: 'date-time' })

export const SessionRow = z.object({
  id: z.int(),
  title: z.string().meta({ title: '标题' }),
  agentId: z.int(),
  deviceId: z.int(),
  deviceName: z.string().meta({ title: '设备' }),
  agentName: z.string().meta({ title: '智能体' }),
  turns: z.int().meta({ title: '轮数' }),
  characters: z.int().meta({ title: '字数' }),
  seconds: z.number().meta({ title: '语音时长（秒）' }),
  firstTime: time('开始时间'),
  lastTime: time('最近对话'),
  endTime: time('结束时间').nullable(),
})
export type SessionRow = z.output<typeof SessionRow>

export const TurnRow = z.object({
  id: z.int(),
  kind: z.int().meta({ title: '类型', labels: TURN_KIND }),
  /** Empty when the agent stores only counts. */
  content: z.string().meta({ title: '内容' }),
  characters: z.int().meta({ title: '字数' }),
  speaker: z.string().meta({ title: '说话人' }),
  /** Empty: no recording. */
  audioId: z.string(),
  seconds: z.number().meta({ title: '时长（秒）' }),
  reportTime: time('时间'),
})
export type TurnRow = z.output<typeof TurnRow>

type Report = Pick<TurnRow, 'kind' | 'content' | 'characters' | 'seconds'> & { readonly sessionId?: string }

/** Joins consecutive sentences of an agent to one answer, because voice servers report each sentence. */
export function joinSentences<T extends Report>(reports: readonly T[]): (T & { readonly sentences: readonly T[] })[] {
  const joined: (T & { sentences: T[] })[] = []
  for (const report of reports) {
    const last = joined.at(-1)
    if (last?.kind !== 2 || report.kind !== 2 || last.sessionId !== report.sessionId) {
      joined.push({ ...report, sentences: [report] })
      continue
    }
    last.content += report.content
    last.characters += report.characters
    last.seconds = Math.round((last.seconds + report.seconds) * 10) / 10
    last.sentences.push(report)
  }
  return joined
}

/** A conversation that contains the search text. */
export const FoundSession = SessionRow.extend({
  /** Text around the first match. */
  snippet: z.string().meta({ title: '内容' }),
})
export type FoundSession = z.output<typeof FoundSession>

/** One turn in an exported file. Recordings are not part of the file. */
export const ExportedTurn = z.object({
  sessionId: z.string().meta({ title: '会话编号' }),
  title: z.string().meta({ title: '标题' }),
  agentName: z.string().meta({ title: '智能体' }),
  deviceName: z.string().meta({ title: '设备' }),
  reportTime: time('时间'),
  kind: z.int().meta({ title: '类型', labels: TURN_KIND }),
  speaker: z.string().meta({ title: '说话人' }),
  content: z.string().meta({ title: '内容' }),
  characters: z.int().meta({ title: '字数' }),
  seconds: z.number().meta({ title: '时长（秒）' }),
})

/**
 * Number of conversations that one search reads. `MAX_FOUND_TURNS`: maximum number of conversations that one search returns.
 */
export const MAX_SEARCHED_SESSIONS = 1000
export const MAX_FOUND_TURNS = 100
/** Maximum number of turns in one export. */
export const MAX_EXPORTED_TURNS = 100_000

const owner = {
  agentId: optional(id).meta({ title: '智能体' }),
  deviceId: optional(id).meta({ title: '设备' }),
}
const HISTORY = 'agent:agent:history'
const ROOT = '/api/v1/agent/history'

/** Conversations and memory of an agent or a device. */
export const agentHistory = {
  sessions: {
    method: 'GET',
    path: `${ROOT}/sessions`,
    access: HISTORY,
    title: '查看对话列表',
    kind: 'other',
    input: pageQuery.extend({ ...owner, title: search('标题', 64), ...timeRange }),
    result: createPageSchema(SessionRow),
  },
  /** Returns the text of a session. The operation log records who opened the session. */
  open: {
    method: 'POST',
    path: `${ROOT}/session/:id`,
    access: HISTORY,
    title: '查看对话记录',
    kind: 'other',
    input: z.object({ id }),
    result: z.object({ session: SessionRow, turns: z.array(TurnRow), isCut: z.boolean() }),
  },
  /**
   * Searches the titles and the texts of users and agents in the latest 1,000 conversations of an agent or a device.
   * `page` 2 searches the 1,000 conversations before those, and so on.
   */
  search: {
    method: 'POST',
    path: `${ROOT}/search`,
    access: HISTORY,
    title: '查找对话内容',
    kind: 'other',
    log: ['agentId', 'deviceId', 'page'],
    perMinute: 30,
    input: z.object({
      ...owner,
      words: text('查找内容', 50),
      page: whole('页码', 1, 100).default(1),
    }),
    result: z.object({
      list: z.array(FoundSession),
      /** Conversations that this search has read. */
      searched: z.int(),
      /** True when more than 100 conversations contain the search text. */
      isCut: z.boolean(),
      hasOlder: z.boolean(),
    }),
  },
  /**
   * Starts a job that writes the text of a session, or of an agent or a device in a period, into a file. The account
   * also needs the permission to read the text.
   */
  export: {
    method: 'GET',
    path: `${ROOT}/export`,
    access: 'agent:agent:export',
    stream: 'download',
    title: '导出对话记录',
    kind: 'export',
    input: z
      .object({ ...owner, sessionId: optional(id).meta({ title: '会话' }), ...timeRange })
      .extend(exportQuery.shape),
    result: z.null(),
  },
  /** Sends the recording of a turn, whole or a range. */
  audio: {
    method: 'GET',
    path: `${ROOT}/audio/:audioId`,
    access: HISTORY,
    stream: 'download',
    title: '播放对话录音',
    kind: 'other',
    input: z.object({ audioId: z.string('语音编号不正确').regex(/^[0-9a-f]{32}$/, '语音编号不正确') }),
    result: z.null(),
  },
  /** Erases texts, recordings and counts of a session. */
  erase: {
    method: 'DELETE',
    path: `${ROOT}/session/:id`,
    access: 'agent:agent:memory',
    title: '清除对话记录',
    kind: 'remove',
    input: z.object({ id }),
    result: z.null(),
    done: '已清除',
  },
  /** Returns the memory. The operation log records who read it. */
  memory: {
    method: 'GET',
    path: `${ROOT}/memory`,
    access: HISTORY,
    title: '查看记忆',
    kind: 'other',
    input: z.object(owner),
    result: z.object({
      memory: z.string().meta({ title: '记忆' }),
      /** True when all devices of the agent share one memory. Otherwise only the memories of devices are used. */
      isShared: z.boolean(),
    }),
  },
  /** Replaces the memory; an empty text erases it. */
  saveMemory: {
    method: 'PUT',
    path: `${ROOT}/memory`,
    access: 'agent:agent:memory',
    title: '修改记忆',
    kind: 'edit',
    log: ['agentId', 'deviceId'],
    input: z.object({
      ...owner,
      memory: note('记忆', MAX_MEMORY),
      /** Memory that the editor loaded. The save is refused when a conversation has changed the memory since. */
      before: z.string('原记忆不正确').max(MAX_MEMORY, `原记忆不能超过${MAX_MEMORY}个字符`).optional(),
    }),
    result: z.null(),
    done: '已保存，设备下次连接时生效',
  },
} as const satisfies Contract
