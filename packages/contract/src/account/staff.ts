import * as z from 'zod'
import { ACCOUNT_STATUS, accountName, changeRefusal, email, GENDER, mobileNo } from './account-fields.ts'
import type { Contract } from '../core/endpoint.ts'
import { choice, dateTime, id, ids, note, optional, optionalRev, search, textLine } from '../core/fields.ts'
import { createPageSchema, sortedPage, timeRange } from '../core/page.ts'
import { exportQuery, importReport } from '../core/transfer.ts'
import { limitTable } from '../core/upload.ts'
import { BatchReport } from '../core/transfer.ts'

/** Maximum rows of an account import, because an administrator hands out each password. */
const STAFF_IMPORT_ROWS = 1000

const roleIds = z
  .preprocess(
    (value) => (value === undefined || Array.isArray(value) ? value : value === '' ? [] : [value]),
    z.array(id, '请选择角色').max(100, '角色不能超过100个').default([]),
  )
  .meta({ title: '角色' })

/** Fields of an account of the tenant that an administrator edits. */
export const StaffInput = z.object({
  account: accountName,
  realname: textLine('姓名', 15),
  nickname: note('昵称', 15),
  gender: optional(choice('性别', GENDER)),
  mobileNo: optional(mobileNo),
  email: optional(email),
  roleIds,
  expireTime: optional(dateTime('账号有效期')),
  remark: note('备注', 200),
})

export const StaffRow = z.object({
  uid: z.int().meta({ title: '账号编号' }),
  account: z.string().meta({ title: '账号' }),
  realname: z.string().meta({ title: '姓名' }),
  nickname: z.string().meta({ title: '昵称' }),
  gender: z.int().nullable().meta({ title: '性别', labels: GENDER }),
  mobileNo: z.string().nullable().meta({ title: '手机号' }),
  email: z.string().nullable().meta({ title: '邮箱' }),
  roleIds: z.array(z.int()),
  roleNames: z.array(z.string()).meta({ title: '角色' }),
  status: z.int().meta({ title: '状态', labels: ACCOUNT_STATUS }),
  locked: z.boolean().meta({ title: '锁定' }),
  pwdMustChange: z.boolean().meta({ title: '须修改密码' }),
  mfaEnabled: z.boolean().meta({ title: '两步验证' }),
  lastLoginTime: z.string().nullable().meta({ title: '最近登录' }),
  lastLoginIp: z.string().nullable().meta({ title: '最近登录 IP 地址' }),
  expireTime: z.string().nullable().meta({ title: '账号有效期' }),
  createTime: z.string().meta({ title: '创建时间' }),
  remark: z.string().meta({ title: '备注' }),
  rev: z.int(),
  changeRefusal,
})

const StaffQuery = sortedPage(['createTime', 'lastLoginTime', 'account', 'realname']).extend({
  account: search('账号', 30),
  realname: search('姓名', 15),
  mobileNo: search('手机号', 20),
  status: optional(choice('状态', ACCOUNT_STATUS)),
  roleId: optional(id).meta({ title: '角色' }),
  roleless: optional(choice('角色分配', { 1: '未分配角色', 0: '已分配角色' })),
  locked: optional(choice('锁定', { 0: '否', 1: '是' })),
  ...timeRange,
})

/** Columns of the import template, in order. */
export const STAFF_IMPORT_COLUMNS = [
  'account',
  'realname',
  'nickname',
  'gender',
  'mobileNo',
  'email',
  'roleIds',
  'remark',
] as const

const target = z.object({ id })
/** One-time passwords are shown once: the log omits them, and a stored idempotent response is encrypted. */
const oneTime = z.object({ uid: z.int(), account: z.string(), password: z.string() })
/** Mobile numbers and mail addresses are omitted from the log. */
const LOGGED = ['uid', 'account', 'realname', 'nickname', 'gender', 'roleIds', 'expireTime', 'remark', 'rev'] as const

