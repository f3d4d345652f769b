import * as z from 'zod'
import type { Contract } from '../core/endpoint.ts'
import { choice, day, id, note, noteLine, optional, rev, search, whole } from '../core/fields.ts'
import { createPageSchema, pageQuery, sortedPage, timeRange } from '../core/page.ts'
import { exportQuery } from '../core/transfer.ts'
import { reason, typeCode } from './license-rows.ts'

export const GRANT_STATUS = { 0: '待审批', 1: '生效中', 2: '已用尽', 3: '已过期', 4: '已撤销', 5: '已驳回' } as const
export const LEDGER_KIND = { 1: '发放', 2: '增加额度', 3: '分配使用', 4: '收回退还', 5: '撤销作废' } as const
export const MAX_QUOTA = 10_000_000
export const OWN_GRANT_MESSAGE = '不能审批自己提交的申请，请由其他人审批'

export const GrantInput = z.object({
  /** Defaults to the tenant of the session. */
  tenantId: optional(id).meta({ title: '客户' }),
  typeCode,
  modelId: optional(id).meta({ title: '限定型号' }),
  quota: whole('授权数量', 1, MAX_QUOTA),
  validFrom: day('生效日期'),
  validTo: day('失效日期'),
  contractNo: noteLine('合同编号', 50),
  remark: note('备注', 200),
})
const applied = GrantInput.refine(({ validFrom, validTo }) => validTo >= validFrom, {
  path: ['validTo'],
  message: '失效日期不能早于生效日期',
})

export const GrantRow = z.object({
  id: z.int().meta({ title: '编号' }),
  grantNo: z.string().meta({ title: '授权单号' }),
  tenantId: z.int(),
  tenantName: z.string().meta({ title: '客户' }),
  typeCode: z.string().meta({ title: '授权类型' }),
  modelId: z.int().nullable(),
  modelName: z.string().meta({ title: '限定型号' }),
  quota: z.int().meta({ title: '授权数量' }),
  used: z.int().meta({ title: '已使用' }),
  remaining: z.int().meta({ title: '剩余' }),
  validFrom: z.string().meta({ title: '生效日期' }),
  validTo: z.string().meta({ title: '失效日期' }),
  status: z.int().meta({ title: '状态', labels: GRANT_STATUS }),
  contractNo: z.string().meta({ title: '合同编号' }),
  applyName: z.string().meta({ title: '申请人' }),
  /** True when the caller is the applicant; another account must approve. */
  isMine: z.boolean(),
  auditName: z.string().meta({ title: '审批人' }),
  auditTime: z.string().nullable().meta({ title: '审批时间' }),
  auditRemark: z.string().meta({ title: '审批意见' }),
  remark: z.string().meta({ title: '备注' }),
  createTime: z.string().meta({ title: '申请时间' }),
  rev: z.int(),
})
export type GrantRow = z.output<typeof GrantRow>

export const GrantQuery = sortedPage(['createTime', 'validTo']).extend({
  tenantId: optional(id).meta({ title: '客户' }),
  typeCode: search('授权类型', 32),
  status: optional(choice('状态', GRANT_STATUS)),
  grantNo: search('授权单号', 20),
  contractNo: search('合同编号', 50),
  expireBegin: timeRange.beginTime.meta({ title: '失效日期起' }),
  expireEnd: timeRange.endTime.meta({ title: '失效日期止' }),
  ...timeRange,
})
export const LedgerRow = z.object({
  id: z.int(),
  kind: z.int().meta({ title: '类型', labels: LEDGER_KIND }),
  amount: z.int().meta({ title: '变动' }),
  balance: z.int().meta({ title: '余额' }),
  operName: z.string().meta({ title: '操作人' }),
  reason: z.string().meta({ title: '说明' }),
  createTime: z.string().meta({ title: '时间' }),
})
const change = { id, rev }
const saved = z.object({ rev: z.int() })

/** Licence grants of tenants (`/LicenseManage/ConsentManage`). */
export const licenseGrants = {
  list: {
    method: 'GET',
    path: '/api/v1/license/grant/page',
    access: 'LicenseManage:ConsentManage:list',
    input: GrantQuery,
    result: createPageSchema(GrantRow),
  },
  get: {
    method: 'GET',
    path: '/api/v1/license/grant/detail/:id',
    access: 'LicenseManage:ConsentManage:query',
    input: z.object({ id }),
    result: GrantRow,
  },
  ledger: {
    method: 'GET',
    path: '/api/v1/license/grant/ledger/:id',
    access: 'LicenseManage:ConsentManage:query',
    input: pageQuery.extend({ id }),
    result: createPageSchema(LedgerRow),
  },
  create: {
    method: 'POST',
    path: '/api/v1/license/grant',
    access: 'LicenseManage:ConsentManage:add',
    title: '申请授权',
    body: 'json',
    input: applied,
    result: z.object({ id: z.int(), grantNo: z.string() }),
    done: '申请已提交，等待审批',
  },
  /** Approves a grant; the applicant may not approve. The quota takes effect at once. */
  audit: {
    method: 'PUT',
    path: '/api/v1/license/grant/audit',
    access: 'LicenseManage:ConsentManage:audit',
    title: '审批授权',
    kind: 'grant',
    body: 'json',
    input: z
      .object({ ...change, pass: choice('审批结果', { 1: '通过', 0: '驳回' }), auditRemark: note('审批意见', 200) })
      .refine(({ pass, auditRemark }) => pass === 1 || auditRemark !== '', {
        path: ['auditRemark'],
        message: '驳回时请填写审批意见',
      }),
    result: saved,
    done: '审批完成',
  },
  renew: {
    method: 'PUT',
    path: '/api/v1/license/grant/renew',
    access: 'LicenseManage:ConsentManage:edit',
    title: '续期授权',
    kind: 'edit',
    body: 'json',
    input: z.object({ ...change, validTo: day('失效日期'), reason }),
    result: saved,
    done: '续期成功',
  },
  addQuota: {
    method: 'PUT',
    path: '/api/v1/license/grant/quota',
    access: 'LicenseManage:ConsentManage:edit',
    title: '增加授权额度',
    kind: 'edit',
    body: 'json',
    input: z.object({ ...change, amount: whole('增加数量', 1, MAX_QUOTA), reason }),
    result: saved,
    done: '额度已增加',
  },
  /** Revokes the unused rest of a grant, or withdraws a grant that is not approved yet. */
  revoke: {
    method: 'PUT',
    path: '/api/v1/license/grant/revoke',
    access: 'LicenseManage:ConsentManage:revoke',
    title: '撤销授权',
    kind: 'edit',
    body: 'json',
    input: z.object({ ...change, reason }),
    result: saved,
    done: '已撤销',
  },
  export: {
    method: 'GET',
    path: '/api/v1/license/grant/export',
    access: 'LicenseManage:ConsentManage:export',
    stream: 'download',
    kind: 'export',
    title: '导出授权',
    input: GrantQuery.omit({ pageNum: true, pageSize: true }).extend(exportQuery.shape),
    result: z.null(),
  },
} as const satisfies Contract
