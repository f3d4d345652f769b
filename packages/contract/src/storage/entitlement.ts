import * as z from 'zod'
import type { Contract } from '../core/endpoint.ts'
import { choice, id, ids, note, optional, reference, search, text, textLine, whole } from '../core/fields.ts'
import { edge, createPageSchema, sortedPage, timeRange } from '../core/page.ts'
import { BatchReport, exportQuery } from '../core/transfer.ts'
import { copyAmount as amount } from '../core/package-fields.ts'
import { Interval, OpeningPlan } from './opening-plan.ts'
import { PERIOD_TYPE, RECORDING_TYPE } from './package.ts'

export const ENTITLEMENT_STATE = {
  0: '待生效',
  1: '使用中',
  2: '已过期',
  3: '已暂停',
  4: '已取消',
  5: '已转移',
} as const
export const ENTITLEMENT_SOURCE = { 1: '购买', 2: '赠送', 3: '卡密', 4: '试用', 5: '转移' } as const
/** Sources that staff choose; a trial package always has source 4. */
export const OPEN_SOURCE = { 1: '购买', 2: '赠送' } as const
export const EFFECT_MODE = {
  1: '排到队尾',
  2: '立即生效（当前套餐剩余时间顺延）',
  3: '覆盖当前套餐（剩余时间作废）',
} as const
/** State of the cloud storage of one channel. */
export const SERVICE_STATE = { 1: '使用中', 2: '已暂停', 3: '已过期（录像保留中）', 4: '已过期（录像已清除）' } as const
export const LEDGER_KIND = {
  1: '发放',
  2: '使用',
  3: '退还',
  4: '作废',
  5: '转出',
  6: '转入',
  7: '按日历折算',
} as const
/** Changes that the statistics count per day. */
export const ENTITLEMENT_FLOW = { 1: '开通', 2: '续期', 3: '到期', 4: '取消', 9: '开通或续期' } as const
/** Filter by the recordings of the channel of an entitlement. */
export const CHANNEL_VIDEO_STATE = { 1: '有未过保存期的录像', 2: '今日有上传' } as const
export const MAX_WAITING = 50
export const MAX_YEARS = 10
const MAX_DEVICES = 1000
const MAX_COPIES = 36

const reason = text('原因', 200)
const serial = textLine('序列号', 64)
const channel = whole('通道', 0, 63)
const list = <T extends z.ZodType>(title: string, item: T, max: number) =>
  z
    .preprocess(
      (value) => (value === undefined || Array.isArray(value) ? value : [value]),
      z.array(item, `请输入${title}`).min(1, `请输入${title}`).max(max, `一次最多${max}个${title}`),
    )
    .meta({ title })
const copies = whole('份数', 1, MAX_COPIES).default(1).meta({ title: '份数' })
const source = choice('来源', OPEN_SOURCE).default(2).meta({ title: '来源', labels: OPEN_SOURCE })

export const OpenInput = z.object({
  sns: list('序列号', serial, MAX_DEVICES),
  channels: list('通道', channel, 64).default([0]).meta({ title: '通道' }),
  packageId: reference('云存套餐'),
  copies,
  effectMode: choice('生效方式', EFFECT_MODE).default(1).meta({ title: '生效方式', labels: EFFECT_MODE }),
  source,
  amount,
  reason,
})
const PlanInput = OpenInput.extend({ reason: note('原因', 200) })
export const RenewInput = z.object({ ids: ids(MAX_DEVICES), copies, source, amount, reason })
const Batch = z.object({ ids: ids(MAX_DEVICES), reason })
/** One entitlement and the device that receives its remaining time. Without `targetChannel` the channel stays the same. */
export const TransferItem = z.object({
  id,
  targetSn: textLine('目标设备序列号', 64),
  targetChannel: optional(whole('目标通道', 0, 63)).meta({ title: '目标通道' }),
})
export const TransferInput = z.object({
  items: z
    .array(TransferItem, '请选择数据')
    .min(1, '请选择数据')
    .max(MAX_DEVICES, `一次最多选择${MAX_DEVICES}条数据`)
    .refine((items) => new Set(items.map((item) => item.id)).size === items.length, '同一条开通记录不能重复')
    .meta({ title: '目标设备' }),
  reason,
})