/** Staff of the session's tenant (`/system/manager`). */
export const staff = {
  list: {
    method: 'GET',
    path: '/api/v1/tenant/user/list',
    access: 'system:manager:list',
    input: StaffQuery,
    result: createPageSchema(StaffRow),
  },
  /** Roles of the tenant for the account form; `grantable` when the caller holds all permissions of the role. */
  roleOptions: {
    method: 'GET',
    path: '/api/v1/tenant/user/roleOptions',
    access: 'system:manager:list',
    input: z.object({}),
    result: z.object({
      list: z.array(z.object({ id: z.int(), roleName: z.string(), status: z.int(), grantable: z.boolean() })),
    }),
  },
  create: {
    method: 'POST',
    path: '/api/v1/tenant/user',
    access: 'system:manager:add',
    title: '新增用户',
    log: LOGGED,
    body: 'json',
    input: StaffInput,
    result: oneTime,
    done: '新增成功',
  },
  update: {
    method: 'PUT',
    path: '/api/v1/tenant/user',
    access: 'system:manager:edit',
    title: '修改用户',
    log: LOGGED,
    body: 'json',
    /** Absent `roleIds` keeps the roles. A masked number or address keeps the stored value. */
    input: StaffInput.omit({ account: true, roleIds: true, mobileNo: true, email: true }).extend({
      uid: id,
      roleIds: roleIds.optional(),
      mobileNo: optional(z.string().max(20)).meta({ title: '手机号', max: 20 }),
      email: optional(z.string().max(50)).meta({ title: '邮箱', max: 50 }),
      rev: optionalRev,
    }),
    result: z.object({ rev: z.int() }),
    done: '修改成功',
  },
  remove: {
    method: 'DELETE',
    path: '/api/v1/tenant/user',
    access: 'system:manager:remove',
    title: '删除用户',
    input: z.object({ ids: ids(200) }),
    result: BatchReport,
    done: '删除成功',
  },
  disable: {
    method: 'POST',
    path: '/api/v1/tenant/disableAccount/:id',
    access: 'system:manager:enable',
    title: '停用账号',
    input: target,
    result: z.null(),
    done: '已停用',
  },
  enable: {
    method: 'POST',
    path: '/api/v1/tenant/enableAccount/:id',
    access: 'system:manager:enable',
    title: '启用账号',
    input: target,
    result: z.null(),
    done: '已启用',
  },
  /** Enables or disables several accounts; each row succeeds or fails separately. */
  setStatus: {
    method: 'POST',
    path: '/api/v1/tenant/user/status',
    access: 'system:manager:enable',
    title: '批量启用停用账号',
    kind: 'edit',
    body: 'json',
    input: z.object({ ids: ids(200), status: choice('状态', ACCOUNT_STATUS) }),
    result: BatchReport,
    done: '操作完成',
  },
  resetPasswd: {
    method: 'POST',
    path: '/api/v1/tenant/user/resetPasswd/:id',
    access: 'system:manager:resetPwd',
    title: '重置密码',
    kind: 'edit',
    input: target,
    result: oneTime,
    done: '密码已重置',
  },
  /**
   * Returns a reset code for the page `/resetPwd/index`, shown once and valid for 24 hours. The password stays valid
   * until the code is used.
   */
  resetCode: {
    method: 'POST',
    path: '/api/v1/tenant/user/resetCode/:id',
    access: 'system:manager:resetPwd',
    title: '生成密码重置码',
    kind: 'edit',
    input: target,
    result: z.object({ account: z.string(), code: z.string(), expireTime: z.string() }),
  },
  /** Removes the second factor of an account and ends all its sessions. The next login requires only the password. */
  removeMfa: {
    method: 'POST',
    path: '/api/v1/tenant/user/removeMfa/:id',
    access: 'system:manager:removeMfa',
    title: '解除两步验证',
    kind: 'edit',
    input: target,
    result: z.null(),
    done: '已解除两步验证',
  },
  unlock: {
    method: 'POST',
    path: '/api/v1/tenant/user/unlock/:id',
    access: 'system:manager:unlock',
    title: '解锁账号',
    kind: 'edit',
    input: target,
    result: z.null(),
    done: '已解锁',
  },
  assignRole: {
    method: 'POST',
    path: '/api/v1/tenant/user/assignRole',
    access: 'system:manager:assignRole',
    title: '分配角色',
    kind: 'grant',
    body: 'json',
    input: z.object({ uid: id, roleIds }),
    result: z.null(),
    done: '分配成功',
  },
  /** Open sessions of one account of the tenant. */
  sessions: {
    method: 'GET',
    path: '/api/v1/tenant/user/sessions/:id',
    access: 'system:manager:query',
    input: target,
    result: z.object({
      list: z.array(
        z.object({
          sessionId: z.string(),
          ip: z.string().meta({ title: 'IP 地址' }),
          browser: z.string().meta({ title: '浏览器' }),
          os: z.string().meta({ title: '操作系统' }),
          loginTime: z.string().meta({ title: '登录时间' }),
          lastActiveTime: z.string().meta({ title: '最近活动' }),
        }),
      ),
    }),
  },
  export: {
    method: 'GET',
    path: '/api/v1/tenant/user/export',
    access: 'system:manager:export',
    stream: 'download',
    kind: 'export',
    title: '导出用户',
    input: StaffQuery.omit({ pageNum: true, pageSize: true }).extend(exportQuery.shape),
    result: z.null(),
  },
  template: {
    method: 'GET',
    path: '/api/v1/tenant/user/template',
    access: 'system:manager:import',
    stream: 'download',
    input: z.object({}),
    result: z.null(),
  },
  /**
   * `dryRun` 1 only returns the report. `update` 1 updates existing accounts; otherwise existing accounts are
   * reported as problems.
   */
  import: {
    method: 'POST',
    path: '/api/v1/tenant/user/import',
    access: 'system:manager:import',
    title: '导入用户',
    body: 'multipart',
    file: limitTable(STAFF_IMPORT_ROWS),
    input: z.object({ dryRun: z.enum(['0', '1']).default('0'), update: z.enum(['0', '1']).default('0') }),
    /** `passwords`: one-time passwords of the created accounts, shown once. */
    result: importReport.extend({ passwords: z.array(z.object({ account: z.string(), password: z.string() })) }),
  },
} as const satisfies Contract
