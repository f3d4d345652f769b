import * as z from 'zod'
import type { Contract } from '../core/endpoint.ts'
import { choice, id, ids, note, optional, search, textLine } from '../core/fields.ts'
import { createPageSchema, sortedPage, timeRange } from '../core/page.ts'
import { exportQuery } from '../core/transfer.ts'

export const APPLY_STATUS = { 0: '待审批', 1: '已通过', 2: '已驳回', 3: '已取消', 4: '已过期' } as const
/** Every application is made with a join code; codes 1 and 3 were reserved and never written. */
export const APPLY_SOURCE = { 2: '加入码' } as const
/** Days after which an undecided application expires. */
export const APPLY_DAYS = 30

export const ApplyInput = z.object({
  joinCode: textLine('加入码', 8)
    .transform((code) => code.toUpperCase())
    .pipe(z.string().regex(/^[A-Z0-9]{8}$/, '加入码为8位字母和数字'))
    .meta({ title: '加入码', max: 8 }),
  reason: note('申请说明', 200),
})

export const ApplyRow = z.object({
  id: z.int().meta({ title: '申请编号' }),
  applyNo: z.string().meta({ title: '申请单号' }),
  uid: z.int(),
  account: z.string().meta({ title: '账号' }),
  realname: z.string().meta({ title: '姓名' }),
  mobileNo: z.string().nullable().meta({ title: '手机号' }),
  tenantId: z.int(),
  tenantName: z.string().meta({ title: '申请加入的客户' }),
  source: z.int().meta({ title: '来源', labels: APPLY_SOURCE }),
  reason: z.string().meta({ title: '申请说明' }),
  status: z.int().meta({ title: '状态', labels: APPLY_STATUS }),
  roleNames: z.array(z.string()).meta({ title: '角色' }),
  auditName: z.string().meta({ title: '审批人' }),
  auditTime: z.string().nullable().meta({ title: '审批时间' }),
  auditRemark: z.string().meta({ title: '审批意见' }),
  createTime: z.string().meta({ title: '申请时间' }),
})

/** Fields of an application that the applicant sees. */
export const OwnApply = z.object({
  id: z.int(),
  applyNo: z.string(),
  tenantName: z.string(),
  reason: z.string(),
  status: z.int(),
  auditRemark: z.string(),
  createTime: z.string(),
  auditTime: z.string().nullable(),
})

const ApplyQuery = sortedPage(['createTime', 'auditTime']).extend({
  /** Matches only the complete application number. */
  applyNo: search('申请单号', 20),
  account: search('账号', 30),
  realname: search('姓名', 15),
  mobileNo: search('手机号', 20),
  tenantId: optional(id).meta({ title: '申请加入的客户' }),
  status: optional(choice('状态', APPLY_STATUS)),
  ...timeRange,
})

const roleIds = z
  .preprocess(
    (value) =>
      value === undefined || value === null || Array.isArray(value) ? (value ?? []) : value === '' ? [] : [value],
    z.array(id, '请选择角色').max(100, '角色不能超过100个'),
  )
  .default([])
  .meta({ title: '角色' })

export const AuditInput = z
  .object({
    id: optional(id),
    ids: ids(200).optional(),
    status: choice('审批结果', { 1: '通过', 2: '驳回' }),
    roleIds,
    remark: note('审批意见', 200),
  })
  .superRefine(({ id: one, ids: many, status, roleIds: roles, remark }, context) => {
    const issue = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message })
    if (one === undefined && !many?.length) issue('ids', '请选择数据')
    if (status === 1 && roles.length === 0) issue('roleIds', '请选择角色')
    if (status === 2 && remark === '') issue('remark', '请填写驳回原因')
  })

/** Applications to join a tenant (`/tenantManage/userapplication`). */
export const userApply = {
  list: {
    method: 'GET',
    path: '/api/v1/tenant/user/apply/list',
    access: 'tenantManage:userapplication:list',
    input: ApplyQuery,
    result: createPageSchema(ApplyRow),
  },
  /** Number of applications that wait for the caller's decision, for the badge. */
  count: {
    method: 'GET',
    path: '/api/v1/tenant/user/apply/count',
    access: 'tenantManage:userapplication:list',
    input: z.object({}),
    result: z.object({ pending: z.int() }),
  },
  /** Join code of the session's tenant; empty when applications are disabled. */
  code: {
    method: 'GET',
    path: '/api/v1/tenant/user/apply/code',
    access: 'tenantManage:userapplication:list',
    input: z.object({}),
    result: z.object({ joinCode: z.string(), allowApply: z.int() }),
  },
  /** Roles of a tenant for the approval; roles with more permissions than the caller's are not `grantable`. */
  roles: {
    method: 'GET',
    path: '/api/v1/tenant/user/apply/roles',
    access: 'tenantManage:userapplication:audit',
    input: z.object({ tenantId: id }),
    result: z.object({
      list: z.array(z.object({ id: z.int(), roleName: z.string(), status: z.int(), grantable: z.boolean() })),
      /** Roles of the tenant's last approved application that the caller may still assign. */
      suggested: z.array(z.int()),
    }),
  },
  /**
   * Approves or rejects one (`id`) or several (`ids`) applications; each succeeds or fails separately. The first of
   * two decisions wins.
   */
  audit: {
    method: 'POST',
    path: '/api/v1/tenant/user/apply/audit',
    access: 'tenantManage:userapplication:audit',
    title: '审批加入申请',
    kind: 'grant',
    body: 'json',
    input: AuditInput,
    result: z.object({
      done: z.int(),
      failed: z.array(z.object({ id: z.int(), name: z.string(), msg: z.string() })),
    }),
    done: '审批完成',
  },
  export: {
    method: 'GET',
    path: '/api/v1/tenant/user/apply/export',
    access: 'tenantManage:userapplication:export',
    stream: 'download',
    kind: 'export',
    title: '导出加入申请',
    input: ApplyQuery.omit({ pageNum: true, pageSize: true }).extend(exportQuery.shape),
    result: z.null(),
  },
  /** The caller's applications, newest first. */
  mine: {
    method: 'GET',
    path: '/api/v1/tenant/user/apply/mine',
    access: 'session',
    input: z.object({}),
    result: z.object({ list: z.array(OwnApply) }),
  },
  get: {
    method: 'GET',
    path: '/api/v1/tenant/user/apply/:id',
    access: 'tenantManage:userapplication:query',
    input: z.object({ id }),
    result: ApplyRow,
  },
  /** Applies to join the tenant of a join code; only for accounts without a tenant. */
  apply: {
    method: 'POST',
    path: '/api/v1/tenant/user/apply',
    access: 'session',
    title: '申请加入客户',
    kind: 'add',
    body: 'json',
    perMinute: 10,
    input: ApplyInput,
    result: z.object({ id: z.int(), tenantName: z.string() }),
    done: '申请已提交，请等待审批',
  },
  cancel: {
    method: 'POST',
    path: '/api/v1/tenant/user/apply/cancel/:id',
    access: 'session',
    title: '取消加入申请',
    kind: 'edit',
    input: z.object({ id }),
    result: z.null(),
    done: '申请已取消',
  },
} as const satisfies Contract
