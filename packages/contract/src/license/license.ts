import * as z from 'zod'
import type { Contract } from '../core/endpoint.ts'
import { choice, id, ids, note, optional, reference, search, textLine, whole } from '../core/fields.ts'
import { declareOptions } from '../core/options.ts'
import { createPageSchema, pageQuery, sortedPage, timeRange } from '../core/page.ts'
import { exportQuery, importReport } from '../core/transfer.ts'
import {
  AllotFreeInput,
  AllotInput,
  AllotPlan,
  AllotPlanInput,
  LicenseBatchInput,
  LicenseBatchRow,
  LicenseEventRow,
  LicensePreviewRow,
  LicenseQuery,
  LicenseRow,
  MAX_LICENSE_BATCH,
  reason,
  vendor,
  LICENSE_IMPORT_ROWS,
} from './license-rows.ts'
import { LICENSE_VENDORS } from './license-uid.ts'
import { BatchReport } from '../core/transfer.ts'
import { limitTable } from '../core/upload.ts'

const one = z.object({ id })
const many = ids(MAX_LICENSE_BATCH).meta({ title: '证书' })
const flag = z.enum(['0', '1']).default('0')
const took = z.union([importReport, z.object({ jobId: z.int() })])
const FILTERS = ['state', 'tenantId', 'batchId', 'vendor', 'typeCode', 'modelId', 'beginTime', 'endTime'] as const
const exportInput = LicenseQuery.omit({ pageNum: true, pageSize: true }).extend(exportQuery.shape).extend({ reason })
const step = (name: string, title: string, access: `${string}:${string}:${string}`, withReason: boolean) =>
  ({
    method: 'POST',
    path: `/api/v1/license/cert/${name}`,
    access,
    title,
    kind: 'edit',
    body: 'json',
    input: z.object({ ids: many, reason: withReason ? reason : note('原因', 200) }),
    result: BatchReport,
    done: '操作完成',
  }) as const

export const LicenseBatchQuery = sortedPage(['createTime', 'total']).extend({
  batchNo: search('批次号', 32),
  vendor: optional(vendor).meta({ title: '厂商', labels: LICENSE_VENDORS }),
  orderNo: search('采购单号', 50),
  ...timeRange,
})
export const ThresholdRow = z.object({
  vendor: z.int().meta({ title: '厂商', labels: LICENSE_VENDORS }),
  threshold: z.int().meta({ title: '预警数量' }),
  stock: z.int().meta({ title: '当前库存' }),
})

