import { MAX_TARGETS, splitSerials } from '@oms/contract/agent/orders/order-entities.ts'
import { agentOrders as calls } from '@oms/contract/agent/orders/order.ts'
import { normalizeLine } from '@oms/contract/core/normalize-line.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import type { ImportProblem } from '@oms/contract/core/transfer.ts'
import { invalid } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import { receiveTable, type ReceivedTable } from '#core/spreadsheet/import/import.ts'
import { throwTableError } from '#core/spreadsheet/import/read-incoming.ts'
import { openTableInThread } from '#core/spreadsheet/table-thread.ts'
import { transact } from '#core/tenancy/tenancy.ts'
import { resolveOwningTenant } from '#domain/tenants/receiving-tenant.ts'
import { normalizeSerial, resolveTargets } from './order-targets.ts'
import { readTermsOnSale } from './order-terms.ts'

type Input = ParsedOf<typeof calls.targetFile>
interface Line {
  readonly row: number
  readonly serial: string
  /** Reason of the table reader why the cell may differ from the author's input. */
  readonly doubt?: string | undefined
}

const DEVICE = 1
const MAX_SERIAL = 64
/** Matches the title in the first line. A file may also begin with a serial number. */
const HEADER = /[^\u0020-\u007E]|^(sn|mac|serial.*)$/i

const MAC = /^([0-9a-f]{2}[:-]?){5}[0-9a-f]{2}$/i
/** Returns a key that is equal for all notations of one MAC. */
const keyOf = (serial: string) => (MAC.test(serial) ? normalizeSerial(serial) : serial)

/** Returns the lines of the first column. */
async function readLines({ bytes, name }: ReceivedTable): Promise<Line[]> {
  const table = await openTableInThread(bytes, name, { maxRows: MAX_TARGETS + 1 })
  try {
    const first = normalizeLine(table.header[0] ?? '')
    const lines: Line[] = first !== '' && !HEADER.test(first) ? [{ row: 1, serial: first }] : []
    for await (const { row, cells, problems } of table.rows) {
      lines.push({ row, serial: normalizeLine(cells[0] ?? ''), doubt: problems?.get(0) })
      if (lines.length > MAX_TARGETS) throw invalid(`一个订单最多${MAX_TARGETS}个使用对象`, 'file')
    }
    if (lines.length === 0) throw invalid('表格中没有序列号', 'file')
    return lines
  } finally {
    table.close()
  }
}

/** Returns the error of a line without a usable serial number, or undefined. */
function lineProblem({ serial, doubt }: Line, earlier: number | undefined) {
  if (doubt) return doubt
  if (serial === '') return '第一列没有序列号或MAC'
  if (serial.length > MAX_SERIAL) return `序列号或MAC最多${MAX_SERIAL}个字符`
  if (splitSerials(serial).length > 1) return `「${serial}」含空格或逗号`
  return earlier === undefined ? undefined : `「${serial}」与第${earlier}行重复`
}

/** Separates the usable lines from the refused ones. */
function sortLines(lines: readonly Line[]) {
  const rowOf = new Map<string, number>()
  const rows: ImportProblem[] = []
  const kept: Line[] = []
  for (const line of lines) {
    const key = keyOf(line.serial)
    const msg = lineProblem(line, rowOf.get(key))
    if (msg) rows.push({ row: line.row, msg })
    else kept.push(line)
    if (!msg) rowOf.set(key, line.row)
  }
  return { kept, rows }
}

/** Returns the error of each line whose device cannot get the package. */
async function deviceProblems(ctx: Ctx, { tenantId, packageId }: Input, lines: readonly Line[]) {
  if (packageId === undefined || lines.length === 0) return []
  const buyer = await resolveOwningTenant(ctx, tenantId, 'tenantId')
  const terms = await readTermsOnSale(ctx, packageId, buyer.id)
  if (terms.scope !== DEVICE) return []
  const serials = lines.map(({ serial }) => serial).join('\n')
  const { problems } = await resolveTargets(ctx, { deviceIds: [], agentIds: [], serials }, terms, buyer)
  const reasons = new Map(
    problems.flatMap(({ name, mac, msg }) => [[keyOf(name), msg] as const, ...(mac ? [[mac, msg] as const] : [])]),
  )
  return lines.flatMap(({ row, serial }) => {
    const msg = reasons.get(keyOf(serial))
    return msg ? [{ row, msg: `「${serial}」${msg}` }] : []
  })
}

/** Reads the serial numbers or MACs of a file for the form of an order. Nothing is stored. */
export async function readTargetFile(ctx: Ctx, input: Input) {
  const lines = await readLines(await receiveTable(ctx, calls.targetFile)).catch(throwTableError)
  const { kept, rows } = sortLines(lines)
  const refused = await transact(ctx, (db) => deviceProblems({ ...ctx, db }, input, kept))
  const bad = new Set(refused.map(({ row }) => row))
  return {
    total: lines.length,
    serials: kept.filter(({ row }) => !bad.has(row)).map(({ serial }) => serial),
    rows: [...rows, ...refused].toSorted((a, b) => a.row - b.row),
  }
}