export const EntitlementRow = z.object({
  id: z.int().meta({ title: '编号' }),
  entNo: z.string().meta({ title: '开通单号' }),
  deviceId: z.int(),
  sn: z.string().meta({ title: '序列号' }),
  channel: z.int().meta({ title: '通道' }),
  modelName: z.string().meta({ title: '设备型号' }),
  tenantId: z.int(),
  tenantName: z.string().meta({ title: '客户' }),
  packageId: z.int(),
  packageName: z.string().meta({ title: '套餐' }),
  packageCode: z.string().meta({ title: '套餐编码' }),
  recordType: z.int().meta({ title: '录像类型', labels: RECORDING_TYPE }),
  storageDays: z.int().meta({ title: '保存天数' }),
  periodType: z.int().meta({ title: '有效期单位', labels: PERIOD_TYPE }),
  periodCount: z.int(),
  period: z.string().meta({ title: '有效期' }),
  source: z.int().meta({ title: '来源', labels: ENTITLEMENT_SOURCE }),
  state: z.int().meta({ title: '状态', labels: ENTITLEMENT_STATE }),
  startTime: z.string().nullable().meta({ title: '开始时间' }),
  endTime: z.string().nullable().meta({ title: '到期时间' }),
  leftSeconds: z.int().nullable().meta({ title: '剩余时长' }),
  usedSeconds: z.int().meta({ title: '已使用' }),
  amount: z.int().meta({ title: '金额', unit: 'fen' }),
  reason: z.string().meta({ title: '原因' }),
  createName: z.string().meta({ title: '操作人' }),
  createTime: z.string().meta({ title: '开通时间' }),
})
export type EntitlementRow = z.output<typeof EntitlementRow>
/**
 * An entitlement of the list. `usedBytes` are the kept videos that were recorded under the entitlement. Only the current
 * or last entitlement of a channel has the last upload.
 */
export const EntitlementListRow = EntitlementRow.extend({
  usedBytes: z.number().nullable().meta({ title: '已用空间' }),
  uploadTime: z.string().nullable().meta({ title: '最近上传' }),
})
export type EntitlementListRow = z.output<typeof EntitlementListRow>

const EntitlementQuery = sortedPage(['createTime', 'startTime', 'endTime']).extend({
  sn: search('序列号', 64),
  /** Full number. */
  entNo: search('开通单号', 20),
  tenantId: optional(id).meta({ title: '客户' }),
  packageId: optional(id).meta({ title: '套餐' }),
  source: optional(choice('来源', ENTITLEMENT_SOURCE)),
  state: optional(choice('状态', ENTITLEMENT_STATE)),
  recordType: optional(choice('录像类型', RECORDING_TYPE)),
  serviceState: optional(choice('服务状态', SERVICE_STATE)),
  endBegin: edge('到期时间'),
  endEnd: edge('到期时间'),
  /** Entitlements that are the last of a queue in force that ends within these days. */
  queueEndBegin: edge('服务到期'),
  queueEndEnd: edge('服务到期'),
  /** Entitlements with this entry in the ledger within these days. `tenantId` is then the tenant of the entry. */
  flow: optional(choice('变动', ENTITLEMENT_FLOW)).meta({ title: '变动', labels: ENTITLEMENT_FLOW }),
  flowBegin: edge('变动日期'),
  flowEnd: edge('变动日期'),
  /**
   * Selects the newest entitlement of each channel whose recordings have this state. The statistics sum the bytes of the
   * same channels.
   */
  videos: optional(choice('录像', CHANNEL_VIDEO_STATE)).meta({ title: '录像', labels: CHANNEL_VIDEO_STATE }),
  ...timeRange,
})

