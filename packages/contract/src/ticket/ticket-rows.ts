import * as z from 'zod'
import type { UploadRule } from '../core/upload.ts'
import { IMAGE_EXTENSIONS, DOCUMENT_EXTENSIONS, UPLOAD } from '../core/upload.ts'

/** 0 is the initial state and cannot be chosen. */
export const FEEDBACK_STATUS = { 0: '待处理', 1: '分析中', 2: '修改中', 3: '验证中', 4: '已挂起', 5: '已关闭' } as const
/** Meaning of each status, equal to the colours of the dictionary `feedback_status`. */
export const FEEDBACK_TONE = { 0: 'warn', 1: 'busy', 2: 'busy', 3: 'warn', 4: 'none', 5: 'good' } as const
/** States of a ticket that a handler can choose. */
export const TICKET_HANDLING_STATUS = { 1: '分析中', 2: '修改中', 3: '验证中', 4: '已挂起', 5: '已关闭' } as const
export const FEEDBACK_CLOSED = 5
export const FEEDBACK_SUSPENDED = 4
export const PROBLEM_TYPE = { 1: '硬件故障', 2: '软件故障', 3: '改进建议' } as const
export const FEEDBACK_PRIORITY = { 1: '低', 2: '普通', 3: '高', 4: '紧急' } as const
export const FEEDBACK_SOURCE = { 1: 'App', 2: '控制台', 3: '电话', 4: '设备上报/接口提交' } as const
export const SLA_STATE = { 0: '不计时', 1: '正常', 2: '即将超时', 3: '已超时' } as const
export const SATISFACTION = { 1: '很不满意', 2: '不满意', 3: '一般', 4: '满意', 5: '很满意' } as const

export const FEEDBACK_MESSAGES = {
  clash: '该工单已被他人处理，请刷新后重试',
  handler: '请选择处理人员',
  status: '请选择处理状态',
  malformed: '链接中的工单信息不正确，无法打开工单',
} as const

/** Options of the three checklists, from their dictionaries. */
export const PROBLEM_OPTIONS = {
  hardware: ['1', '2', '3', '4', '5', '6', '7', '8', '9', '99'],
  software: ['1', '2', '3', '4', '99'],
  structure: ['1', '2', '3', '4', '5', '99'],
} as const
export const PROBLEM_PARTS = ['hardware', 'software', 'structure'] as const
export type ProblemPart = (typeof PROBLEM_PARTS)[number]
export const PROBLEM_PART = { hardware: '硬件问题', software: '软件问题', structure: '结构问题' } as const
export const PROBLEM_DICT = {
  hardware: 'feedback_hardware',
  software: 'feedback_software',
  structure: 'feedback_structure',
} as const satisfies Record<ProblemPart, string>

/** Selected options; numbers are converted to text and duplicates are removed. */
const ticked = <const V extends readonly [string, ...string[]]>(values: V, title: string) =>
  z
    .array(
      z.preprocess(
        (value) => (typeof value === 'number' ? String(value) : value),
        z.enum(values, `${title}选项不正确`),
      ),
      `${title}选项不正确`,
    )
    .max(50, `${title}选项不正确`)
    .default([])
    .transform((list) => [...new Set(list)])
export const ProblemAttr = z.object({
  hardware: ticked(PROBLEM_OPTIONS.hardware, '硬件问题'),
  software: ticked(PROBLEM_OPTIONS.software, '软件问题'),
  structure: ticked(PROBLEM_OPTIONS.structure, '结构问题'),
})
export type ProblemAttrValue = z.output<typeof ProblemAttr>
export const NO_PROBLEMS: ProblemAttrValue = { hardware: [], software: [], structure: [] }

export const MAX_TAGS = 10
/** Allowed attachment types of a ticket. */
export const TICKET_FILE: UploadRule = { ...UPLOAD.file, extensions: DOCUMENT_EXTENSIONS }
export const TICKET_IMAGE: UploadRule = { ...UPLOAD.image, extensions: IMAGE_EXTENSIONS }

const when = (title: string) => z.string().nullable().meta({ title })
const words = (title: string) => z.string().meta({ title })

/** Permissions that open a ticket and the tickets of a device: those of the ticket list and of the pending list. */
export const TICKET_OPENERS = ['AfterService:Questions:query', 'AfterService:PendingList:query'] as const

