import * as z from 'zod'
import type { Contract } from '../../core/endpoint.ts'
import { choice, day, id, optional, search } from '../../core/fields.ts'
import { createPageSchema, edge, sortedPage } from '../../core/page.ts'
import { exportQuery } from '../../core/transfer.ts'
import { YES_NO } from '../../core/package-fields.ts'
import { ALLOWANCE_UNIT, GRANT_SCOPE } from '../packages/package-terms.ts'

export const GRANT_STATE = { 0: '待激活', 1: '使用中', 2: '已用完', 3: '已失效', 4: '已退款' } as const
export const GRANT_STATE_CODE = { waiting: 0, running: 1, used: 2, lapsed: 3, revoked: 4 } as const
/** Kinds of ledger lines. */
export const GRANT_LEDGER_KIND = { 1: '发放', 2: '使用', 3: '失效', 4: '退款' } as const
export const GRANT_LEDGER_CODE = { issue: 1, spend: 2, lapse: 3, refund: 4 } as const

/**
 * A grant: the amount of one unit that one target gets from one copy of an order. Amounts of minutes have fractions.
 */
export const AgentGrantRow = z.object({
  id: z.int(),
  orderId: z.int(),
  orderNo: z.string().meta({ title: '订单号' }),
  tenantId: z.int(),
  tenantName: z.string().meta({ title: '客户' }),
  packageName: z.string().meta({ title: '套餐' }),
  scope: z.int().meta({ title: '使用范围', labels: GRANT_SCOPE }),
  /** Id of the device, the agent or the tenant. */
  targetId: z.int(),
  targetName: z.string().meta({ title: '使用对象' }),
  packNo: z.int().meta({ title: '第几份' }),
  unit: z.int().meta({ title: '计量单位', labels: ALLOWANCE_UNIT }),
  /** 1: the allowance is unlimited; all amounts are 0. */
  isUnlimited: z.int().meta({ title: '不限量', labels: YES_NO }),
  total: z.number().meta({ title: '总量' }),
  left: z.number().meta({ title: '剩余' }),
  spent: z.number().meta({ title: '已用' }),
  lapsed: z.number().meta({ title: '已失效' }),
  refunded: z.number().meta({ title: '已退款' }),
  state: z.int().meta({ title: '状态', labels: GRANT_STATE }),
  /** 1 while a refund of the order is undecided. A frozen grant is not spent. */
  isFrozen: z.int().meta({ title: '冻结', labels: YES_NO }),
  activateUntil: z.string().meta({ title: '最晚激活' }),
  beginTime: z.string().nullable().meta({ title: '开始时间' }),
  validUntil: z.string().nullable().meta({ title: '有效期至' }),
  createTime: z.string().meta({ title: '发放时间' }),
})
export type AgentGrantRow = z.output<typeof AgentGrantRow>

/** A line of the ledger. All spending of a grant on one day is one line. */
export const AgentLedgerRow = z.object({
  id: z.int(),
  grantId: z.int(),
  orderNo: z.string().meta({ title: '订单号' }),
  tenantName: z.string().meta({ title: '客户' }),
  packageName: z.string().meta({ title: '套餐' }),
  targetName: z.string().meta({ title: '使用对象' }),
  packNo: z.int().meta({ title: '第几份' }),
  unit: z.int().meta({ title: '计量单位', labels: ALLOWANCE_UNIT }),
  kind: z.int().meta({ title: '类型', labels: GRANT_LEDGER_KIND }),
  /** Positive for an issue, negative otherwise. */
  amount: z.number().meta({ title: '变动' }),
  /** Day of the usage or of the change. */
  day: z.string().meta({ title: '日期' }),
  operName: z.string().meta({ title: '操作人' }),
  reason: z.string().meta({ title: '说明' }),
  createTime: z.string().meta({ title: '记录时间' }),
})
export type AgentLedgerRow = z.output<typeof AgentLedgerRow>

const filters = {
  orderId: optional(id).meta({ title: '订单' }),
  tenantId: optional(id).meta({ title: '客户' }),
  /** Grants that a device may spend: its own, those of its agent and those of its tenant. */
  deviceId: optional(id).meta({ title: '设备' }),
  target: search('使用对象', 64),
  unit: optional(choice('计量单位', ALLOWANCE_UNIT)),
}
const GrantQuery = sortedPage(['createTime', 'validUntil', 'activateUntil']).extend({
  ...filters,
  state: optional(choice('状态', GRANT_STATE)),
  /** First and last day on which the grants end. */
  validFrom: edge('到期开始日期'),
  validTo: edge('到期结束日期'),
})
const LedgerQuery = sortedPage(['day', 'createTime']).extend({
  ...filters,
  grantId: optional(id).meta({ title: '权益' }),
  kind: optional(choice('类型', GRANT_LEDGER_KIND)),
  /** First and last day of the ledger lines. */
  startDate: optional(day('开始日期')),
  endDate: optional(day('结束日期')),
})
const ROOT = '/api/v1/agent/order'
const PAGE = { pageNum: true, pageSize: true } as const

/** Grants of orders and their ledger (`/agent/order`). */
export const agentGrants = {
  list: {
    method: 'GET',
    path: `${ROOT}/grant/page`,
    access: 'agent:order:query',
    input: GrantQuery,
    result: createPageSchema(AgentGrantRow),
  },
  export: {
    method: 'GET',
    path: `${ROOT}/grant/export`,
    access: 'agent:order:export',
    stream: 'download',
    title: '导出套餐权益',
    kind: 'export',
    input: GrantQuery.omit(PAGE).extend(exportQuery.shape),
    result: z.null(),
  },
  ledger: {
    method: 'GET',
    path: `${ROOT}/ledger/page`,
    access: 'agent:order:query',
    input: LedgerQuery,
    result: createPageSchema(AgentLedgerRow),
  },
  exportLedger: {
    method: 'GET',
    path: `${ROOT}/ledger/export`,
    access: 'agent:order:export',
    stream: 'download',
    title: '导出套餐流水',
    kind: 'export',
    input: LedgerQuery.omit(PAGE).extend(exportQuery.shape),
    result: z.null(),
  },
} as const satisfies Contract