/** P2P certificates (`/LicenseManage/Certificate`). */
export const licenseCerts = {
  list: {
    method: 'GET',
    path: '/api/v1/license/cert/page',
    access: 'LicenseManage:Certificate:list',
    summary: 'P2P证书列表；UID 按完整值或开头查找，列表中以掩码显示，密钥从不出现在列表中',
    input: LicenseQuery,
    result: createPageSchema(LicenseRow),
  },
  get: {
    method: 'GET',
    path: '/api/v1/license/cert/detail/:id',
    access: 'LicenseManage:Certificate:query',
    input: one,
    result: LicenseRow,
  },
  events: {
    method: 'GET',
    path: '/api/v1/license/cert/events/:id',
    access: 'LicenseManage:Certificate:query',
    input: pageQuery.extend({ id }),
    result: createPageSchema(LicenseEventRow),
  },
  /** Returns the full UID and key once. The certificate's history records the account and the reason. */
  reveal: {
    method: 'POST',
    path: '/api/v1/license/cert/reveal/:id',
    revealsSecret: true,
    access: 'LicenseManage:Certificate:plain',
    title: '查看证书明文',
    kind: 'other',
    body: 'json',
    perMinute: 30,
    input: z.object({ id, reason }),
    result: z.object({ uid: z.string(), key: z.string() }),
  },
  template: {
    method: 'GET',
    path: '/api/v1/license/cert/template',
    access: 'LicenseManage:Certificate:import',
    stream: 'download',
    input: z.object({}),
    result: z.null(),
  },
  /** Parses the first 20 lines of the file as a preview. */
  preview: {
    method: 'POST',
    path: '/api/v1/license/cert/preview',
    access: 'LicenseManage:Certificate:import',
    log: false,
    body: 'multipart',
    file: limitTable(LICENSE_IMPORT_ROWS),
    input: LicenseBatchInput.pick({ vendor: true, typeCode: true }),
    result: z.object({ rows: z.array(LicensePreviewRow) }),
  },
  /** `dryRun` 1 only returns the report. Importing the same file again is refused and changes nothing. */
  import: {
    method: 'POST',
    path: '/api/v1/license/cert/import',
    access: 'LicenseManage:Certificate:import',
    allTenants: true,
    title: '导入P2P证书',
    body: 'multipart',
    file: limitTable(LICENSE_IMPORT_ROWS),
    input: LicenseBatchInput.extend({ dryRun: flag }),
    result: took,
  },
  /** Returns the certificates that an allotment would select, and the grants that it would use. */
  plan: {
    method: 'POST',
    path: '/api/v1/license/cert/allot/plan',
    access: 'LicenseManage:Certificate:allot',
    log: false,
    body: 'json',
    input: AllotPlanInput,
    result: AllotPlan,
  },
  allot: {
    method: 'POST',
    path: '/api/v1/license/cert/allot',
    access: 'LicenseManage:Certificate:allot',
    title: '分配P2P证书',
    kind: 'edit',
    body: 'json',
    input: AllotInput,
    result: z.object({ count: z.int() }),
    done: '分配成功',
  },
  /** Allots without a grant. Only the vendor's staff may do so; the reason is stored in each certificate's history. */
  allotFree: {
    method: 'POST',
    path: '/api/v1/license/cert/allot/free',
    access: 'LicenseManage:Certificate:allotFree',
    title: '免授权分配P2P证书',
    kind: 'edit',
    body: 'json',
    input: AllotFreeInput,
    result: z.object({ count: z.int() }),
    done: '分配成功',
  },
  allotTemplate: {
    method: 'GET',
    path: '/api/v1/license/cert/allot/template',
    access: 'LicenseManage:Certificate:allot',
    stream: 'download',
    input: z.object({}),
    result: z.null(),
  },
  /** Allots a list of UIDs, counted against all grants of the tenant. */
  allotFile: {
    method: 'POST',
    path: '/api/v1/license/cert/allot/file',
    access: 'LicenseManage:Certificate:allot',
    title: '按文件分配P2P证书',
    kind: 'import',
    body: 'multipart',
    file: limitTable(LICENSE_IMPORT_ROWS),
    input: z.object({ dryRun: flag, tenantId: reference('客户').meta({ title: '分配给客户' }) }),
    result: took,
  },
  recall: step('recall', '收回P2P证书', 'LicenseManage:Certificate:recall', false),
  unbind: step('unbind', '解绑P2P证书', 'LicenseManage:Certificate:unbind', false),
  suspend: step('suspend', '暂停P2P证书', 'LicenseManage:Certificate:suspend', true),
  resume: step('resume', '恢复P2P证书', 'LicenseManage:Certificate:suspend', false),
  scrap: step('scrap', '报废P2P证书', 'LicenseManage:Certificate:scrap', true),
  bind: {
    method: 'POST',
    path: '/api/v1/license/cert/bind',
    access: 'LicenseManage:Certificate:bind',
    title: '绑定P2P证书',
    kind: 'edit',
    body: 'json',
    input: z.object({ id, sn: textLine('设备序列号', 64) }),
    result: z.object({ deviceId: z.int() }),
    done: '绑定成功',
  },
  /** Exports the filtered list with masked UIDs. */
  export: {
    method: 'POST',
    path: '/api/v1/license/cert/export',
    access: 'LicenseManage:Certificate:export',
    stream: 'download',
    kind: 'export',
    title: '导出P2P证书',
    body: 'json',
    log: [...FILTERS, 'format', 'columns', 'reason'],
    input: exportInput,
    result: z.null(),
  },
  /** Exports full UIDs for production. No file contains keys. */
  exportPlain: {
    method: 'POST',
    path: '/api/v1/license/cert/export/plain',
    access: 'LicenseManage:Certificate:plain',
    stream: 'download',
    kind: 'export',
    title: '导出P2P证书明文',
    body: 'json',
    log: [...FILTERS, 'format', 'columns', 'reason'],
    input: exportInput,
    result: z.null(),
  },
  batches: {
    method: 'GET',
    path: '/api/v1/license/batch/page',
    access: 'LicenseManage:Certificate:list',
    input: LicenseBatchQuery,
    result: createPageSchema(LicenseBatchRow),
  },
  thresholds: {
    method: 'GET',
    path: '/api/v1/license/threshold',
    access: 'LicenseManage:Certificate:threshold',
    input: z.object({}),
    result: z.object({ list: z.array(ThresholdRow) }),
  },
  saveThreshold: {
    method: 'PUT',
    path: '/api/v1/license/threshold',
    access: 'LicenseManage:Certificate:threshold',
    allTenants: true,
    title: '设置证书库存预警',
    kind: 'edit',
    body: 'json',
    input: z.object({ vendor, threshold: whole('预警数量', 0, 10_000_000) }),
    result: z.null(),
    done: '保存成功',
  },
  /** Low-stock threshold of a tenant; without a value, a percentage of the received certificates applies. */
  saveTenantThreshold: {
    method: 'PUT',
    path: '/api/v1/license/threshold/tenant',
    access: 'LicenseManage:Certificate:threshold',
    title: '设置客户证书库存预警',
    kind: 'edit',
    body: 'json',
    input: z.object({
      tenantId: reference('客户'),
      threshold: optional(whole('预警数量', 0, 10_000_000)).meta({ title: '预警数量' }),
    }),
    result: z.null(),
    done: '保存成功',
  },
} as const satisfies Contract

/** Options of the filters and forms of the three licence screens, within the caller's scope. */
export const licenseOptions = {
  /** `stock` 1: only options that have certificates in stock. */
  batches: declareOptions('/api/v1/license/options/batch', 'LicenseManage:Certificate:list', {
    row: { vendor: z.int(), stock: z.int() },
    asked: { stock: optional(choice('有库存', { 0: '全部', 1: '有库存' })) },
  }),
  types: {
    method: 'GET',
    path: '/api/v1/license/options/type',
    access: 'session',
    input: z.object({}),
    result: z.object({ list: z.array(z.string()) }),
  },
} as const satisfies Contract