/** A ticket in lists. */
export const FeedbackRow = z.object({
  id: z.int(),
  feedbackNo: words('工单编号'),
  tenantId: z.int(),
  tenantName: words('所属客户'),
  account: words('反馈账号'),
  sn: words('设备序列号'),
  modelName: words('设备型号'),
  typeName: words('设备类型'),
  osVer: words('系统版本'),
  problemType: z.int().meta({ title: '问题类型', labels: PROBLEM_TYPE }),
  content: words('问题描述'),
  status: z.int().meta({ title: '处理状态', labels: FEEDBACK_STATUS }),
  handlerId: z.int().nullable(),
  handler: words('处理人员'),
  priority: z.int().meta({ title: '优先级', labels: FEEDBACK_PRIORITY }),
  source: z.int().meta({ title: '来源', labels: FEEDBACK_SOURCE }),
  tags: z.array(z.string()).meta({ title: '标签' }),
  slaState: z.int().meta({ title: '时限', labels: SLA_STATE }),
  slaRespondDue: when('首次响应时限'),
  slaSolveDue: when('解决时限'),
  firstRespondTime: when('首次响应'),
  suspendUntil: when('提醒时间'),
  closeTime: when('关闭时间'),
  reopenCount: z.int().meta({ title: '重新打开次数' }),
  satisfaction: z.int().nullable().meta({ title: '满意度', labels: SATISFACTION }),
  mergedIntoId: z.int().nullable(),
  createTime: words('提交时间'),
  updateTime: words('更新时间'),
  version: z.int(),
})

/** Copy of the device data at the time the ticket was created. */
export const TicketDeviceInfo = z.object({
  sn: words('设备序列号'),
  devName: words('设备名称'),
  modelName: words('设备型号'),
  typeName: words('设备类型'),
  osVer: words('系统版本'),
  createTime: when('设备登记时间'),
})
export const FeedbackFile = z.object({ id: z.string(), name: z.string(), url: z.string(), size: z.number() })
const Linked = z.object({ id: z.int(), feedbackNo: z.string(), status: z.int() })

/** All data of one ticket. */
export const TicketDetail = FeedbackRow.extend({
  contact: words('联系方式'),
  devInfoVo: TicketDeviceInfo,
  modelId: z.int().nullable(),
  verCode: z.int().nullable().meta({ title: '版本号' }),
  attachments: z.array(FeedbackFile).meta({ title: '附件' }),
  /** Comma-separated URLs. */
  images: words('图片'),
  imageNames: z.array(z.string()),
  problemAttr: z.object({
    hardware: z.array(z.string()),
    software: z.array(z.string()),
    structure: z.array(z.string()),
  }),
  satisfactionRemark: words('评价内容'),
  mergedInto: Linked.nullable(),
  /** Duplicate tickets merged into this ticket. */
  merged: z.array(Linked),
  /** True when the caller has the permission and the ticket is unassigned or assigned to the caller. */
  mine: z.boolean(),
  /** True when the caller made the latest change of the ticket. */
  isOwnChange: z.boolean(),
})

export const RECORD_KIND = {
  1: '创建',
  2: '处理',
  3: '认领',
  4: '分派',
  5: '合并',
  6: '优先级',
  7: '标签',
  8: '提醒',
  9: '评价',
  10: '时限',
  11: '修改',
  12: '备注',
} as const

/** One entry of the progress timeline. */
export const FeedbackRecord = z.object({
  id: z.int(),
  kind: z.int().meta({ title: '操作', labels: RECORD_KIND }),
  realname: words('操作人'),
  handler: words('处理人员'),
  status: z.int().meta({ title: '处理状态', labels: FEEDBACK_STATUS }),
  fromStatus: z.int().nullable(),
  createTime: words('时间'),
  remark: words('备注'),
  detail: words('变更'),
})

/** A device in the after-sales device list. */
export const AfterSalesDevice = z.object({
  id: z.int(),
  sn: words('设备序列号'),
  devName: words('设备名称'),
  modelName: words('设备型号'),
  typeName: words('设备类型'),
  osVer: words('系统版本'),
  verCode: z.int().nullable().meta({ title: '版本号' }),
  tenantName: words('所属客户'),
  online: z.int().meta({ title: '在线状态', labels: { 0: '离线', 1: '在线' } }),
  activateTime: when('激活时间'),
  warrantyEnd: when('保修到期'),
  ticketCount: z.int().meta({ title: '工单数' }),
  openCount: z.int().meta({ title: '未关闭' }),
  lastTicketTime: when('最近工单'),
})

/** Device data shown with a ticket. */
export const DeviceContext = z.object({
  /** False when the serial number belongs to no device, or to a device of another tenant. */
  found: z.boolean(),
  device: AfterSalesDevice.extend({
    lastOnlineTime: when('最近在线'),
    appVer: words('App 版本'),
    hwVer: words('硬件版本'),
    ip: words('IP 地址'),
    region: words('地区'),
  }).nullable(),
  versions: z.array(z.object({ verCode: z.int(), source: z.int(), createTime: z.string() })),
  upgrades: z.array(
    z.object({
      taskId: z.int(),
      verCode: z.int(),
      verName: z.string(),
      state: z.int(),
      createTime: z.string(),
      closeTime: z.string().nullable(),
    }),
  ),
  tickets: z.array(
    z.object({
      id: z.int(),
      feedbackNo: z.string(),
      status: z.int(),
      problemType: z.int(),
      content: z.string(),
      createTime: z.string(),
    }),
  ),
})

/** Result of a batch: number of rows that succeeded, and the error of every other row. */
export const FeedbackBatch = z.object({
  done: z.int(),
  failed: z.array(z.object({ id: z.int(), name: z.string(), msg: z.string() })),
})
