import * as z from 'zod'
import { type Contract, JSON_CHARACTER_BYTES } from '../../core/endpoint.ts'
import { id, optional, rev, search, textLine } from '../../core/fields.ts'
import { createPageSchema, sortedPage } from '../../core/page.ts'

const MAX_LINES = 4000
const MAX_WORD = 128
const MAX_TEXT = 1_048_576
const MAX_WORDS_BODY = (MAX_TEXT + 1024) * JSON_CHARACTER_BYTES

/** Returns the error of a line that is not `from|to`, or undefined. */
function lineProblem(line: string, number: number): string | undefined {
  const parts = line.split('|')
  if (parts.length !== 2 || parts[0] === '' || parts[1] === '') return `第${number}行应为“原词|替换词”`
  return parts.some((part) => [...part].length > MAX_WORD) ? `第${number}行的词不能超过${MAX_WORD}个字符` : undefined
}

/** Returns the lines of a text without blank lines. */
export const splitWordLines = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

/** Returns the error of the first invalid line of a word file, or undefined. */
export function findWordsProblem(text: string): string | undefined {
  const lines = splitWordLines(text)
  if (lines.length === 0) return '请输入替换词'
  if (lines.length > MAX_LINES) return `替换词最多${MAX_LINES}行`
  return lines.map((line, at) => lineProblem(line, at + 1)).find((problem) => problem !== undefined)
}

const words = z
  .string('请输入替换词')
  .max(MAX_TEXT, `替换词不能超过${MAX_TEXT}个字符`)
  .superRefine((value, context) => {
    const problem = findWordsProblem(value)
    if (problem) context.addIssue({ code: 'custom', message: problem })
  })
  .meta({ title: '替换词' })

export const WordFileInput = z.object({
  name: textLine('名称', 256),
  /** One correction `from|to` per line. */
  words,
})
export const WordFileRow = z.object({
  id: z.int().meta({ title: '编号' }),
  name: z.string().meta({ title: '名称' }),
  count: z.int().meta({ title: '行数' }),
  /** Number of agents that use the file. */
  usedBy: z.int().meta({ title: '使用的智能体' }),
  createTime: z.string().meta({ title: '创建时间', format: 'date-time' }),
  updateTime: z.string().meta({ title: '更新时间', format: 'date-time' }),
  rev: z.int(),
})
export type WordFileRow = z.output<typeof WordFileRow>
export const WordFileDetail = WordFileRow.extend({ words: z.string() })

const ROOT = '/api/v1/agent/words'
const byId = z.object({ id })

/**
 * Word files: corrections for words that speech recognition gets wrong. An agent names the files that apply to its
 * users.
 */
export const wordFiles = {
  list: {
    method: 'GET',
    path: `${ROOT}/page`,
    access: 'agent:agent:list',
    input: sortedPage(['createTime']).extend({
      name: search('名称', 64),
      tenantId: optional(id).meta({ title: '所属客户' }),
    }),
    result: createPageSchema(WordFileRow),
  },
  get: { method: 'GET', path: `${ROOT}/:id`, access: 'agent:agent:query', input: byId, result: WordFileDetail },
  create: {
    method: 'POST',
    path: ROOT,
    access: 'agent:agent:edit',
    title: '新增替换词文件',
    body: 'json',
    log: ['name'],
    maxBody: MAX_WORDS_BODY,
    input: WordFileInput.extend({
      tenantId: id.optional().meta({ title: '所属客户' }),
      /** Agent of the tenant that uses the new file from now on. The agent gets a new version. */
      agentId: id.optional().meta({ title: '用于智能体' }),
    }),
    result: z.object({ id: z.int() }),
    done: '新增成功',
  },
  update: {
    method: 'PUT',
    path: ROOT,
    access: 'agent:agent:edit',
    title: '修改替换词文件',
    body: 'json',
    log: ['id', 'name'],
    maxBody: MAX_WORDS_BODY,
    input: WordFileInput.extend({ id, rev }),
    result: z.object({ rev: z.int() }),
    done: '修改成功',
  },
  remove: {
    method: 'DELETE',
    path: `${ROOT}/:id`,
    access: 'agent:agent:edit',
    title: '删除替换词文件',
    input: byId,
    result: z.null(),
    done: '删除成功',
  },
} as const satisfies Contract
