import {
  type agentMargins as calls,
  MARGIN_GROUP_CODE,
  MARGIN_GROUP,
  MarginRow,
} from '@oms/contract/agent/orders/order-margin.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { MAX_EXPORT_ROWS, TRANSFER_MESSAGES } from '@oms/contract/core/transfer.ts'
import { sql } from 'drizzle-orm'
import { computePageOffset } from '#core/database/lists/list-query.ts'
import { refused } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import type { StreamResponse } from '#core/http/implement.ts'
import { createCodeTranslator, createExportColumns, retitleColumn, selectColumns } from '#core/spreadsheet/columns.ts'
import { sendTable } from '#core/spreadsheet/export/send-table.ts'
import { transact } from '#core/tenancy/tenancy.ts'
import { readMargins } from '#domain/agents/orders/margin.ts'
import { assertVendor } from './order-log.ts'

/**
 * Lists income, cost and margin. Throws for staff of tenants, because the costs are prices that vendors charge the
 * platform.
 */
export async function listMargins(ctx: Ctx, input: ParsedOf<typeof calls.list>) {
  assertVendor(ctx)
  const {
    by,
    orderByColumn = by === MARGIN_GROUP_CODE.day ? 'id' : 'income',
    isAsc = 'desc',
    pageSize,
    ...filter
  } = input
  const order = sql`${sql.identifier(orderByColumn)} ${sql.raw(isAsc)}`
  return readMargins(ctx.db, ctx.user, by, filter, { order, limit: pageSize, offset: computePageOffset(input) })
}

const EXPORTED = createExportColumns(MarginRow, [
  'name',
  'received',
  'income',
  'cost',
  'margin',
  ['rate', { title: '毛利率（%）', type: 'number', isAlwaysExported: true }],
  'hasEstimates',
])
const inWords = createCodeTranslator(MarginRow)
/** Returns the margin in percent of the income with two decimals; empty without income. */
const formatMarginRate = ({ income, margin }: MarginRow) => (income > 0 ? ((margin / income) * 100).toFixed(2) : '')

export async function exportMargins(ctx: Ctx, input: ParsedOf<typeof calls.export>): Promise<StreamResponse> {
  assertVendor(ctx)
  const { by, format, columns, ...filter } = input
  const order = by === MARGIN_GROUP_CODE.day ? sql`id` : sql`income desc`
  const page = { order, limit: MAX_EXPORT_ROWS + 1, offset: 0 }
  const { list: rows } = await transact(ctx, (db) => readMargins(db, ctx.user, by, filter, page))
  if (rows.length > MAX_EXPORT_ROWS) throw refused(TRANSFER_MESSAGES.tooManyRows)
  const name = `智能体收入与成本（按${MARGIN_GROUP[by]}）`
  ctx.audit({
    bizType: 'agentOrder',
    action: `导出收入与成本 ${input.startDate} 至 ${input.endDate}，按${MARGIN_GROUP[by]}`,
  })
  const lines = rows.map((row) => ({ ...inWords(row), rate: formatMarginRate(row) }))
  const titled = retitleColumn(selectColumns(EXPORTED, columns), 'name', MARGIN_GROUP[by])
  return (_request, reply) => sendTable(reply, { name, format, columns: titled, rows: lines })
}
