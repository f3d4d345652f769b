import * as z from 'zod'
import type { Contract } from '../../core/endpoint.ts'
import { choice, id, optional, rev, search } from '../../core/fields.ts'
import { declareOptions } from '../../core/options.ts'
import { createPageSchema, pageQuery, sortedPage, timeRange } from '../../core/page.ts'
import { exportQuery } from '../../core/transfer.ts'
import {
  CloseInput,
  ConfirmInput,
  GiftInput,
  ORDER_STATE,
  ORDER_TODO,
  OrderDetail,
  OrderInput,
  OrderPreview,
  OrderRow,
  PAYMENT_METHOD,
  PreviewInput,
  RefundAuditInput,
  RefundInput,
  TargetRow,
} from './order-entities.ts'
import { GRANT_SCOPE } from '../packages/package-terms.ts'

export const OrderQuery = sortedPage(['createTime', 'payTime', 'amount']).extend({
  orderNo: search('订单号', 20),
  voucherNo: search('凭证号', 64),
  packageName: search('套餐', 32),
  /** Part of the serial number of a device, or of the name of an agent. */
  target: search('使用对象', 64),
  tenantId: optional(id).meta({ title: '客户' }),
  packageId: optional(id).meta({ title: '套餐' }),
  scope: optional(choice('使用范围', GRANT_SCOPE)),
  state: optional(choice('状态', ORDER_STATE)),
  payWay: optional(choice('收款方式', PAYMENT_METHOD)),
  /** Filter for orders and refunds that wait for the account. */
  todo: optional(choice('待办', ORDER_TODO)),
  ...timeRange,
})
const ROOT = '/api/v1/agent/order'
const byId = z.object({ id })
const saved = z.object({ rev: z.int() })
const created = z.object({ id: z.int(), orderNo: z.string() })
const change = { id, rev }

/** Orders of voice packages (`/agent/order`). OMS records payments that were made outside OMS. */
export const agentOrders = {
  list: {
    method: 'GET',
    path: `${ROOT}/page`,
    access: 'agent:order:list',
    input: OrderQuery,
    result: createPageSchema(OrderRow),
  },
  get: { method: 'GET', path: `${ROOT}/detail/:id`, access: 'agent:order:query', input: byId, result: OrderDetail },
  targets: {
    method: 'GET',
    path: `${ROOT}/target/page`,
    access: 'agent:order:query',
    input: pageQuery.extend({ orderId: id, name: search('使用对象', 64) }),
    result: createPageSchema(TargetRow),
  },
  /** Enabled packages. With a tenant, only the packages that are offered to this tenant. */
  packages: declareOptions(`${ROOT}/options/package`, 'agent:order:list', {
    row: { packageCode: z.string(), content: z.string(), scope: z.int(), price: z.int(), isTrial: z.int() },
    asked: { tenantId: optional(id).meta({ title: '客户' }) },
  }),
  /** Bound devices of the tenant, by serial number, name or MAC. */
  devices: declareOptions(`${ROOT}/options/device`, 'agent:order:list', {
    row: { agentName: z.string() },
    asked: { tenantId: optional(id).meta({ title: '客户' }) },
  }),
  agents: declareOptions(`${ROOT}/options/agent`, 'agent:order:list', {
    asked: { tenantId: optional(id).meta({ title: '客户' }) },
  }),
  groups: declareOptions(`${ROOT}/options/group`, 'agent:order:list', {
    asked: { tenantId: optional(id).meta({ title: '客户' }) },
  }),
  /** Calculates targets, amount, terms and refused targets of an order without storing it. */
  preview: {
    method: 'POST',
    path: `${ROOT}/preview`,
    access: 'agent:order:add',
    log: false,
    body: 'json',
    input: PreviewInput,
    result: OrderPreview,
  },
  create: {
    method: 'POST',
    path: ROOT,
    access: 'agent:order:add',
    title: '新增智能体订单',
    body: 'json',
    input: OrderInput,
    result: created,
    done: '订单已提交，等待确认收款',
  },
  /** Changes a pending order of the caller. The amount is calculated again from the package on sale. */
  update: {
    method: 'PUT',
    path: ROOT,
    access: 'agent:order:edit',
    title: '编辑智能体订单',
    body: 'json',
    input: OrderInput.extend(change),
    result: saved,
    done: '订单已修改，等待确认',
  },
  /** Creates a free order. Another person must confirm it. */
  gift: {
    method: 'POST',
    path: `${ROOT}/gift`,
    access: 'agent:order:grant',
    title: '赠送智能体套餐',
    kind: 'add',
    body: 'json',
    input: GiftInput,
    result: created,
    done: '赠送已提交，等待确认',
  },
  /** Records the payment and creates the grants. Repeating the call with the same voucher changes nothing. */
  confirm: {
    method: 'PUT',
    path: `${ROOT}/confirm`,
    access: 'agent:order:confirm',
    title: '确认收款',
    kind: 'grant',
    body: 'json',
    input: ConfirmInput.extend(change),
    result: saved,
    done: '已确认，套餐已发放',
  },
  /** Closes a pending order of the caller. */
  close: {
    method: 'PUT',
    path: `${ROOT}/close`,
    access: 'agent:order:close',
    title: '关闭智能体订单',
    kind: 'edit',
    body: 'json',
    input: CloseInput.extend(change),
    result: saved,
    done: '订单已关闭',
  },
  /** Requests a refund of the unused grants, and freezes them. */
  refund: {
    method: 'PUT',
    path: `${ROOT}/refund`,
    access: 'agent:order:refund',
    title: '申请智能体订单退款',
    kind: 'edit',
    body: 'json',
    input: RefundInput.extend(change),
    result: z.object({ rev: z.int(), amount: z.int() }),
    done: '退款申请已提交，等待审批',
  },
  refundAudit: {
    method: 'PUT',
    path: `${ROOT}/refund/audit`,
    access: 'agent:order:refundAudit',
    title: '审批智能体订单退款',
    kind: 'grant',
    body: 'json',
    input: RefundAuditInput,
    result: saved,
    done: '审批完成',
  },
  export: {
    method: 'GET',
    path: `${ROOT}/export`,
    access: 'agent:order:export',
    stream: 'download',
    title: '导出智能体订单',
    kind: 'export',
    input: OrderQuery.omit({ pageNum: true, pageSize: true }).extend(exportQuery.shape),
    result: z.null(),
  },
} as const satisfies Contract
