import * as z from 'zod'
import { email, mobileNo } from '../account/account-fields.ts'
import { ONLINE } from '../device/device-fields.ts'
import type { Contract } from '../core/endpoint.ts'
import { choice, dateTime, id, note, optional, search, textLine } from '../core/fields.ts'
import { edge, createPageSchema, pageQuery, sortedPage, timeRange } from '../core/page.ts'
import { declareSwitches } from '../core/switches.ts'
import { exportQuery, importReport, jobResponse } from '../core/transfer.ts'
import { limitTable } from '../core/upload.ts'

export const APP_ACCOUNT_STATUS = { 1: '启用', 0: '停用' } as const
export const REGISTER_SOURCE = { 1: 'App', 2: '小程序', 3: '网页' } as const
/** States of the cloud storage of an App account. */
export const CLOUD_STORAGE_STATE = { 0: '未开通', 1: '使用中', 2: '已过期' } as const
const APP_IMPORT_ROWS = 100_000

export const AppAccountInput = z.object({
  account: textLine('账号', 50)
    .regex(/^[A-Za-z0-9_.@+-]+$/, '账号只能包含字母、数字和 _ . @ + -')
    .meta({ title: '账号', max: 50 }),
  mobileNo: optional(mobileNo),
  email: optional(email),
  nickname: note('昵称', 30),
  region: note('地区', 64),
  registerTime: optional(dateTime('注册时间')),
  registerSource: choice('注册来源', REGISTER_SOURCE).default(1).meta({ title: '注册来源', labels: REGISTER_SOURCE }),
  lastActiveTime: optional(dateTime('最近活动')),
  remark: note('备注', 200),
})
export const APP_IMPORT_COLUMNS = [
  'account',
  'mobileNo',
  'email',
  'nickname',
  'region',
  'registerTime',
  'registerSource',
  'lastActiveTime',
  'remark',
] as const

export const AppAccountRow = z.object({
  uid: z.int().meta({ title: '账号编号' }),
  account: z.string().meta({ title: '账号' }),
  nickname: z.string().meta({ title: '昵称' }),
  mobileNo: z.string().nullable().meta({ title: '手机号' }),
  email: z.string().nullable().meta({ title: '邮箱' }),
  tenantId: z.int(),
  tenantName: z.string().meta({ title: '所属客户' }),
  region: z.string().meta({ title: '地区' }),
  registerTime: z.string().meta({ title: '注册时间' }),
  registerSource: z.int().meta({ title: '注册来源', labels: REGISTER_SOURCE }),
  lastActiveTime: z.string().nullable().meta({ title: '最近活动' }),
  deviceCount: z.int().meta({ title: '设备数' }),
  cloudState: z.int().meta({ title: '云存储', labels: CLOUD_STORAGE_STATE }),
  status: z.int().meta({ title: '状态', labels: APP_ACCOUNT_STATUS }),
  remark: z.string().meta({ title: '备注' }),
  rev: z.int(),
})

export const BoundDevice = z.object({
  id: z.int().meta({ title: '设备编号' }),
  sn: z.string().meta({ title: '序列号' }),
  devName: z.string().meta({ title: '设备名称' }),
  modelName: z.string().meta({ title: '设备型号' }),
  online: z.int().meta({ title: '在线状态', labels: ONLINE }),
  activateTime: z.string().nullable().meta({ title: '激活时间' }),
  lastOnlineTime: z.string().nullable().meta({ title: '最近在线' }),
  status: z.int().meta({ title: '状态', labels: APP_ACCOUNT_STATUS }),
})

const AppQuery = sortedPage(['registerTime', 'lastActiveTime']).extend({
  account: search('账号', 50),
  nickname: search('昵称', 30),
  mobileNo: search('手机号', 20),
  email: search('邮箱', 50),
  tenantId: optional(id).meta({ title: '所属客户' }),
  region: search('地区', 64),
  registerSource: optional(choice('注册来源', REGISTER_SOURCE)),
  cloudState: optional(choice('云存储', CLOUD_STORAGE_STATE)),
  status: optional(choice('状态', APP_ACCOUNT_STATUS)),
  ...timeRange,
  activeBegin: edge('最近活动开始'),
  activeEnd: edge('最近活动结束'),
})
const target = z.object({ id })
const LOGGED = ['account', 'nickname', 'region', 'registerSource', 'tenantId', 'remark'] as const

/** End users of the tenants' Apps (`/AccountAdministration/accountList`). */
export const appAccount = {
  list: {
    method: 'GET',
    path: '/api/v1/account/app/page',
    access: 'AccountAdministration:accountList:list',
    input: AppQuery,
    result: createPageSchema(AppAccountRow),
  },
  export: {
    method: 'GET',
    path: '/api/v1/account/app/export',
    access: 'AccountAdministration:accountList:export',
    stream: 'download',
    kind: 'export',
    title: '导出App账号',
    input: AppQuery.omit({ pageNum: true, pageSize: true }).extend(exportQuery.shape),
    result: z.null(),
  },
  template: {
    method: 'GET',
    path: '/api/v1/account/app/template',
    access: 'AccountAdministration:accountList:import',
    stream: 'download',
    input: z.object({}),
    result: z.null(),
  },
  /** Imports accounts into the session's tenant; `update` 1 updates existing accounts. */
  import: {
    method: 'POST',
    path: '/api/v1/account/app/import',
    access: 'AccountAdministration:accountList:import',
    title: '导入App账号',
    body: 'multipart',
    file: limitTable(APP_IMPORT_ROWS),
    input: z.object({ dryRun: z.enum(['0', '1']).default('0'), update: z.enum(['0', '1']).default('0') }),
    result: z.union([importReport, jobResponse]),
  },
  get: {
    method: 'GET',
    path: '/api/v1/account/app/:id',
    access: 'AccountAdministration:accountList:query',
    input: target,
    result: AppAccountRow,
  },
  devices: {
    method: 'GET',
    path: '/api/v1/account/app/devices/:id',
    access: 'AccountAdministration:accountList:query',
    input: pageQuery.extend({ id }),
    result: createPageSchema(BoundDevice),
  },
  /**
   * Creates an account, or returns the existing account of that name, for an App's back end. `tenantId` defaults to
   * the session's tenant.
   */
  create: {
    method: 'POST',
    path: '/api/v1/account/app',
    access: 'AccountAdministration:accountList:add',
    title: '新增App账号',
    log: LOGGED,
    body: 'json',
    input: AppAccountInput.extend({ tenantId: optional(id).meta({ title: '所属客户' }) }),
    result: z.object({ uid: z.int(), created: z.boolean() }),
    done: '新增成功',
  },
  ...declareSwitches('/api/v1/account/app', 'AccountAdministration:accountList:enable', 'App账号'),
  bind: {
    method: 'POST',
    path: '/api/v1/account/app/bind',
    access: 'AccountAdministration:accountList:bind',
    title: '绑定设备',
    kind: 'edit',
    body: 'json',
    input: z.object({ id, sn: textLine('序列号', 64) }),
    result: z.null(),
    done: '绑定成功',
  },
  unbind: {
    method: 'POST',
    path: '/api/v1/account/app/unbind',
    access: 'AccountAdministration:accountList:unbind',
    title: '解绑设备',
    kind: 'edit',
    body: 'json',
    input: z.object({ id, deviceId: id }),
    result: z.null(),
    done: '已解绑',
  },
} as const satisfies Contract
