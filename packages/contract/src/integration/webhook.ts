import * as z from 'zod'
import type { Contract } from '../core/endpoint.ts'
import { choice, id, optional, rev, search, text, textLine } from '../core/fields.ts'
import { createPageSchema, pageQuery } from '../core/page.ts'
import { Url } from '../core/url.ts'

export const MAX_ENDPOINTS = 20
/** Number of characters of a receiver's response that a delivery keeps. */
export const MAX_ANSWER = 1000

/** Events that endpoints can choose, with their Chinese names. */
export const EVENT_TYPES = {
  'ticket.created': '新工单',
  'ticket.status_changed': '工单状态变更',
  'ticket.closed': '工单关闭',
  'ticket.reopened': '工单重新打开',
  'release.published': '固件发布',
  'release.paused': '发布暂停',
  'release.alarm': '发布自动暂停',
  'task.failed': '设备升级失败',
  'grant.decided': '授权审批',
  'order.paid': '云存订单支付',
} as const
export type EventType = keyof typeof EVENT_TYPES
/** Type of the event that a test sends. No endpoint chooses the type. */
export const TEST_EVENT = 'ping'

export const nameOfEvent = (type: string) =>
  type === TEST_EVENT ? '测试消息' : (EVENT_TYPES[type as EventType] ?? type)

export const ENDPOINT_KIND = {
  webhook: 'Webhook',
  dingtalk: '钉钉机器人',
  feishu: '飞书机器人',
  wecom: '企业微信机器人',
} as const
export type EndpointKind = keyof typeof ENDPOINT_KIND
const KINDS = Object.keys(ENDPOINT_KIND) as EndpointKind[]

export const ENDPOINT_STATE = { 1: '启用', 2: '暂停', 3: '已停用' } as const
export const ENDPOINT_STATE_CODE = { active: 1, paused: 2, disabled: 3 } as const
export const DELIVERY_STATE = { 0: '等待推送', 1: '成功', 2: '失败' } as const
export const DELIVERY_STATE_CODE = { waiting: 0, done: 1, failed: 2 } as const

/** Hosts, path and query parameter of the addresses that each robot service issues. */
const ROBOTS = {
  dingtalk: { hosts: ['oapi.dingtalk.com'], path: /^\/robot\/send$/, key: 'access_token' },
  feishu: { hosts: ['open.feishu.cn', 'open.larksuite.com'], path: /^\/open-apis\/bot\/v2\/hook\/[\w-]+$/, key: '' },
  wecom: { hosts: ['qyapi.weixin.qq.com'], path: /^\/cgi-bin\/webhook\/send$/, key: 'key' },
} as const

/** Returns the problem of an address for this kind of endpoint, or undefined. */
export function findAddressProblem(kind: EndpointKind, address: string): string | undefined {
  const url = Url.canParse(address) ? new Url(address) : undefined
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:')) return '地址须以 https:// 或 http:// 开头'
  if (url.username || url.password) return '地址中不能含有用户名或密码'
  if (url.hash) return '地址中不能含有 #'
  if (kind === 'webhook') return undefined
  const { hosts, path, key } = ROBOTS[kind]
  const isIssued =
    url.protocol === 'https:' &&
    url.port === '' &&
    (hosts as readonly string[]).includes(url.hostname) &&
    path.test(url.pathname) &&
    (key === '' || Boolean(url.searchParams.get(key)))
  return isIssued ? undefined : `请粘贴${ENDPOINT_KIND[kind]}的完整 Webhook 地址`
}

const address = (missing?: string) => text('接收地址', 1000, missing)
/** The secret of a robot that checks signatures. A webhook gets a generated secret. */
const robotSecret = z
  .string('加签密钥不正确')
  .trim()
  .max(200, '加签密钥不能超过200个字符')
  .regex(/^[\u0021-\u007E]*$/, '加签密钥不正确')
const fields = {
  name: textLine('名称', 30),
  events: z
    .array(z.enum(Object.keys(EVENT_TYPES) as EventType[], '请选择事件'), '请选择事件')
    .min(1, '请选择事件')
    .max(50, '事件过多')
    .meta({ title: '事件' }),
}

export const EndpointInput = z
  .object({
    kind: z.enum(KINDS, '请选择类型').meta({ title: '类型' }),
    url: address(),
    secret: robotSecret.default('').meta({ title: '加签密钥' }),
    ...fields,
  })
  .superRefine(({ kind, url }, ctx) => {
    const message = findAddressProblem(kind, url)
    if (message) ctx.addIssue({ code: 'custom', path: ['url'], message })
  })
export const EndpointChange = z.object({
  id,
  rev,
  ...fields,
  /** Absent or empty: the stored address stays. */
  url: z
    .union([z.literal(''), address()])
    .optional()
    .meta({ title: '接收地址' }),
  /** Absent or empty: the stored secret stays. */
  secret: robotSecret.optional().meta({ title: '加签密钥' }),
})

