import * as z from 'zod'
import { addRangeCheck, dayRange } from '../../core/day-range.ts'
import type { Contract } from '../../core/endpoint.ts'
import { choice, id, optional } from '../../core/fields.ts'
import { createPageSchema, sortedPage } from '../../core/page.ts'
import { exportQuery } from '../../core/transfer.ts'

/** Ways to group income and cost. */
export const MARGIN_GROUP = { 1: '客户', 2: '套餐', 3: '日期', 4: '智能体', 5: '设备' } as const
export const MARGIN_GROUP_CODE = { tenant: 1, package: 2, day: 3, agent: 4, device: 5 } as const

const filter = dayRange.extend({
  tenantId: optional(id).meta({ title: '客户' }),
  packageId: optional(id).meta({ title: '套餐' }),
})
const by = choice('统计方式', MARGIN_GROUP)

/** Amounts in fen, with fractions. */
const figures = {
  /** Payments less refunds. A payment counts on the day of its confirmation, a refund on the day of its approval. */
  received: z.number().meta({ title: '收款净额（元）', unit: 'fen' }),
  /** Income: the used and lapsed value of paid orders, see docs/guides/sell-voice-packages.md. */
  income: z.number().meta({ title: '收入（元）', unit: 'fen' }),
  cost: z.number().meta({ title: '成本（元）', unit: 'fen' }),
  /** Income less cost. */
  margin: z.number().meta({ title: '毛利（元）', unit: 'fen' }),
  hasEstimates: z.boolean().meta({ title: '成本含估算' }),
}
const MarginFigures = z.object(figures)
export type MarginFigures = z.output<typeof MarginFigures>

export const MarginRow = z.object({
  /**
   * Id of the tenant, package, agent or device; 0: none, such as the income of packages that devices share. A day is the
   * number yyyyMMdd.
   */
  id: z.int(),
  name: z.string().meta({ title: '名称' }),
  ...figures,
})
export type MarginRow = z.output<typeof MarginRow>

const ROOT = '/api/v1/agent/order/margin'

/** Income and cost of voice packages (`/agent/order`, view 用量). Only the vendor may read them. */
export const agentMargins = {
  list: {
    method: 'GET',
    path: `${ROOT}/page`,
    access: 'agent:order:query',
    input: addRangeCheck(
      sortedPage(['id', 'received', 'income', 'cost', 'margin']).extend({ ...filter.shape, by: by.default(1) }),
    ),
    result: createPageSchema(MarginRow).extend({ sums: MarginFigures }),
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
