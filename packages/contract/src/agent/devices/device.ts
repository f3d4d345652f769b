import * as z from 'zod'
import type { Contract } from '../../core/endpoint.ts'
import { choice, id, ids, note, noteLine, optional, reference, rev, search } from '../../core/fields.ts'
import { normalizeCode } from '../../core/normalize-line.ts'
import { declareOptions } from '../../core/options.ts'
import { createPageSchema, sortedPage } from '../../core/page.ts'
import { BatchReport, exportQuery, importReport } from '../../core/transfer.ts'
import { limitTable } from '../../core/upload.ts'
import { mac, SN_PATTERN } from '../../device/device-fields.ts'
import { AGENT_EVENT } from './device-event.ts'
import { DeviceLimit, LIMIT_STATE } from '../usage/usage-limit.ts'

/** State of a voice device. 静默: no boot and no conversation for 24 hours. */
export const AGENT_DEVICE_STATE = { 0: '从未启动', 1: '已启动', 2: '对话中', 3: '静默' } as const
export const AUTO_UPDATE = { 0: '关闭', 1: '自动' } as const
/** State of the package that a voice device uses now or next. 冻结: a refund is undecided. */
export const DEVICE_PACKAGE_STATE = { 0: '无套餐', 1: '使用中', 2: '待激活', 3: '冻结' } as const
export const DEVICE_PACKAGE_STATE_CODE = { none: 0, running: 1, waiting: 2, frozen: 3 } as const
/** Whether the MQTT gateway holds a connection of the device. */
export const GATEWAY_CONNECTION = { 0: '离线', 1: '在线' } as const
export const IDENTITY_STATE = { 0: '一致', 1: '不一致' } as const
/** Maximum devices per batch. */
export const MAX_BATCH = 500
const MAX_BIND_ROWS = 20_000

const agentId = reference('智能体')
const alias = note('名称', 64)

export const BindInput = z.object({
  agentId,
  code: z
    .string('请输入验证码')
    .overwrite(normalizeCode)
    .regex(/^\d{6}$/, '验证码为6位数字')
    .meta({ title: '验证码', max: 6 }),
  alias,
})
export const BindMacInput = z.object({ agentId, mac: mac.meta({ title: 'MAC', max: 17 }), alias })

export const AgentDeviceInput = z.object({
  alias,
  autoUpdate: choice('自动升级', AUTO_UPDATE).meta({ title: '自动升级', labels: AUTO_UPDATE }),
})
export const MoveInput = z.object({ ids: ids(MAX_BATCH).meta({ title: '设备' }), agentId })

export const AgentDeviceRow = z.object({
  /** Id of the device. */
  id: z.int(),
  sn: z.string().meta({ title: '序列号' }),
  /** The alias, else the name of the device. */
  name: z.string().meta({ title: '名称' }),
  alias: z.string().meta({ title: '名称' }),
  mac: z.string().meta({ title: 'MAC' }),
  board: z.string().meta({ title: '开发板' }),
  modelName: z.string().meta({ title: '设备型号' }),
  appVersion: z.string().meta({ title: '固件版本' }),
  agentId: z.int(),
  agentName: z.string().meta({ title: '智能体' }),
  agentCode: z.string().meta({ title: '智能体编码' }),
  tenantId: z.int(),
  tenantName: z.string().meta({ title: '客户' }),
  state: z.int().meta({ title: '状态', labels: AGENT_DEVICE_STATE }),
  bootTime: z.string().nullable().meta({ title: '最近启动' }),
  sessionTime: z.string().nullable().meta({ title: '最近领取配置' }),
  turnTime: z.string().nullable().meta({ title: '最近对话' }),
  autoUpdate: z.int().meta({ title: '自动升级', labels: AUTO_UPDATE }),
  clientId: z.string().meta({ title: 'Client-Id' }),
  /** Another Client-Id that booted with this MAC; empty without one. */
  otherClientId: z.string().meta({ title: '另一身份' }),
  otherClientTime: z.string().nullable().meta({ title: '另一身份启动时间' }),
  identity: z.int().meta({ title: '身份', labels: IDENTITY_STATE }),
  /** State of the limit. Always 0 where the parameter `usage.limit` only counts. */
  limit: z.int().meta({ title: '套餐额度', labels: LIMIT_STATE }),
  /** Package that the device uses now, else the package that begins next; empty without a package. */
  packageName: z.string().meta({ title: '套餐' }),
  packageState: z.int().meta({ title: '套餐状态', labels: DEVICE_PACKAGE_STATE }),
  /** End of the running package, or the latest begin of a waiting package; null without a package. */
  packageEnd: z.string().nullable().meta({ title: '套餐到期' }),
  status: z.int(),
  createTime: z.string().meta({ title: '绑定时间' }),
  rev: z.int(),
})
export type AgentDeviceRow = z.output<typeof AgentDeviceRow>

