import * as z from 'zod'
import type { Contract } from './kernel/endpoint.ts'
import { choice, dateTime, id, note, optional, rev, search, text } from './kernel/fields.ts'
import { pageOf } from './kernel/page.ts'
import { exportQuery } from './kernel/transfer.ts'
import {
  ALLOW_APPLY,
  OVERVIEW_BLOCKS,
  OverviewBlock,
  TenantCreateInput,
  TenantDetail,
  TenantInput,
  TenantQuery,
  TenantRow,
} from './tenant-info.ts'

const Named = z.object({ id: z.int(), name: z.string(), tenantNo: z.string(), status: z.int() })
const target = z.object({ id })
/** Where a session works after a switch. */
const Workplace = z.object({ ownerId: z.int(), ownerName: z.string() })

/** Customers of the vendor (`/tenantManage/tenant`). */
export const tenant = {
  list: {
    method: 'GET',
    path: '/api/v1/tenant/page',
    access: 'tenantManage:tenant:list',
    input: TenantQuery,
    result: pageOf(TenantRow),
  },
  /** Customers within reach whose name or number contains `name`, for pickers of any screen. */
  simple: {
    method: 'GET',
    path: '/api/v1/tenant/simple/list',
    access: 'session',
    input: z.object({ name: search('客户名称', 50) }),
    result: z.object({ list: z.array(Named) }),
  },
  /** Scenes a customer may be given. */
  scenes: {
    method: 'GET',
    path: '/api/v1/tenant/scene/options',
    access: 'tenantManage:tenant:list',
    input: z.object({}),
    result: z.object({
      list: z.array(
        z.object({
          id: z.int(),
          sceneName: z.string(),
          isDefault: z.int(),
          /** Industries it is recommended for, each with all below it. */
          industryIds: z.array(z.int()),
        }),
      ),
    }),
  },
  export: {
    method: 'GET',
    path: '/api/v1/tenant/export',
    access: 'tenantManage:tenant:export',
    stream: 'download',
    kind: 'export',
    title: '导出客户',
    input: TenantQuery.omit({ pageNum: true, pageSize: true }).extend(exportQuery.shape),
    result: z.null(),
  },
  get: {
    method: 'GET',
    path: '/api/v1/tenant/:id',
    access: 'tenantManage:tenant:query',
    input: target,
    result: TenantDetail,
  },
  /** The customer, and the names of the blocks the caller may see of it. */
  overview: {
    method: 'GET',
    path: '/api/v1/tenant/overview/:id',
    access: 'tenantManage:tenant:query',
    input: target,
    result: z.object({
      tenant: TenantDetail,
      blocks: z.array(z.object({ key: z.enum(OVERVIEW_BLOCKS), title: z.string() })),
    }),
  },
  overviewBlock: {
    method: 'GET',
    path: '/api/v1/tenant/overview/:id/:block',
    access: 'tenantManage:tenant:query',
    input: z.object({ id, block: z.enum(OVERVIEW_BLOCKS, '区块不正确') }),
    result: OverviewBlock,
  },
  /** Answers the first administrator's one-time password, shown once; it must be changed at the first login. */
  create: {
    method: 'POST',
    path: '/api/v1/tenant',
    access: 'tenantManage:tenant:add',
    title: '新增客户',
    body: 'json',
    input: TenantCreateInput,
    result: z.object({ id: z.int(), tenantNo: z.string(), account: z.string(), password: z.string() }),
    done: '新增成功',
  },
  update: {
    method: 'PUT',
    path: '/api/v1/tenant',
    access: 'tenantManage:tenant:edit',
    title: '修改客户',
    body: 'json',
    /** A masked telephone or address sent back unchanged stays as it is. */
    input: TenantInput.omit({ expireTime: true, contactPhone: true, contactEmail: true }).extend({
      id,
      rev,
      contactPhone: text('联系电话', 20),
      contactEmail: optional(z.string().trim().max(50, '联系邮箱不能超过50个字符')).meta({
        title: '联系邮箱',
        max: 50,
      }),
    }),
    result: z.object({ rev: z.int() }),
    done: '修改成功',
  },
  remove: {
    method: 'DELETE',
    path: '/api/v1/tenant/:id',
    access: 'tenantManage:tenant:remove',
    title: '删除客户',
    input: target,
    result: z.null(),
    done: '删除成功',
  },
  enable: {
    method: 'POST',
    path: '/api/v1/tenant/enable/:id',
    access: 'tenantManage:tenant:enable',
    title: '启用客户',
    input: target,
    result: z.null(),
    done: '已启用',
  },
  disable: {
    method: 'POST',
    path: '/api/v1/tenant/disable/:id',
    access: 'tenantManage:tenant:enable',
    title: '停用客户',
    input: target,
    result: z.null(),
    done: '已停用',
  },
  /** Sets a new end; without one the customer stays for ever. One switched off because it had expired comes back. */
  renew: {
    method: 'POST',
    path: '/api/v1/tenant/renew',
    access: 'tenantManage:tenant:renew',
    title: '客户续期',
    kind: 'edit',
    body: 'json',
    input: z.object({ id, expireTime: optional(dateTime('到期时间')), rev, remark: note('续期说明', 200) }),
    result: z.object({ rev: z.int() }),
    done: '续期成功',
  },
  /** A new join code, the old one stops working; with `allowApply` it is switched on or off instead. */
  joinCode: {
    method: 'POST',
    path: '/api/v1/tenant/joinCode/:id',
    access: 'tenantManage:tenant:edit',
    title: '修改加入码',
    kind: 'edit',
    body: 'json',
    input: z.object({ id, allowApply: optional(choice('加入申请', ALLOW_APPLY)) }),
    result: z.object({ joinCode: z.string(), allowApply: z.int() }),
    done: '操作成功',
  },
  /** Customers one may work in. */
  switchable: {
    method: 'GET',
    path: '/api/v1/tenant/switch/list',
    access: 'tenantManage:tenant:switch',
    input: z.object({ keyword: search('客户', 50) }),
    result: z.object({ list: z.array(Named) }),
  },
  /** This session works in that customer from now on: sees its rows alone, and what it makes belongs to it. */
  switchTo: {
    method: 'POST',
    path: '/api/v1/tenant/switch/:id',
    access: 'tenantManage:tenant:switch',
    title: '切换工作客户',
    kind: 'other',
    input: target,
    result: Workplace,
  },
  /** Back to one's own; needs no right, so that nobody is caught in a customer. */
  switchBack: {
    method: 'POST',
    path: '/api/v1/tenant/switchBack',
    access: 'session',
    title: '返回所属客户',
    kind: 'other',
    input: z.object({}),
    result: Workplace,
  },
} as const satisfies Contract
