import * as z from 'zod'
import { addRangeCheck, dayRange } from '../../core/day-range.ts'
import type { Contract } from '../../core/endpoint.ts'
import { choice, id, optional } from '../../core/fields.ts'
import { createPageSchema, sortedPage } from '../../core/page.ts'
import { exportQuery } from '../../core/transfer.ts'

/** Ways to group income and cost. */
export const INCOME_GROUP = { 1: '客户', 2: '套餐', 3: '日期', 4: '智能体', 5: '设备' } as const
export const INCOME_GROUP_CODE = { tenant: 1, package: 2, day: 3, agent: 4, device: 5 } as const

const filter = dayRange.extend({
  tenantId: optional(id).meta({ title: '客户' }),
  packageId: optional(id).meta({ title: '套餐' }),
})
const by = choice('统计方式', INCOME_GROUP)

/** Amounts in fen, with fractions. */
const figures = {
  /** Payments less refunds. A payment counts on the day of its confirmation, a refund on the day of its approval. */
  income: z.number().meta({ title: '收入（元）', unit: 'fen' }),
  cost: z.number().meta({ title: '成本（元）', unit: 'fen' }),
  hasEstimates: z.boolean().meta({ title: '成本含估算' }),
}
const IncomeFigures = z.object(figures)
export type IncomeFigures = z.output<typeof IncomeFigures>

export const IncomeRow = z.object({
  /**
   * Id of the tenant, package, agent or device; 0: none, such as the income of packages that devices share. A day is the
   * number yyyyMMdd.
   */
  id: z.int(),
  name: z.string().meta({ title: '名称' }),
  ...figures,
})
export type IncomeRow = z.output<typeof IncomeRow>

const ROOT = '/api/v1/agent/order/income'

/** Income and cost of voice packages (`/agent/order`, view 用量). Only the vendor may read them. */
export const agentIncome = {
  list: {
    method: 'GET',
    path: `${ROOT}/page`,
    access: 'agent:order:query',
    input: addRangeCheck(sortedPage(['id', 'income', 'cost']).extend({ ...filter.shape, by: by.default(1) })),
    result: createPageSchema(IncomeRow).extend({ sums: IncomeFigures }),
  },
  export: {
    method: 'GET',
    path: `${ROOT}/export`,
    access: 'agent:order:export',
    stream: 'download',
    kind: 'export',
    title: '导出智能体收入与成本',
    input: addRangeCheck(filter.extend({ by: by.default(1), ...exportQuery.shape })),
    result: z.null(),
  },
} as const satisfies Contract
