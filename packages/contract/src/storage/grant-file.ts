import * as z from 'zod'
import type { Contract } from '../core/endpoint.ts'
import { choice, id, limited, note, optional, reference, rev, search, text, textLine } from '../core/fields.ts'
import { createPageSchema, sortedPage, timeRange } from '../core/page.ts'
import { importProblem, importReason, importReport, jobResponse, MAX_JOB_REPORTED_ROWS } from '../core/transfer.ts'
import { limitTable } from '../core/upload.ts'
import { EFFECT_MODE, ENTITLEMENT_SOURCE, OPEN_SOURCE } from './entitlement.ts'
import { OpeningPlan } from './opening-plan.ts'
import { copyAmount } from '../core/package-fields.ts'

/** Maximum number of lines of one file. */
export const MAX_GRANT_FILE_ROWS = 100_000
export const GRANT_FILE_STATE = { 0: '待审批', 1: '执行中', 2: '已完成', 3: '已驳回', 4: '执行失败' } as const
/** Filter for batches that wait for the decision of the account. */
export const GRANT_FILE_TODO_LABELS = { 1: '待我审批的批次' } as const
export const OWN_BATCH_MESSAGE = '不能审批自己提交的批次，请由其他人审批'
const PASS = { 1: '同意', 0: '驳回' } as const

/** One line of the file. An empty channel is 0, an empty number of copies is 1. */
export const GrantLine = z.object({
  sn: textLine('序列号', 64),
  channel: optional(limited('通道', 0, 63, '通道应为0～63的整数')).meta({ title: '通道' }),
  copies: optional(limited('份数', 1, 36, '份数应为1～36的整数')).meta({ title: '份数' }),
})

export const GrantFileInput = z.object({
  packageId: reference('云存套餐'),
  effectMode: choice('生效方式', EFFECT_MODE).default(1).meta({ title: '生效方式', labels: EFFECT_MODE }),
  source: choice('来源', OPEN_SOURCE).default(2).meta({ title: '来源', labels: OPEN_SOURCE }),
  amount: copyAmount,
  reason: text('原因', 200),
})

/** Maximum number of customers that a plan names. */
export const MAX_PLAN_TENANTS = 20

/** Customers whose devices the file opens: those with the most devices, and the number of all. */
const planTenants = {
  tenants: z
    .array(z.object({ name: z.string(), devices: z.int(), copies: z.int() }))
    .max(MAX_PLAN_TENANTS)
    .meta({ title: '涉及客户' }),
  tenantCount: z.int().meta({ title: '客户数' }),
}

/** Plan of a file: the sums of the packages that the file would open, and the queues of its first lines. */
export const GrantPlan = OpeningPlan.pick({
  devices: true,
  entitlements: true,
  listPrice: true,
  amount: true,
  lostSeconds: true,
  lostAmount: true,
  lostDevices: true,
  queues: true,
}).extend({
  /** Copies that remain of the allowance afterwards; null for staff of the vendor. */
  allowance: z.int().nullable(),
  /** Different serial numbers in the file, and the number above which a second person must approve; 0: never. */
  fileDevices: z.int(),
  approvalAbove: z.int(),
  ...planTenants,
})
export type GrantPlan = z.output<typeof GrantPlan>

/** Returns whether a second person must approve a file for this number of devices. */
export const needsApproval = ({ fileDevices, approvalAbove }: Pick<GrantPlan, 'fileDevices' | 'approvalAbove'>) =>
  approvalAbove > 0 && fileDevices > approvalAbove

/** What a second person approves: the lines that the run opens, and the lines that it skips, when the file was checked. */
export const GrantCheck = z.object({
  lines: z.int().meta({ title: '开通行数' }),
  devices: z.int().meta({ title: '设备数' }),
  copies: z.int().meta({ title: '份数' }),
  listPrice: z.int().meta({ title: '标价合计', unit: 'fen' }),
  amount: z.int().meta({ title: '金额合计', unit: 'fen' }),
  failed: z.int().meta({ title: '跳过行数' }),
  reasons: z.array(importReason).meta({ title: '跳过原因' }),
  ...OpeningPlan.pick({ lostSeconds: true, lostAmount: true, lostDevices: true }).shape,
  /** Copies that remain of the sender's allowance after the run; null for staff of the vendor. */
  allowance: z.int().nullable().meta({ title: '执行后剩余额度' }),
  ...planTenants,
})
export type GrantCheck = z.output<typeof GrantCheck>