export const EndpointRow = z.object({
  id: z.int(),
  tenantId: z.int(),
  name: z.string().meta({ title: '名称' }),
  kind: z.enum(KINDS).meta({ title: '类型' }),
  /** Address without the key of a robot and without query parameters. */
  address: z.string().meta({ title: '接收地址' }),
  events: z.array(z.string()).meta({ title: '事件' }),
  hasSecret: z.boolean(),
  state: z.int().meta({ title: '状态', labels: ENDPOINT_STATE }),
  stateReason: z.string().meta({ title: '停用原因' }),
  /** Number of failed attempts since the last success. */
  failures: z.int().meta({ title: '连续失败' }),
  lastTime: z.string().nullable().meta({ title: '最近成功' }),
  waiting: z.int().meta({ title: '待推送' }),
  createTime: z.string().meta({ title: '创建时间' }),
  rev: z.int(),
})
export type EndpointRow = z.output<typeof EndpointRow>

export const DeliveryRow = z.object({
  id: z.int(),
  endpointId: z.int(),
  eventId: z.string().meta({ title: '消息编号' }),
  eventType: z.string().meta({ title: '事件' }),
  state: z.int().meta({ title: '结果', labels: DELIVERY_STATE }),
  attempts: z.int().meta({ title: '次数' }),
  /** HTTP status of the last attempt; null without a response. */
  httpStatus: z.int().nullable().meta({ title: 'HTTP 状态' }),
  answer: z.string().meta({ title: '响应内容' }),
  nextTime: z.string().nullable().meta({ title: '下次推送' }),
  attemptTime: z.string().nullable().meta({ title: '最近推送' }),
  createTime: z.string().meta({ title: '时间' }),
  body: z.string().meta({ title: '推送内容' }),
})
export type DeliveryRow = z.output<typeof DeliveryRow>

/** `secret` is the secret of a webhook, only in this response; empty for robots. */
const withSecret = z.object({ id: z.int(), secret: z.string() })
const ROOT = '/api/v1/sys/webhook'
const byId = z.object({ id })

/** Endpoints to which events are sent, and their deliveries (page 消息推送). */
export const webhooks = {
  list: {
    method: 'GET',
    path: `${ROOT}/page`,
    access: 'system:webhooks:list',
    input: pageQuery.extend({
      name: search('名称', 30),
      kind: optional(z.enum(KINDS, '类型不正确')).meta({ title: '类型' }),
      state: optional(choice('状态', ENDPOINT_STATE)),
    }),
    result: createPageSchema(EndpointRow),
  },
  get: { method: 'GET', path: `${ROOT}/detail/:id`, access: 'system:webhooks:list', input: byId, result: EndpointRow },
  create: {
    method: 'POST',
    path: ROOT,
    access: 'system:webhooks:add',
    title: '新增消息推送',
    body: 'json',
    log: ['name', 'kind', 'events'],
    createsSharedRows: true,
    input: EndpointInput,
    result: withSecret,
    done: '新增成功',
  },
  update: {
    method: 'PUT',
    path: ROOT,
    access: 'system:webhooks:edit',
    title: '修改消息推送',
    body: 'json',
    log: ['id', 'name', 'events'],
    input: EndpointChange,
    result: z.object({ rev: z.int() }),
    done: '修改成功',
  },
  remove: {
    method: 'DELETE',
    path: `${ROOT}/:id`,
    access: 'system:webhooks:remove',
    title: '删除消息推送',
    input: byId,
    result: z.null(),
    done: '删除成功',
  },
  pause: {
    method: 'POST',
    path: `${ROOT}/pause/:id`,
    access: 'system:webhooks:edit',
    title: '暂停消息推送',
    kind: 'edit',
    input: byId,
    result: z.null(),
    done: '已暂停，期间的消息在恢复后推送',
  },
  /** Sends what waited since the pause. After an automatic stop, events of the meantime are lost. */
  resume: {
    method: 'POST',
    path: `${ROOT}/resume/:id`,
    access: 'system:webhooks:edit',
    title: '恢复消息推送',
    kind: 'edit',
    input: byId,
    result: z.null(),
    done: '已恢复',
  },
  /** Replaces the secret of a webhook. For 24 hours, requests carry the signatures of both secrets. */
  rotate: {
    method: 'POST',
    path: `${ROOT}/rotate/:id`,
    access: 'system:webhooks:edit',
    title: '更换消息推送密钥',
    kind: 'edit',
    input: byId,
    result: withSecret,
    done: '密钥已更换',
  },
  /** Sends a signed test message now and returns the response of the receiver. */
  test: {
    method: 'POST',
    path: `${ROOT}/test/:id`,
    access: 'system:webhooks:edit',
    title: '测试消息推送',
    kind: 'other',
    perMinute: 20,
    input: byId,
    result: z.object({
      isDone: z.boolean(),
      httpStatus: z.int().nullable(),
      answer: z.string(),
      milliseconds: z.int(),
    }),
  },
  deliveries: {
    method: 'GET',
    path: `${ROOT}/delivery/page`,
    access: 'system:webhooks:list',
    input: pageQuery.extend({ endpointId: id, state: optional(choice('结果', DELIVERY_STATE)) }),
    result: createPageSchema(DeliveryRow),
  },
  /** Sends a delivery again, with the same id and content. */
  resend: {
    method: 'POST',
    path: `${ROOT}/delivery/resend/:id`,
    access: 'system:webhooks:resend',
    title: '重新发送推送消息',
    kind: 'other',
    input: byId,
    result: z.null(),
    done: '已重新发送',
  },
} as const satisfies Contract
