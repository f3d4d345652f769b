import type { ParsedOf } from '@oms/contract/kernel/endpoint.ts'
import { DIRECT_IMPORT_ROWS, type ImportReport, type JobAnswer } from '@oms/contract/kernel/transfer.ts'
import { tooLarge, UPLOAD, uploadProblem } from '@oms/contract/upload.ts'
import type * as z from 'zod'
import type { Ctx } from '#kernel/context.ts'
import type { StreamAnswer } from '#kernel/implement.ts'
import { invalid } from '#kernel/problem.ts'
import { columnsOf } from './columns.ts'
import { explained } from './read-incoming.ts'
import { sendTable, TABLE_MIME } from './send-table.ts'
import { openTable } from './table-reader.ts'
import { type Definition, type ImportDefinition, type ImportEndpoint, limitsOf, takeLines } from './take-lines.ts'
import { addTransfer, keepFile } from './transfer-jobs.ts'

const IMPORTS = new Map<string, ImportDefinition>()
export const importOf = (kind: string) => IMPORTS.get(kind)

/**
 * Declares how a table becomes rows, and makes its two handlers: the template, and the import itself. That one stands in
 * `outsideTransaction`: all lines are taken in one transaction of their own, and with `dryRun` it is rolled back.
 */
export function defineImport<E extends ImportEndpoint, S extends z.ZodObject, State>(
  definition: Definition<E, S, State>,
) {
  if (definition.answer && definition.maxRows > DIRECT_IMPORT_ROWS)
    throw new Error(`${definition.kind}: a job has no answer to add to`)
  IMPORTS.set(definition.kind, definition as unknown as ImportDefinition)
  const erased = definition as unknown as ImportDefinition
  return {
    template: (): StreamAnswer => {
      const columns = columnsOf(definition.schema, definition.columns)
      const file = { name: `${definition.name}导入模板`, format: 'xlsx', columns, rows: [definition.example] } as const
      return (_request, reply) => sendTable(reply, file)
    },
    take: (ctx: Ctx, input: ParsedOf<E>) => importAnswer(ctx, erased, input as ParsedOf<ImportEndpoint>),
  }
}

/** Small tables are answered with the report; a large one is put away and becomes a job. */
async function importAnswer(
  ctx: Ctx,
  definition: ImportDefinition,
  input: ParsedOf<ImportEndpoint>,
): Promise<ImportReport | JobAnswer> {
  const { name, bytes } = await received(ctx, definition)
  const total = await countOf(bytes, name, definition).catch(explained)
  if (total > DIRECT_IMPORT_ROWS) {
    const stored = await ctx.kernel.files.put(bytesOnce(bytes))
    const file = await keepFile(ctx, { purpose: 'import', name, mime: TABLE_MIME.xlsx, stored })
    ctx.audit({ bizType: definition.kind, action: `导入${definition.name}，共${total}行，转为后台` })
    const { sha256 } = stored
    const payload = { of: definition.kind, name: definition.name, input, total, file: { ...file, sha256 } }
    return addTransfer(ctx, 'import', payload)
  }
  let beside = {}
  const onEnd = (state: unknown) => void (beside = definition.answer?.(state, Number(input.dryRun) === 1) ?? {})
  const report = await takeLines(ctx, { definition, input, table: { bytes, name }, onEnd }).catch(explained)
  ctx.audit({ bizType: definition.kind, action: sentenceOf(definition.name, report) })
  return { ...report, ...beside }
}

/** What an import did, for the operation log. */
export const sentenceOf = (name: string, { dryRun, total, created, updated, failed }: ImportReport) =>
  `${dryRun ? '试导入' : '导入'}${name}：共${total}行，新增${created}，更新${updated}，失败${failed}`

async function countOf(bytes: Uint8Array, name: string, definition: ImportDefinition) {
  const { rows } = await openTable(bytes, name, limitsOf(definition))
  let total = 0
  for await (const _ of rows)
    if (++total > definition.maxRows) throw invalid(`一次最多导入${definition.maxRows}行`, 'file')
  if (total === 0) throw invalid('表格中没有数据', 'file')
  return total
}

async function received({ incoming }: Ctx, { endpoint }: ImportDefinition) {
  if (!incoming) throw invalid('请选择文件', 'file')
  const rule = { ...UPLOAD.table, ...endpoint.file }
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of incoming.stream as AsyncIterable<Buffer>) {
    size += chunk.length
    // Read to its end all the same: the sender hears the answer only then.
    if (size <= rule.maxBytes) chunks.push(chunk)
  }
  const problem = size > rule.maxBytes ? tooLarge(rule) : uploadProblem(rule, { name: incoming.name, size })
  if (problem) throw invalid(problem, 'file')
  return { name: incoming.name, bytes: Buffer.concat(chunks) }
}

async function* bytesOnce(bytes: Uint8Array) {
  yield bytes
}
