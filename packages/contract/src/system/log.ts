import * as z from 'zod'
import { OPERATION } from '../core/endpoint.ts'
import type { Contract } from '../core/endpoint.ts'
import { asWholeNumber, choice, id, optional, search, whole } from '../core/fields.ts'
import { createPageSchema, pageQuery, sortedPage, timeRange } from '../core/page.ts'
import { exportQuery } from '../core/transfer.ts'
import { changeRefusal } from '../account/account-fields.ts'

/** Maximum days of a log query. */
export const LOG_MAX_DAYS = 366
/** Days shown when the query has no range. */
export const OPER_LOG_DAYS = 7
export const LOGIN_LOG_DAYS = 30

/** Names of `OPERATION`, equal to the shipped dictionary `sys_oper_type`. */
export const OPERATION_LABELS = {
  [OPERATION.other]: '其他',
  [OPERATION.add]: '新增',
  [OPERATION.edit]: '修改',
  [OPERATION.remove]: '删除',
  [OPERATION.grant]: '授权',
  [OPERATION.export]: '导出',
  [OPERATION.import]: '导入',
  [OPERATION.forceOut]: '强制下线',
  [OPERATION.clean]: '清空',
} as const
export const LOG_STATUS = { 0: '失败', 1: '成功' } as const
export const LOGIN_TYPE = { 1: '密码登录', 2: '验证码登录', 3: '会话续期', 4: '强制下线', 5: '退出登录' } as const

export const FieldDiff = z.object({
  field: z.string(),
  title: z.string(),
  from: z.unknown(),
  to: z.unknown(),
})

export const OperLogRow = z.object({
  operId: z.int().meta({ title: '编号' }),
  operTime: z.string().meta({ title: '操作时间' }),
  operName: z.string().meta({ title: '操作账号' }),
  title: z.string().meta({ title: '操作' }),
  businessType: z.int().meta({ title: '类型', labels: OPERATION_LABELS }),
  action: z.string().meta({ title: '内容' }),
  bizType: z.string(),
  bizId: z.string(),
  operIp: z.string().meta({ title: 'IP 地址' }),
  operLocation: z.string().meta({ title: '地点' }),
  status: z.int().meta({ title: '结果', labels: LOG_STATUS }),
  errorMsg: z.string().meta({ title: '失败原因' }),
  costTime: z.int().meta({ title: '耗时(毫秒)' }),
  tenantName: z.string().meta({ title: '所属客户' }),
})

export const OperLogDetail = OperLogRow.extend({
  uid: z.int().nullable(),
  diff: z.array(FieldDiff),
  requestMethod: z.string().meta({ title: '请求方式' }),
  operUrl: z.string().meta({ title: '请求地址' }),
  userAgent: z.string().meta({ title: '客户端' }),
  browser: z.string().meta({ title: '浏览器' }),
  os: z.string().meta({ title: '操作系统' }),
  operParam: z.string().meta({ title: '请求参数' }),
  jsonResult: z.string().meta({ title: '返回结果' }),
  traceId: z.string().meta({ title: '请求编号' }),
})

/** One operation in the history of a record. */
export const HistoryRow = OperLogRow.pick({
  operId: true,
  operTime: true,
  operName: true,
  title: true,
  businessType: true,
  action: true,
  operIp: true,
}).extend({ diff: z.array(FieldDiff) })

export const LoginLogRow = z.object({
  infoId: z.int().meta({ title: '编号' }),
  loginTime: z.string().meta({ title: '时间' }),
  account: z.string().meta({ title: '账号' }),
  tenantName: z.string().meta({ title: '所属客户' }),
  loginType: z.int().meta({ title: '类型', labels: LOGIN_TYPE }),
  ip: z.string().meta({ title: 'IP 地址' }),
  location: z.string().meta({ title: '地点' }),
  browser: z.string().meta({ title: '浏览器' }),
  os: z.string().meta({ title: '操作系统' }),
  status: z.int().meta({ title: '结果', labels: LOG_STATUS }),
  msg: z.string().meta({ title: '说明' }),
  /** True while the account is locked out. */
  locked: z.boolean().meta({ title: '锁定' }),
  changeRefusal,
})

export const OnlineSessionRow = z.object({
  sessionId: z.string(),
  uid: z.int(),
  account: z.string().meta({ title: '账号' }),
  realname: z.string().meta({ title: '姓名' }),
  tenantName: z.string().meta({ title: '所属客户' }),
  ip: z.string().meta({ title: 'IP 地址' }),
  location: z.string().meta({ title: '地点' }),
  browser: z.string().meta({ title: '浏览器' }),
  os: z.string().meta({ title: '操作系统' }),
  loginTime: z.string().meta({ title: '登录时间' }),
  lastActiveTime: z.string().meta({ title: '最近活动' }),
  /**
   * True for a session of the console, which is bound to its cookie; false for an API client, which sends only the
   * ticket.
   */
  console: z.boolean().meta({ title: '控制台' }),
  current: z.boolean(),
  changeRefusal,
})

const DAY_MS = 86_400_000
const dayOf = (text: string) => Date.parse(`${text.slice(0, 10)}T00:00:00Z`)

