import * as z from 'zod'
import type { Contract } from '../core/endpoint.ts'
import { choice, id, note, optional, rev, search, textLine } from '../core/fields.ts'
import { createPageSchema, pageQuery, timeRange } from '../core/page.ts'

export const HOOK_STATUS = { 1: '启用', 0: '停用' } as const
export const SHOP_PRICE_POLICY = { 0: '须与套餐价格一致', 1: '由商城定价' } as const
export const EVENT_RESULT = { 1: '已处理', 2: '未通过' } as const
export const EVENT_TYPE = {
  'order.created': '下单',
  'order.paid': '支付',
  'order.closed': '关闭',
  'order.refunded': '退款',
} as const

const fields = {
  hookName: textLine('商城名称', 50),
  priceFree: choice('金额规则', SHOP_PRICE_POLICY).default(0).meta({ title: '金额规则', labels: SHOP_PRICE_POLICY }),
  status: choice('状态', HOOK_STATUS).default(1).meta({ title: '状态', labels: HOOK_STATUS }),
  remark: note('备注', 200),
}
export const HookInput = z.object({
  /** Defaults to the tenant of the session. */
  tenantId: optional(id).meta({ title: '客户' }),
  ...fields,
})
export const HookChange = z.object({ id, rev, ...fields })

export const HookRow = z.object({
  id: z.int().meta({ title: '编号' }),
  tenantId: z.int(),
  /** True for a webhook of the platform, which opens packages on the devices of all tenants. */
  isShared: z.boolean(),
  tenantName: z.string().meta({ title: '客户' }),
  hookName: z.string().meta({ title: '商城名称' }),
  priceFree: z.int().meta({ title: '金额规则', labels: SHOP_PRICE_POLICY }),
  status: z.int().meta({ title: '状态', labels: HOOK_STATUS }),
  /** Time of the last change of the secret; the secret before it is valid until the next change. */
  rotateTime: z.string().meta({ title: '密钥更换时间' }),
  lastEventTime: z.string().nullable().meta({ title: '最近回调' }),
  refusedEvents: z.int().meta({ title: '未通过' }),
  remark: z.string().meta({ title: '备注' }),
  createTime: z.string().meta({ title: '创建时间' }),
  rev: z.int(),
})
export type HookRow = z.output<typeof HookRow>

export const HookEventRow = z.object({
  id: z.int(),
  hookId: z.int(),
  hookName: z.string().meta({ title: '商城名称' }),
  eventId: z.string().meta({ title: '事件编号' }),
  type: z.string().meta({ title: '类型' }),
  outOrderNo: z.string().meta({ title: '商城订单号' }),
  result: z.int().meta({ title: '结果', labels: EVENT_RESULT }),
  message: z.string().meta({ title: '说明' }),
  attempts: z.int().meta({ title: '次数' }),
  createTime: z.string().meta({ title: '接收时间' }),
  updateTime: z.string().meta({ title: '处理时间' }),
})
export type HookEventRow = z.output<typeof HookEventRow>

const secret = z.object({ id: z.int(), secret: z.string() })
const access = 'ossManage:deviceList:hook'
const byId = z.object({ id })

/** Webhooks of shops that sell cloud storage, and the events they sent (tab 回调与密钥 of `/ossManage/deviceList`). */
export const storageHooks = {
  list: {
    method: 'GET',
    path: '/api/v1/oss/hook',
    access,
    input: pageQuery.extend({ hookName: search('商城名称', 50), status: optional(choice('状态', HOOK_STATUS)) }),
    result: createPageSchema(HookRow),
  },
  get: { method: 'GET', path: '/api/v1/oss/hook/detail/:id', access, input: byId, result: HookRow },
  create: {
    method: 'POST',
    path: '/api/v1/oss/hook',
    access,
    title: '新增订单回调',
    input: HookInput,
    /** Id and secret of the webhook. Only this response contains this secret. */
    result: secret,
    done: '新增成功',
  },
  update: {
    method: 'PUT',
    path: '/api/v1/oss/hook',
    access,
    title: '修改订单回调',
    input: HookChange,
    result: z.object({ rev: z.int() }),
    done: '修改成功',
  },
  /** Creates a new secret. The secret before it stays valid, so that the shop can change over. */
  rotate: {
    method: 'POST',
    path: '/api/v1/oss/hook/rotate/:id',
    access,
    title: '更换订单回调密钥',
    kind: 'edit',
    input: byId,
    result: secret,
    done: '密钥已更换',
  },
  events: {
    method: 'GET',
    path: '/api/v1/oss/hook/event/page',
    access,
    input: pageQuery.extend({
      hookId: optional(id).meta({ title: '商城' }),
      outOrderNo: search('商城订单号', 64),
      eventId: search('事件编号', 64),
      result: optional(choice('结果', EVENT_RESULT)),
      ...timeRange,
    }),
    result: createPageSchema(HookEventRow),
  },
  event: {
    method: 'GET',
    path: '/api/v1/oss/hook/event/detail/:id',
    access,
    input: byId,
    result: HookEventRow.extend({ body: z.string().meta({ title: '内容' }) }),
  },
  /** Processes a refused event again, after its cause was corrected. */
  replay: {
    method: 'POST',
    path: '/api/v1/oss/hook/event/replay/:id',
    access,
    title: '重放订单回调',
    kind: 'edit',
    input: byId,
    result: z.null(),
    done: '已处理',
  },
} as const satisfies Contract
