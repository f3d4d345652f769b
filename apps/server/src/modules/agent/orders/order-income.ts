import {
  type agentIncome as calls,
  INCOME_GROUP_CODE,
  INCOME_GROUP,
  IncomeRow,
} from '@oms/contract/agent/orders/order-income.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { MAX_EXPORT_ROWS, TRANSFER_MESSAGES } from '@oms/contract/core/transfer.ts'
import { sql } from 'drizzle-orm'
import { computePageOffset } from '#core/database/lists/list-query.ts'
import { refused } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import type { StreamResponse } from '#core/http/implement.ts'
import { createCodeTranslator, createExportColumns, retitleColumn, selectColumns } from '#core/spreadsheet/columns.ts'
import { sendTable } from '#core/spreadsheet/transfer-jobs.ts'
import { transact } from '#core/tenancy/tenancy.ts'
import { readIncome } from './income.ts'
import { assertVendor } from './order-log.ts'

/**
 * Lists income and cost. Throws for staff of tenants, because the costs are prices that vendors charge the platform.
 */
export async function listIncome(ctx: Ctx, input: ParsedOf<typeof calls.list>) {
  assertVendor(ctx)
  const {
    by,
    orderByColumn = by === INCOME_GROUP_CODE.day ? 'id' : 'income',
    isAsc = 'desc',
    pageSize,
    ...filter
  } = input
  const order = sql`${sql.identifier(orderByColumn)} ${sql.raw(isAsc)}`
  return readIncome(ctx.db, ctx.user, by, filter, { order, limit: pageSize, offset: computePageOffset(input) })
}

const EXPORTED = createExportColumns(IncomeRow, ['name', 'income', 'cost', 'hasEstimates'])
const inWords = createCodeTranslator(IncomeRow)

export async function exportIncome(ctx: Ctx, input: ParsedOf<typeof calls.export>): Promise<StreamResponse> {
  assertVendor(ctx)
  const { by, format, columns, ...filter } = input
  const order = by === INCOME_GROUP_CODE.day ? sql`id` : sql`income desc`
  const page = { order, limit: MAX_EXPORT_ROWS + 1, offset: 0 }
  const { list: rows } = await transact(ctx, (db) => readIncome(db, ctx.user, by, filter, page))
  if (rows.length > MAX_EXPORT_ROWS) throw refused(TRANSFER_MESSAGES.tooManyRows)
  const name = `智能体收入与成本（按${INCOME_GROUP[by]}）`
  ctx.audit({
    bizType: 'agentOrder',
    action: `导出收入与成本 ${input.startDate} 至 ${input.endDate}，按${INCOME_GROUP[by]}`,
  })
  const titled = retitleColumn(selectColumns(EXPORTED, columns), 'name', INCOME_GROUP[by])
  return (_request, reply) => sendTable(reply, { name, format, columns: titled, rows: rows.map(inWords) })
}
