import * as z from 'zod'
import { AccountRow, ACCOUNT_STATUS, PickedUser } from './account.ts'
import { SessionRow } from './profile.ts'
import type { Contract } from './kernel/endpoint.ts'
import { choice, id, optional, search } from './kernel/fields.ts'
import { pageOf, pageQuery, sortedPage } from './kernel/page.ts'
import { exportQuery } from './kernel/transfer.ts'

const LOCKED = { 0: '否', 1: '是' } as const

const filters = {
  account: search('账号', 30),
  realname: search('真实名称', 15),
  mobileNo: search('手机号', 20),
  tenantId: optional(id).meta({ title: '所属客户' }),
  status: optional(choice('状态', ACCOUNT_STATUS)),
  locked: optional(choice('锁定', LOCKED)),
}
const AccountQuery = sortedPage(['createTime', 'lastLoginTime', 'account']).extend(filters)

/** One login of an account, as its overview shows it. */
export const RecentLogin = z.object({
  infoId: z.int(),
  loginTime: z.string().meta({ title: '时间' }),
  loginType: z.int().meta({ title: '类型' }),
  ip: z.string().meta({ title: '登录地址' }),
  location: z.string().meta({ title: '地点' }),
  browser: z.string().meta({ title: '浏览器' }),
  os: z.string().meta({ title: '操作系统' }),
  status: z.int().meta({ title: '结果' }),
  msg: z.string().meta({ title: '说明' }),
})

/** One operation of an account, as its overview shows it. */
export const RecentOperation = z.object({
  operId: z.int(),
  operTime: z.string().meta({ title: '时间' }),
  title: z.string().meta({ title: '操作' }),
  action: z.string().meta({ title: '内容' }),
  status: z.int().meta({ title: '结果' }),
})

/** Everything an administrator wants to know of one account on one page. */
export const AccountOverview = z.object({
  account: AccountRow.extend({
    gender: z.int().nullable().meta({ title: '性别' }),
    birthday: z.string().nullable().meta({ title: '生日' }),
    profile: z.string().meta({ title: '个人简介' }),
    address: z.string().meta({ title: '地址' }),
    avatar: z.string().meta({ title: '头像' }),
    remark: z.string().meta({ title: '备注' }),
    expireTime: z.string().nullable().meta({ title: '账号有效期' }),
    pwdUpdateTime: z.string().nullable().meta({ title: '密码修改时间' }),
    pwdMustChange: z.boolean().meta({ title: '须修改密码' }),
    isTenantAdmin: z.boolean().meta({ title: '客户管理员' }),
  }),
  roles: z.array(z.object({ id: z.int(), roleName: z.string(), roleCode: z.string(), status: z.int() })),
  /** Names of the rights held right now, by page: `用户管理` → `新增`, `编辑` … */
  rights: z.array(z.object({ page: z.string(), actions: z.array(z.string()) })),
  isSuper: z.boolean(),
  /** Why it could not work here now; null when it could. */
  barredBecause: z.string().nullable(),
  /** Null: the caller may not see online users, the login log, the operation log. */
  sessions: z.array(SessionRow).nullable(),
  logins: z.array(RecentLogin).nullable(),
  operations: z.array(RecentOperation).nullable(),
})

const target = z.object({ id })

/** Console accounts of the whole system (`/system/userList`, `/userManage/index`). */
export const accounts = {
  list: {
    method: 'GET',
    path: '/api/v1/sys/account/all/page',
    access: 'system:userList:list',
    input: AccountQuery,
    result: pageOf(AccountRow),
  },
  /** Customers to filter by: those one may see whose name or number contains `keyword`. */
  tenants: {
    method: 'GET',
    path: '/api/v1/sys/account/tenants',
    access: 'system:userList:list',
    input: z.object({ keyword: search('客户', 50) }),
    result: z.object({ list: z.array(z.object({ id: z.int(), name: z.string() })) }),
  },
  /** Colleagues to pick from (ticket handlers, notice targets): account, name or number contains `keyword`. */
  search: {
    method: 'GET',
    path: '/api/v1/account/search',
    access: 'session',
    input: pageQuery.extend({ keyword: search('关键字', 30) }),
    result: z.object({ list: z.array(PickedUser) }),
  },
  detail: {
    method: 'GET',
    path: '/api/v1/sys/account/:id',
    access: 'system:userList:query',
    input: target,
    result: AccountOverview,
  },
  enable: {
    method: 'POST',
    path: '/api/v1/sys/account/enable/:id',
    access: 'system:userList:enable',
    title: '启用账号',
    input: target,
    result: z.null(),
    done: '已启用',
  },
  disable: {
    method: 'POST',
    path: '/api/v1/sys/account/disable/:id',
    access: 'system:userList:enable',
    title: '停用账号',
    input: target,
    result: z.null(),
    done: '已停用',
  },
  /** Answers a new one-time password, shown once; it must be changed at the next login, and every session ends. */
  resetPasswd: {
    method: 'POST',
    path: '/api/v1/sys/account/resetPasswd/:id',
    access: 'system:userList:resetPwd',
    title: '重置密码',
    kind: 'edit',
    input: target,
    result: z.object({ account: z.string(), password: z.string() }),
    done: '密码已重置',
  },
  /** Answers a code for the page `/resetPwd/index`, shown once and good for 24 hours. */
  resetCode: {
    method: 'POST',
    path: '/api/v1/sys/account/resetCode/:id',
    access: 'system:userList:resetPwd',
    title: '生成密码重置码',
    kind: 'edit',
    input: target,
    result: z.object({ account: z.string(), code: z.string(), expireTime: z.string() }),
  },
  unlock: {
    method: 'POST',
    path: '/api/v1/sys/account/unlock/:id',
    access: 'system:userList:unlock',
    title: '解锁账号',
    kind: 'edit',
    input: target,
    result: z.null(),
    done: '已解锁',
  },
  /** Ends every session of the account. */
  endSessions: {
    method: 'POST',
    path: '/api/v1/sys/account/forceLogout/:id',
    access: 'system:online:forceLogout',
    title: '强制下线',
    kind: 'forceOut',
    input: target,
    result: z.object({ ended: z.int() }),
    done: '已强制下线',
  },
  export: {
    method: 'GET',
    path: '/api/v1/sys/account/export',
    access: 'system:userList:export',
    stream: 'download',
    kind: 'export',
    title: '导出账号',
    input: AccountQuery.omit({ pageNum: true, pageSize: true }).extend(exportQuery.shape),
    result: z.null(),
  },
} as const satisfies Contract