export const GrantFileRow = z.object({
  id: z.int().meta({ title: '编号' }),
  fileName: z.string().meta({ title: '文件' }),
  packageName: z.string().meta({ title: '套餐' }),
  effectMode: z.int().meta({ title: '生效方式', labels: EFFECT_MODE }),
  source: z.int().meta({ title: '来源', labels: ENTITLEMENT_SOURCE }),
  amount: z.int().meta({ title: '每份金额', unit: 'fen' }),
  reason: z.string().meta({ title: '原因' }),
  lines: z.int().meta({ title: '文件行数' }),
  /** Devices, copies and list price of the lines that the run opened, before the run of the lines that it would open. */
  devices: z.int().meta({ title: '设备数' }),
  copies: z.int().meta({ title: '份数' }),
  listPrice: z.int().meta({ title: '标价合计', unit: 'fen' }),
  state: z.int().meta({ title: '状态', labels: GRANT_FILE_STATE }),
  done: z.int().meta({ title: '成功' }),
  failed: z.int().meta({ title: '失败' }),
  createBy: z.int().nullable(),
  createName: z.string().meta({ title: '提交人' }),
  createTime: z.string().meta({ title: '提交时间' }),
  auditName: z.string().meta({ title: '审批人' }),
  auditTime: z.string().nullable().meta({ title: '审批时间' }),
  auditRemark: z.string().meta({ title: '审批意见' }),
  /** Figures of the check before the approval; null for a file without approval. */
  checked: GrantCheck.nullable(),
  rev: z.int(),
})
export type GrantFileRow = z.output<typeof GrantFileRow>

/** A batch with the report of its run. Both stay as long as the batch. */
const GrantFileDetail = z.object({
  row: GrantFileRow,
  /** First refused lines. The file of failed lines contains all of them. */
  problems: z.array(importProblem).max(MAX_JOB_REPORTED_ROWS),
  /** 1: the file of failed lines can be downloaded. */
  hasFile: z.int(),
})
export type GrantFileDetail = z.output<typeof GrantFileDetail>

/** Entitlements opened by a file (tab 批量任务 of `/ossManage/deviceList`). */
export const storageGrantFiles = {
  template: {
    method: 'GET',
    path: '/api/v1/oss/device/template',
    access: 'ossManage:deviceList:import',
    stream: 'download',
    input: z.object({}),
    result: z.null(),
  },
  /**
   * `dryRun` 1 only returns the report and the plan. A file for more devices than the setting permits is stored with the
   * figures of its check, and executed when a second person approves it. The same file is accepted once.
   */
  import: {
    method: 'POST',
    path: '/api/v1/oss/device/import',
    access: 'ossManage:deviceList:import',
    title: '批量开通云存储',
    body: 'multipart',
    file: limitTable(MAX_GRANT_FILE_ROWS),
    input: GrantFileInput.extend({ dryRun: z.enum(['0', '1']).default('0') }),
    result: z.union([
      importReport.extend({ plan: GrantPlan.optional() }),
      jobResponse,
      z.object({ grantFileId: z.int() }),
    ]),
  },
  list: {
    method: 'GET',
    path: '/api/v1/oss/device/import/page',
    access: 'ossManage:deviceList:list',
    input: sortedPage(['createTime', 'devices']).extend({
      fileName: search('文件', 64),
      state: optional(choice('状态', GRANT_FILE_STATE)),
      todo: optional(choice('待办', GRANT_FILE_TODO_LABELS)),
      ...timeRange,
    }),
    result: createPageSchema(GrantFileRow),
  },
  get: {
    method: 'GET',
    path: '/api/v1/oss/device/import/detail/:id',
    access: 'ossManage:deviceList:query',
    input: z.object({ id }),
    result: GrantFileDetail,
  },
  /** Lines that the run refused, with all columns and the reason. */
  failedLines: {
    method: 'GET',
    path: '/api/v1/oss/device/import/failed/:id',
    access: 'ossManage:deviceList:query',
    stream: 'download',
    input: z.object({ id }),
    result: z.null(),
  },
  audit: {
    method: 'PUT',
    path: '/api/v1/oss/device/import/audit',
    access: 'ossManage:deviceList:audit',
    title: '审批批量开通',
    kind: 'grant',
    body: 'json',
    input: z.object({
      id,
      rev,
      pass: choice('审批结果', PASS),
      auditRemark: note('审批意见', 200),
    }),
    result: z.object({ jobId: z.int().nullable() }),
    done: '审批完成',
  },
} as const satisfies Contract