/** Returns the error of a log range; undefined when the range is valid. */
export function findLogRangeProblem(beginTime: string | undefined, endTime: string | undefined) {
  if (!beginTime || !endTime) return undefined
  const days = (dayOf(endTime) - dayOf(beginTime)) / DAY_MS
  if (days < 0 || (days === 0 && beginTime.length > 10 && endTime.length > 10 && endTime < beginTime))
    return '结束时间不能早于开始时间'
  return days > LOG_MAX_DAYS ? `时间范围不能超过 ${LOG_MAX_DAYS} 天` : undefined
}

const OperLogQuery = sortedPage(['operTime']).extend({
  operName: search('操作账号', 50),
  title: search('操作', 50),
  businessType: optional(choice('类型', OPERATION_LABELS)),
  status: optional(choice('结果', LOG_STATUS)),
  operIp: search('IP 地址', 45),
  bizType: search('对象类型', 50),
  bizId: search('对象编号', 64),
  minCost: optional(whole('耗时不小于(毫秒)', 0, 3_600_000)),
  tenantId: optional(id).meta({ title: '所属客户' }),
  ...timeRange,
})
const LoginLogQuery = sortedPage(['loginTime']).extend({
  account: search('账号', 64),
  ip: search('IP 地址', 45),
  loginType: optional(choice('类型', LOGIN_TYPE)),
  status: optional(choice('结果', LOG_STATUS)),
  tenantId: optional(id).meta({ title: '所属客户' }),
  ...timeRange,
})
const sessionId = z.string('会话编号不正确').regex(/^[0-9a-f]{32}$/, '会话编号不正确')
const sessionIds = z.preprocess(
  (value) => (value === undefined || Array.isArray(value) ? value : [value]),
  z.array(sessionId, '请选择数据').min(1, '请选择数据').max(200, '一次最多选择200条数据'),
)

/** Operation log, login log and online users. Only the server writes logs; no call changes or deletes an entry. */
export const logs = {
  operations: {
    method: 'GET',
    path: '/api/v1/sys/operlog/page',
    access: 'system:operLog:list',
    input: OperLogQuery,
    result: createPageSchema(OperLogRow),
  },
  operation: {
    method: 'GET',
    path: '/api/v1/sys/operlog/:id',
    access: 'system:operLog:query',
    input: z.object({
      id: asWholeNumber(z.int('编号不正确').min(1, '编号不正确')),
    }),
    result: OperLogDetail,
  },
  exportOperationLog: {
    method: 'GET',
    path: '/api/v1/sys/operlog/export',
    access: 'system:operLog:export',
    stream: 'download',
    kind: 'export',
    title: '导出操作日志',
    input: OperLogQuery.omit({ pageNum: true, pageSize: true }).extend(exportQuery.shape),
    result: z.null(),
  },
  /** Returns the operations on one record, newest first, for accounts that may see a list with the record. */
  history: {
    method: 'GET',
    path: '/api/v1/sys/operlog/biz/:bizType/:bizId',
    access: 'session',
    input: pageQuery.extend({
      bizType: z.string().regex(/^[A-Za-z][A-Za-z-]{0,49}$/, '对象类型不正确'),
      bizId: z.string().regex(/^[\w.:-]{1,64}$/, '对象编号不正确'),
    }),
    result: createPageSchema(HistoryRow),
  },
  logins: {
    method: 'GET',
    path: '/api/v1/sys/loginlog/page',
    access: 'system:loginLog:list',
    input: LoginLogQuery,
    result: createPageSchema(LoginLogRow),
  },
  exportLogins: {
    method: 'GET',
    path: '/api/v1/sys/loginlog/export',
    access: 'system:loginLog:export',
    stream: 'download',
    kind: 'export',
    title: '导出登录日志',
    input: LoginLogQuery.omit({ pageNum: true, pageSize: true }).extend(exportQuery.shape),
    result: z.null(),
  },
  unlock: {
    method: 'POST',
    path: '/api/v1/sys/loginlog/unlock',
    access: 'system:loginLog:unlock',
    title: '解锁账号',
    kind: 'edit',
    body: 'form',
    input: z.object({ account: z.string('请输入账号').trim().min(1, '请输入账号').max(64, '账号不正确') }),
    result: z.null(),
    done: '已解锁',
  },
  online: {
    method: 'GET',
    path: '/api/v1/sys/online/page',
    access: 'system:online:list',
    input: sortedPage(['lastActiveTime', 'loginTime']).extend({
      account: search('账号', 30),
      ip: search('IP 地址', 45),
    }),
    result: createPageSchema(OnlineSessionRow),
  },
  forceOut: {
    method: 'DELETE',
    path: '/api/v1/sys/online/:sessionId',
    access: 'system:online:forceLogout',
    title: '强制下线',
    kind: 'forceOut',
    input: z.object({ sessionId }),
    result: z.object({ ended: z.int() }),
    done: '已强制下线',
  },
  forceOutMany: {
    method: 'DELETE',
    path: '/api/v1/sys/online',
    access: 'system:online:forceLogout',
    title: '批量强制下线',
    kind: 'forceOut',
    input: z.object({ ids: sessionIds }),
    result: z.object({ ended: z.int() }),
    done: '已强制下线',
  },
} as const satisfies Contract