const ChannelQueue = z.object({
  channel: z.int(),
  serviceState: z.int().meta({ title: '服务状态', labels: SERVICE_STATE }),
  endTime: z.string().nullable(),
  past: z.array(Interval),
  planned: z.array(Interval),
  entitlements: z.array(EntitlementRow),
})
export const DeviceQueue = z.object({
  sn: z.string(),
  deviceId: z.int(),
  modelName: z.string(),
  tenantName: z.string(),
  /** Channels that the model records to cloud storage. */
  cloudChannels: z.int(),
  now: z.string(),
  channels: z.array(ChannelQueue),
})
export type DeviceQueue = z.output<typeof DeviceQueue>
export type ChannelQueue = z.output<typeof ChannelQueue>

export const LedgerRow = z.object({
  id: z.int(),
  kind: z.int().meta({ title: '类型', labels: LEDGER_KIND }),
  seconds: z.int().meta({ title: '时长' }),
  amount: z.int().meta({ title: '金额', unit: 'fen' }),
  balance: z.int().meta({ title: '剩余' }),
  operName: z.string().meta({ title: '操作人' }),
  reason: z.string().meta({ title: '原因' }),
  atTime: z.string().meta({ title: '时间' }),
})
export type LedgerRow = z.output<typeof LedgerRow>

const stepOf = (step: string, action: string, title: string, done: string) =>
  ({
    method: 'POST',
    path: `/api/v1/oss/device/${step}`,
    access: `ossManage:deviceList:${action}`,
    title,
    kind: 'edit',
    body: 'json',
    input: Batch,
    result: BatchReport,
    done,
  }) as const

/** Entitlements of devices to cloud storage (`/ossManage/deviceList`). */
export const storageEntitlements = {
  list: {
    method: 'GET',
    path: '/api/v1/oss/device/page',
    access: 'ossManage:deviceList:list',
    input: EntitlementQuery,
    result: createPageSchema(EntitlementListRow),
  },
  get: {
    method: 'GET',
    path: '/api/v1/oss/device/detail/:id',
    access: 'ossManage:deviceList:query',
    input: z.object({ id }),
    result: z.object({ row: EntitlementRow, ledger: z.array(LedgerRow) }),
  },
  /** The queues of a device: past, planned, and all entitlements of each channel. */
  queue: {
    method: 'GET',
    path: '/api/v1/oss/device/queue',
    access: 'ossManage:deviceList:query',
    input: z.object({ sn: serial }),
    result: DeviceQueue,
  },
  /** Computes what `open` would do, and changes nothing. */
  plan: {
    method: 'POST',
    path: '/api/v1/oss/device/open/plan',
    access: 'ossManage:deviceList:open',
    log: false,
    body: 'json',
    input: PlanInput,
    result: OpeningPlan,
  },
  open: {
    method: 'POST',
    path: '/api/v1/oss/device/open',
    access: 'ossManage:deviceList:open',
    title: '开通云存储',
    kind: 'add',
    body: 'json',
    input: OpenInput,
    result: BatchReport,
    done: '开通成功',
  },
  renew: {
    method: 'POST',
    path: '/api/v1/oss/device/renew',
    access: 'ossManage:deviceList:renew',
    title: '续期云存储',
    kind: 'add',
    body: 'json',
    input: RenewInput,
    result: BatchReport,
    done: '已续期',
  },
  suspend: stepOf('suspend', 'suspend', '暂停云存储', '已暂停'),
  resume: stepOf('resume', 'suspend', '恢复云存储', '已恢复'),
  cancel: stepOf('cancel', 'cancel', '取消云存储', '已取消'),
  /** Moves the remaining time of entitlements to other devices of the same tenants. */
  transfer: {
    method: 'POST',
    path: '/api/v1/oss/device/transfer',
    access: 'ossManage:deviceList:transfer',
    title: '转移云存储',
    kind: 'edit',
    body: 'json',
    input: TransferInput,
    result: BatchReport,
    done: '转移成功',
  },
  export: {
    method: 'GET',
    path: '/api/v1/oss/device/export',
    access: 'ossManage:deviceList:export',
    stream: 'download',
    title: '导出云存开通记录',
    kind: 'export',
    input: EntitlementQuery.omit({ pageNum: true, pageSize: true }).extend(exportQuery.shape),
    result: z.null(),
  },
} as const satisfies Contract