/** Steps from the boot to the first conversation, in their order. */
export const DIAGNOSIS_STEP = {
  boot: '设备启动',
  code: '下发验证码',
  bound: '绑定智能体',
  token: '下发连接令牌',
  configured: '语音服务领取配置',
  /** Present only while the limit of packages stops the device. */
  limit: '套餐额度',
  turn: '对话',
  ended: '会话结束',
} as const
export const DIAGNOSIS_STEP_STATE = { 0: '缺失', 1: '完成', 2: '未到' } as const

const Step = z.object({
  key: z.enum(Object.keys(DIAGNOSIS_STEP) as [keyof typeof DIAGNOSIS_STEP]),
  state: z.int().meta({ title: '状态', labels: DIAGNOSIS_STEP_STATE }),
  time: z.string().nullable().meta({ title: '时间' }),
  /** Result of a completed step, or advice for a missing step. */
  words: z.string().meta({ title: '说明' }),
})
export const Diagnosis = z.object({
  mac: z.string().meta({ title: 'MAC' }),
  /** Name of the first missing step; empty when the device talks. */
  missing: z.string().meta({ title: '缺失步骤' }),
  steps: z.array(Step),
  /** Null for an unbound device. */
  limit: DeviceLimit.nullable(),
  events: z.array(
    z.object({
      id: z.int(),
      kind: z.int().meta({ title: '事件', labels: AGENT_EVENT }),
      detail: z.string().meta({ title: '内容' }),
      createTime: z.string().meta({ title: '时间' }),
    }),
  ),
})

const filters = {
  /** The row of one device, for the device page. */
  deviceId: optional(id).meta({ title: '设备' }),
  name: search('名称', 64),
  mac: search('MAC', 17),
  board: search('开发板', 50),
  agentId: optional(id).meta({ title: '智能体' }),
  tenantId: optional(id).meta({ title: '客户' }),
  state: optional(choice('状态', AGENT_DEVICE_STATE)).meta({ title: '状态', labels: AGENT_DEVICE_STATE }),
  identity: optional(choice('身份', IDENTITY_STATE)).meta({ title: '身份', labels: IDENTITY_STATE }),
  packageState: optional(choice('套餐状态', DEVICE_PACKAGE_STATE)),
  /** Filter by state of the limit. Devices of tenants whose `usage.limit` only counts have the state 正常. */
  limit: optional(choice('套餐额度', LIMIT_STATE)),
}
const query = sortedPage(['createTime', 'bootTime', 'turnTime']).extend(filters)
const one = z.object({ id })
const Bound = z.object({ id: z.int(), sn: z.string() })

/** Columns of the import file that binds devices. */
export const BindLine = z.object({
  mac: mac.meta({ title: 'MAC', max: 17 }),
  agentCode: noteLine('智能体编码', 36).refine((code) => code !== '', '请输入智能体编码'),
  alias,
  serial: noteLine('序列号', 64)
    .refine((sn) => sn === '' || SN_PATTERN.test(sn), '序列号只能包含字母、数字和 . _ : -')
    .meta({ title: '序列号', max: 64 }),
  /** HMAC key in the chip, with which the device proves its identity at activation. */
  hmacKey: noteLine('HMAC 密钥', 64)
    .refine((key) => /^([0-9a-fA-F]{64})?$/.test(key), 'HMAC 密钥应为64位十六进制')
    .meta({ title: 'HMAC 密钥', max: 64 }),
})

