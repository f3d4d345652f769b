import * as z from 'zod'
import type { Contract } from '../core/endpoint.ts'
import { choice, id, identifier, money, note, optional, search, text } from '../core/fields.ts'
import { normalizeLine } from '../core/normalize-line.ts'
import { createPageSchema, pageQuery, sortedPage, timeRange } from '../core/page.ts'
import { exportQuery } from '../core/transfer.ts'
import { EFFECT_MODE, EntitlementRow } from './entitlement.ts'
import { YES_NO } from '../core/package-fields.ts'

export const PAY_STATUS = { 0: '未支付', 1: '已支付', 2: '部分退款', 3: '已退款', 4: '已关闭' } as const
export const REFUND_STATE = { 0: '待处理', 1: '已退款', 2: '已驳回' } as const
export const REFUND_ORIGIN = { 1: '人员申请', 2: '商城回调', 3: '线下退款' } as const

const reason = text('原因', 200)
const stops = choice('同时停止服务', YES_NO).default(0).meta({ title: '同时停止服务', labels: YES_NO })
const amount = money('退款金额', { min: 1 })

export const RefundInput = z.object({ itemId: id, amount, stops, reason })
/** A refund that was paid outside the shop. `refundId`: the request that this refund completes. */
export const RefundRecord = z.object({
  itemId: id,
  refundId: optional(id),
  outRefundNo: z
    .preprocess((value) => (typeof value === 'string' ? normalizeLine(value) : value), identifier('退款单号', 64))
    .meta({ title: '退款单号', max: 64 }),
  amount,
  stops,
  reason,
})

export const OrderRow = z.object({
  id: z.int(),
  orderNo: z.string().meta({ title: '订单号' }),
  outOrderNo: z.string().meta({ title: '商城订单号' }),
  tenantId: z.int(),
  tenantName: z.string().meta({ title: '客户' }),
  hookName: z.string().meta({ title: '商城' }),
  itemCount: z.int().meta({ title: '明细数' }),
  /** Serial number of the first item. */
  sn: z.string().meta({ title: '序列号' }),
  packageName: z.string().meta({ title: '套餐' }),
  amount: z.int().meta({ title: '订单金额', unit: 'fen' }),
  refunded: z.int().meta({ title: '已退款', unit: 'fen' }),
  pendingRefunds: z.int().meta({ title: '待处理退款' }),
  payStatus: z.int().meta({ title: '状态', labels: PAY_STATUS }),
  payTime: z.string().nullable().meta({ title: '支付时间' }),
  createTime: z.string().meta({ title: '创建时间' }),
})
export type OrderRow = z.output<typeof OrderRow>

const OrderItem = z.object({
  id: z.int(),
  line: z.int().meta({ title: '行号' }),
  sn: z.string().meta({ title: '序列号' }),
  channels: z.array(z.int()).meta({ title: '通道' }),
  packageName: z.string().meta({ title: '套餐' }),
  copies: z.int().meta({ title: '份数' }),
  effectMode: z.int().meta({ title: '生效方式', labels: EFFECT_MODE }),
  unitPrice: z.int().meta({ title: '单价', unit: 'fen' }),
  amount: z.int().meta({ title: '金额', unit: 'fen' }),
  refunded: z.int().meta({ title: '已退款', unit: 'fen' }),
  /** Amount that a new refund may have at most, without pending requests. */
  refundable: z.int().meta({ title: '可退金额', unit: 'fen' }),
  entitlements: z.array(EntitlementRow.pick({ id: true, entNo: true, channel: true, state: true, endTime: true })),
})
export type OrderItem = z.output<typeof OrderItem>

