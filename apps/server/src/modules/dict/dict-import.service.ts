import {
  DictDataInput,
  IMPORT_FIELDS,
  LIST_CLASS_LABELS,
  MAX_IMPORT_ROWS,
  dictData as calls,
} from '@oms/contract/dict.ts'
import type { ParsedOf } from '@oms/contract/kernel/endpoint.ts'
import { about } from '@oms/contract/kernel/fields.ts'
import { type ImportProblem, type ImportReport, MAX_REPORTED_ROWS } from '@oms/contract/kernel/transfer.ts'
import { tooLarge, uploadProblem } from '@oms/contract/upload.ts'
import { and, eq, inArray } from 'drizzle-orm'
import type { Db } from '#db/client.ts'
import { dictData, dictTypes } from '#db/schema/system.ts'
import type { Ctx, Incoming } from '#kernel/context.ts'
import type { StreamAnswer } from '#kernel/implement.ts'
import { invalid, Problem } from '#kernel/problem.ts'
import { columnsOf } from '#kernel/table/columns.ts'
import { sendTable } from '#kernel/table/send-table.ts'
import { TableUnreadable } from '#kernel/table/table-limits.ts'
import { openTable } from '#kernel/table/table-reader.ts'
import { alive, transact } from '#kernel/tenancy.ts'
import { demandPlatform, dictChanged, lockType } from './dict-change.ts'
import { insert, save } from './dict-data.service.ts'

type Input = ParsedOf<typeof calls.create>
type Stored = typeof dictData.$inferSelect
interface Line {
  readonly row: number
  readonly input: Input
}
const FILE = calls.import.file
const titleOf = (field: string) => about(DictDataInput, field).title

/** An empty table with one example line, ready to be filled in. */
export function template(_ctx: Ctx, { format }: ParsedOf<typeof calls.template>): StreamAnswer {
  const columns = columnsOf(DictDataInput, IMPORT_FIELDS)
  const example = { dictType: 'my_dict', dictLabel: '示例', dictValue: '1', dictSort: 10, listClass: '默认' }
  const rows = [{ ...example, cssClass: '', isDefault: '否', status: '启用', remark: '' }]
  return (_request, reply) => sendTable(reply, { name: '字典数据导入模板', format, columns, rows })
}

/** Takes the good lines of a table in one transaction and reports the others; with `dryRun` it only reports. */
export async function importData(ctx: Ctx, input: ParsedOf<typeof calls.import>): Promise<ImportReport> {
  demandPlatform(ctx)
  const { lines, problems, total } = await readLines(ctx.incoming, input.dictType)
  return transact(ctx, async (db) => {
    const inside: Ctx = { ...ctx, db }
    const plan = await planOf(db, lines, input.update === 1)
    const rows = [...problems, ...plan.problems].sort((a, b) => a.row - b.row)
    if (!input.dryRun) await apply(inside, plan, rows)
    const created = plan.added.length
    const updated = plan.changed.length
    if (!input.dryRun)
      ctx.audit({
        bizType: 'dictData',
        action: `导入字典数据：新增${created}条，更新${updated}条，失败${rows.length}条`,
      })
    return {
      total,
      created,
      updated,
      failed: rows.length,
      rows: rows.slice(0, MAX_REPORTED_ROWS),
      dryRun: input.dryRun === 1,
    }
  })
}

async function readLines(incoming: Incoming | null, onlyType: string | undefined) {
  const lines: Line[] = []
  const problems: ImportProblem[] = []
  let total = 0
  try {
    const { header, rows } = await openTable(await bytesOf(incoming), incoming?.name ?? '', {
      maxRows: MAX_IMPORT_ROWS,
    })
    const fields = header.map((title) => IMPORT_FIELDS.find((field) => titleOf(field) === title.replace(/^\*/, '')))
    demandColumns(fields, onlyType)
    for await (const { row, cells } of rows) {
      total += 1
      const given = Object.fromEntries(fields.flatMap((field, at) => (field ? [[field, cells[at] ?? '']] : [])))
      const result = DictDataInput.safeParse(fromWords({ ...given, ...(onlyType && { dictType: onlyType }) }))
      if (result.success) lines.push({ row, input: result.data })
      else {
        const { message, path } = result.error.issues[0]!
        problems.push({ row, field: titleOf(String(path[0])), msg: message })
      }
    }
  } catch (error) {
    throw error instanceof TableUnreadable ? invalid(error.message, 'file') : error
  }
  return { lines, problems, total }
}

