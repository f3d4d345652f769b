import * as z from 'zod'
import type { Contract } from '../core/endpoint.ts'
import { choice, dateTime, id, note, optional, rev, search, textLine } from '../core/fields.ts'
import { createPageSchema } from '../core/page.ts'
import { declareSwitches } from '../core/switches.ts'
import { exportQuery } from '../core/transfer.ts'
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
/** The tenant that a session works in after a switch. */
const Workplace = z.object({ ownerId: z.int(), ownerName: z.string() })

/** Tenants of the vendor (`/tenantManage/tenant`). */
export const tenant = {
  list: {
    method: 'GET',
    path: '/api/v1/tenant/page',
    access: 'tenantManage:tenant:list',
    input: TenantQuery,
    result: createPageSchema(TenantRow),
  },
  /** Scenes that can be assigned to a tenant. */
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
  /** Returns the tenant and the names of the blocks that the caller may see. */
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
  /**
   * Creates a tenant and returns the first administrator's one-time password, shown once. The first login requires a
   * new password.
   */
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
    /** A masked telephone number or address keeps the stored value. */
    input: TenantInput.omit({ expireTime: true, contactPhone: true, contactEmail: true }).extend({
      id,
      rev,
      contactPhone: textLine('联系电话', 20),
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
  ...declareSwitches('/api/v1/tenant', 'tenantManage:tenant:enable', '客户'),
  /**
   * Sets a new expiry date; without a date the tenant never expires. A tenant that was disabled by expiry is enabled
   * again.
   */
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
  /**
   * Creates a new join code and revokes the old code. With `allowApply` the join code is enabled or disabled instead.
   */
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
  /** Tenants that the caller may switch to. */
  switchable: {
    method: 'GET',
    path: '/api/v1/tenant/switch/list',
    access: 'tenantManage:tenant:switch',
    input: z.object({ keyword: search('客户', 50) }),
    result: z.object({ list: z.array(Named) }),
  },
  /** Switches the session to a tenant: the session sees only its rows, and new rows belong to the tenant. */
  switchTo: {
    method: 'POST',
    path: '/api/v1/tenant/switch/:id',
    access: 'tenantManage:tenant:switch',
    title: '切换工作客户',
    kind: 'other',
    input: target,
    result: Workplace,
  },
  /** Switches the session back to its own tenant. No permission is required, so that every account can switch back. */
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