/** Voice devices (`/agent/device`). */
export const agentDevices = {
  list: {
    method: 'GET',
    path: '/api/v1/agent/device/page',
    access: 'agent:device:list',
    input: query,
    result: createPageSchema(AgentDeviceRow),
  },
  get: {
    method: 'GET',
    path: '/api/v1/agent/device/detail/:id',
    access: 'agent:device:query',
    input: one,
    result: AgentDeviceRow,
  },
  /**
   * Returns what the MQTT gateway says about the connections of devices. Devices without a gateway are absent, and all
   * devices of a gateway that does not respond in time.
   */
  connections: {
    method: 'GET',
    path: '/api/v1/agent/device/connection',
    access: 'agent:device:list',
    input: z.object({ ids: ids(200).meta({ title: '设备' }) }),
    result: z.object({
      list: z.array(
        z.object({ id: z.int(), connection: z.int().meta({ title: '网关连接', labels: GATEWAY_CONNECTION }) }),
      ),
    }),
  },
  /** Returns the parameter `server.ota` of the tenant; empty: the address of the console. */
  otaAddress: {
    method: 'GET',
    path: '/api/v1/agent/device/otaAddress',
    access: 'agent:device:list',
    input: z.object({}),
    result: z.object({ address: z.string().meta({ title: 'OTA 地址' }) }),
  },
  /** Returns the diagnosis steps of a device by its MAC, also of an unbound device. */
  diagnose: {
    method: 'GET',
    path: '/api/v1/agent/device/diagnosis',
    access: 'agent:device:query',
    input: z.object({ mac: mac.meta({ title: 'MAC', max: 17 }) }),
    result: Diagnosis,
  },
  agents: declareOptions('/api/v1/agent/device/options/agent', 'agent:device:list', {
    row: { tenantName: z.string() },
  }),
  bind: {
    method: 'POST',
    path: '/api/v1/agent/device/bind',
    access: 'agent:device:bind',
    title: '按验证码绑定设备',
    kind: 'add',
    body: 'json',
    input: BindInput,
    result: Bound,
    done: '绑定成功，设备几秒内自动上线',
  },
  bindMac: {
    method: 'POST',
    path: '/api/v1/agent/device/bindMac',
    access: 'agent:device:bind',
    title: '按MAC绑定设备',
    kind: 'add',
    body: 'json',
    input: BindMacInput,
    result: Bound,
    done: '绑定成功，设备启动后生效',
  },
  unbind: {
    method: 'POST',
    path: '/api/v1/agent/device/unbind',
    access: 'agent:device:unbind',
    title: '解绑设备',
    kind: 'edit',
    body: 'json',
    input: z.object({ ids: ids(MAX_BATCH).meta({ title: '设备' }) }),
    result: BatchReport,
    done: '已解绑',
  },
  update: {
    method: 'PUT',
    path: '/api/v1/agent/device',
    access: 'agent:device:edit',
    title: '修改语音设备',
    body: 'json',
    input: AgentDeviceInput.extend({ id, rev }),
    result: z.object({ rev: z.int() }),
    done: '修改成功',
  },
  move: {
    method: 'POST',
    path: '/api/v1/agent/device/move',
    access: 'agent:device:move',
    title: '更换智能体',
    kind: 'edit',
    body: 'json',
    input: MoveInput,
    result: BatchReport,
    done: '已更换智能体，下次连接时生效',
  },
  /** Accepts the recorded Client-Id. Without a recorded Client-Id, accepts the Client-Id of the next boot. */
  reset: {
    method: 'POST',
    path: '/api/v1/agent/device/reset/:id',
    access: 'agent:device:reset',
    title: '重置设备身份',
    kind: 'edit',
    /** `otherClientId`: the recorded Client-Id that the caller saw. */
    input: one.extend({ otherClientId: z.string().max(64).optional().meta({ title: '另一身份' }) }),
    result: z.null(),
    done: '身份已重置',
  },
  export: {
    method: 'POST',
    path: '/api/v1/agent/device/export',
    access: 'agent:device:export',
    stream: 'download',
    kind: 'export',
    title: '导出语音设备',
    body: 'json',
    input: query.omit({ pageNum: true, pageSize: true }).extend(exportQuery.shape),
    result: z.null(),
  },
  template: {
    method: 'GET',
    path: '/api/v1/agent/device/template',
    access: 'agent:device:import',
    stream: 'download',
    input: z.object({}),
    result: z.null(),
  },
  import: {
    method: 'POST',
    path: '/api/v1/agent/device/import',
    access: 'agent:device:import',
    title: '导入绑定',
    body: 'multipart',
    file: limitTable(MAX_BIND_ROWS),
    input: z.object({ dryRun: z.enum(['0', '1']).default('0') }),
    result: z.union([importReport, z.object({ jobId: z.int() })]),
  },
} as const satisfies Contract