function demandColumns(fields: readonly (string | undefined)[], onlyType: string | undefined) {
  const needed = ['dictLabel', 'dictValue', ...(onlyType ? [] : ['dictType'])]
  const missing = needed.filter((field) => !fields.includes(field)).map(titleOf)
  if (missing.length > 0) throw invalid(`表格缺少列：${missing.join('、')}，请使用导入模板`, 'file')
}

/** What people write in a cell, as the fields want it; anything else goes on to be refused. */
function fromWords(given: Record<string, string>): Record<string, string> {
  const listClass = Object.entries(LIST_CLASS_LABELS).find(([, label]) => label === given.listClass)?.[0]
  return {
    ...given,
    dictSort: given.dictSort || '0',
    listClass: listClass ?? (given.listClass || 'default'),
    isDefault: { 是: 'Y', 否: 'N', '': 'N' }[given.isDefault ?? ''] ?? (given.isDefault as string),
    status: { 启用: '1', 停用: '0', '': '1' }[given.status ?? ''] ?? (given.status as string),
  }
}

async function bytesOf(incoming: Incoming | null) {
  if (!incoming) throw invalid('请选择文件', 'file')
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of incoming.stream) {
    size += (chunk as Buffer).length
    // Read to its end all the same: the sender hears the answer only then.
    if (size <= FILE.maxBytes) chunks.push(chunk as Buffer)
  }
  const problem = size > FILE.maxBytes ? tooLarge(FILE) : uploadProblem(FILE, { name: incoming.name, size })
  if (problem) throw invalid(problem, 'file')
  return Buffer.concat(chunks)
}

interface Plan {
  readonly added: Line[]
  readonly changed: { line: Line; stored: Stored }[]
  readonly problems: ImportProblem[]
}

/** Decides line by line what would happen, from the rows stored now. */
async function planOf(db: Db, lines: readonly Line[], mayUpdate: boolean): Promise<Plan> {
  const plan: Plan = { added: [], changed: [], problems: [] }
  const types = [...new Set(lines.map(({ input }) => input.dictType))]
  if (types.length === 0) return plan
  const known = await db
    .select({ dictType: dictTypes.dictType })
    .from(dictTypes)
    .where(and(inArray(dictTypes.dictType, types), alive(dictTypes)))
  const knownTypes = new Set(known.map(({ dictType }) => dictType))
  const existing = await db
    .select()
    .from(dictData)
    .where(and(inArray(dictData.dictType, types), alive(dictData)))
  const keyOf = ({ dictType, dictValue }: Pick<Input, 'dictType' | 'dictValue'>) => `${dictType} ${dictValue}`
  const stored = new Map(existing.map((row) => [keyOf(row), row]))
  const seen = new Map<string, number>()
  for (const line of lines) {
    const key = keyOf(line.input)
    const before = stored.get(key)
    const refuse = (field: string, msg: string) =>
      void plan.problems.push({ row: line.row, field: titleOf(field), msg })
    if (!knownTypes.has(line.input.dictType)) refuse('dictType', '字典类型不存在')
    else if (seen.has(key)) refuse('dictValue', `与第${seen.get(key)}行重复`)
    else if (before && !mayUpdate) refuse('dictValue', '字典键值已存在')
    else if (before) plan.changed.push({ line, stored: before })
    else plan.added.push(line)
    if (!seen.has(key)) seen.set(key, line.row)
  }
  return plan
}

/** Types are taken in one order, so that two imports never wait for each other. */
async function apply(ctx: Ctx, { added, changed }: Plan, rows: readonly ImportProblem[]) {
  const types = [...added, ...changed.map(({ line }) => line)].map(({ input }) => input.dictType)
  if (types.length === 0 && rows.length > 0) return
  for (const type of [...new Set(types)].sort()) {
    await lockType(ctx.db, type)
    for (const { row, input } of added) if (input.dictType === type) await atRow(row, () => insert(ctx, input))
    for (const { line, stored } of changed)
      if (line.input.dictType === type)
        await atRow(line.row, async () => save(ctx, await fresh(ctx, stored), line.input))
    await dictChanged(ctx, type)
  }
}

/** The row as it is now that its type is held. */
async function fresh({ db }: Ctx, { dictCode }: Stored) {
  const [row] = await db
    .select()
    .from(dictData)
    .where(and(eq(dictData.dictCode, dictCode), alive(dictData)))
  if (!row) throw invalid('数据刚刚被删除，请重试')
  return row
}

/** A refusal while writing takes everything back; it says at which line. */
async function atRow(row: number, work: () => Promise<unknown>) {
  try {
    await work()
  } catch (error) {
    throw error instanceof Problem ? invalid(`第${row}行：${error.message}`, 'file') : error
  }
}
