import * as z from 'zod'
import { AccountRow, ACCOUNT_STATUS, PickedUser } from './account-fields.ts'
import { SessionRow } from './account-fields.ts'
import type { Contract } from '../core/endpoint.ts'
import { asWholeNumber, choice, id, optional, search } from '../core/fields.ts'
import { edge, createPageSchema, pageQuery, sortedPage } from '../core/page.ts'
import { declareSwitches } from '../core/switches.ts'
import { exportQuery } from '../core/transfer.ts'

const LOCKED = { 0: '否', 1: '是' } as const

const filters = {
  account: search('账号', 30),
  realname: search('姓名', 15),
  mobileNo: search('手机号', 20),
  tenantId: optional(id).meta({ title: '所属客户' }),
  status: optional(choice('状态', ACCOUNT_STATUS)),
  locked: optional(choice('锁定', LOCKED)),
  loginBegin: edge('最近登录开始'),
  loginEnd: edge('最近登录结束'),
}
const AccountQuery = sortedPage(['createTime', 'lastLoginTime', 'account']).extend(filters)

/** One login of an account, as shown on the account overview. */
export const RecentLogin = z.object({
  infoId: z.int(),
  loginTime: z.string().meta({ title: '时间' }),
  loginType: z.int().meta({ title: '类型' }),
  ip: z.string().meta({ title: 'IP 地址' }),
  location: z.string().meta({ title: '地点' }),
  browser: z.string().meta({ title: '浏览器' }),
  os: z.string().meta({ title: '操作系统' }),
  status: z.int().meta({ title: '结果' }),
  msg: z.string().meta({ title: '说明' }),
})

/** One operation of an account, as shown on the account overview. */
export const RecentOperation = z.object({
  operId: z.int(),
  operTime: z.string().meta({ title: '时间' }),
  title: z.string().meta({ title: '操作' }),
  action: z.string().meta({ title: '内容' }),
  status: z.int().meta({ title: '结果' }),
})

/** Account overview for administrators: profile, permissions, sessions, logins and operations. */
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
  /** Names of the account's current permissions by page: `用户管理` → `新增`, `编辑` … */
  rights: z.array(z.object({ page: z.string(), actions: z.array(z.string()) })),
  isSuper: z.boolean(),
  /** The reason why the account cannot sign in or work now; null when the account can. */
  suspendedReason: z.string().nullable(),
  /** Each list is null when the caller lacks the permission for online users, the login log or the operation log. */
  sessions: z.array(SessionRow).nullable(),
  logins: z.array(RecentLogin).nullable(),
  operations: z.array(RecentOperation).nullable(),
})

const target = z.object({ id })

/** Console accounts of all tenants (`/system/userList`, `/userManage/index`). */
export const accounts = {
  list: {
    method: 'GET',
    path: '/api/v1/sys/account/all/page',
    access: 'system:userList:list',
    input: AccountQuery,
    result: createPageSchema(AccountRow),
  },
  /**
   * Accounts for pickers (ticket handlers, notice targets) whose account, name or number contains `keyword`; with
   * `forTickets` only those that may handle tickets.
   */
  search: {
    method: 'GET',
    path: '/api/v1/account/search',
    access: 'session',
    input: pageQuery.extend({
      keyword: search('关键字', 30),
      forTickets: asWholeNumber(z.literal(1)).optional(),
    }),
    result: z.object({ list: z.array(PickedUser) }),
  },
  detail: {
    method: 'GET',
    path: '/api/v1/sys/account/:id',
    access: 'system:userList:query',
    input: target,
    result: AccountOverview,
  },
  ...declareSwitches('/api/v1/sys/account', 'system:userList:enable', '账号'),
  /** Returns a new one-time password, shown once. All sessions end, and the next login requires a password change. */
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
  /** Returns a reset code for the page `/resetPwd/index`. The code is shown once and expires after 24 hours. */
  resetCode: {
    method: 'POST',
    path: '/api/v1/sys/account/resetCode/:id',
    access: 'system:userList:resetPwd',
    title: '生成密码重置码',
    kind: 'edit',
    input: target,
    result: z.object({ account: z.string(), code: z.string(), expireTime: z.string() }),
  },
  /** Removes the second factor of an account and ends all its sessions. The next login requires only the password. */
  removeMfa: {
    method: 'POST',
    path: '/api/v1/sys/account/removeMfa/:id',
    access: 'system:userList:removeMfa',
    title: '解除两步验证',
    kind: 'edit',
    input: target,
    result: z.null(),
    done: '已解除两步验证',
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
  /** Ends all sessions of the account. */
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