export const RefundRow = z.object({
  id: z.int(),
  refundNo: z.string().meta({ title: '退款申请号' }),
  outRefundNo: z.string().meta({ title: '退款单号' }),
  orderId: z.int(),
  itemId: z.int(),
  orderNo: z.string().meta({ title: '订单号' }),
  outOrderNo: z.string().meta({ title: '商城订单号' }),
  sn: z.string().meta({ title: '序列号' }),
  amount: z.int().meta({ title: '退款金额', unit: 'fen' }),
  stops: z.int().meta({ title: '停止服务', labels: YES_NO }),
  state: z.int().meta({ title: '状态', labels: REFUND_STATE }),
  origin: z.int().meta({ title: '来源', labels: REFUND_ORIGIN }),
  reason: z.string().meta({ title: '原因' }),
  operName: z.string().meta({ title: '操作人' }),
  doneTime: z.string().nullable().meta({ title: '退款时间' }),
  createTime: z.string().meta({ title: '申请时间' }),
})
export type RefundRow = z.output<typeof RefundRow>

const OrderDetail = z.object({ row: OrderRow, items: z.array(OrderItem), refunds: z.array(RefundRow) })
export type OrderDetail = z.output<typeof OrderDetail>

const OrderQuery = sortedPage(['createTime', 'payTime', 'amount']).extend({
  outOrderNo: search('商城订单号', 64),
  orderNo: search('订单号', 20),
  sn: search('序列号', 64),
  tenantId: optional(id).meta({ title: '客户' }),
  hookId: optional(id).meta({ title: '商城' }),
  payStatus: optional(choice('状态', PAY_STATUS)),
  ...timeRange,
})

const order = 'ossManage:deviceList:order'
const refund = 'ossManage:deviceList:refund'

/** Orders of shops and their refunds (tab 订单 of `/ossManage/deviceList`). OMS records money that moved elsewhere. */
export const storageOrders = {
  list: {
    method: 'GET',
    path: '/api/v1/oss/order/page',
    access: order,
    input: OrderQuery,
    result: createPageSchema(OrderRow),
  },
  export: {
    method: 'GET',
    path: '/api/v1/oss/order/export',
    access: 'ossManage:deviceList:export',
    stream: 'download',
    title: '导出云存订单',
    kind: 'export',
    input: OrderQuery.omit({ pageNum: true, pageSize: true }).extend(exportQuery.shape),
    result: z.null(),
  },
  get: {
    method: 'GET',
    path: '/api/v1/oss/order/detail/:id',
    access: order,
    input: z.object({ id }),
    result: OrderDetail,
  },
  refunds: {
    method: 'GET',
    path: '/api/v1/oss/order/refund/page',
    access: order,
    input: pageQuery.extend({
      outOrderNo: search('商城订单号', 64),
      outRefundNo: search('退款单号', 64),
      refundNo: search('退款申请号', 20),
      state: optional(choice('状态', REFUND_STATE)),
      origin: optional(choice('来源', REFUND_ORIGIN)),
      ...timeRange,
    }),
    result: createPageSchema(RefundRow),
  },
  /** Asks the shop for a refund. The refund is done when the shop reports it, or when it is recorded. */
  requestRefund: {
    method: 'POST',
    path: '/api/v1/oss/order/refund',
    access: refund,
    title: '申请云存订单退款',
    kind: 'add',
    input: RefundInput,
    result: z.object({ id: z.int() }),
    done: '退款申请已提交',
  },
  recordRefund: {
    method: 'POST',
    path: '/api/v1/oss/order/refund/record',
    access: refund,
    title: '登记云存订单线下退款',
    kind: 'edit',
    input: RefundRecord,
    result: z.object({ id: z.int() }),
    done: '退款已登记',
  },
  rejectRefund: {
    method: 'POST',
    path: '/api/v1/oss/order/refund/reject',
    access: refund,
    title: '驳回云存订单退款',
    kind: 'edit',
    input: z.object({ id, reason: note('驳回原因', 200).refine((value) => value !== '', '请输入驳回原因') }),
    result: z.null(),
    done: '已驳回',
  },
} as const satisfies Contract
