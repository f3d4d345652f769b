import * as z from 'zod'
import type { Contract } from '../../core/endpoint.ts'
import { id, note, optional, rev, text, textLine } from '../../core/fields.ts'
import { MAX_PARAM_LENGTH, findParam } from './param-list.ts'

const tenantId = optional(id).meta({ title: '所属客户' })
const code = textLine('参数编码', 100)
  .refine((value) => findParam(value) !== undefined, '没有这个参数')
  .meta({ title: '参数编码' })
const reason = text('查看原因', 200)

/** Source of the value in force. */
export const PARAM_SOURCE = { 1: '自有', 2: '平台', 3: '默认' } as const

export const ParamRow = z.object({
  code: z.string().meta({ title: '参数编码' }),
  title: z.string().meta({ title: '说明' }),
  /** Value in force. Secrets are masked, except their last four characters. */
  value: z.string().meta({ title: '参数值' }),
  source: z.int().meta({ title: '来源', labels: PARAM_SOURCE }),
  /** Value of the platform; null: none. Secrets are masked. */
  platformValue: z.string().nullable().meta({ title: '平台值' }),
  remark: z.string().meta({ title: '备注' }),
  updateTime: z.string().nullable().meta({ title: '更新时间', format: 'date-time' }),
  /** Revision of the own value; 0 while there is none. */
  rev: z.int(),
})
export type ParamRow = z.output<typeof ParamRow>

export const ParamSettings = z.object({
  tenantId: z.int(),
  tenantName: z.string().meta({ title: '客户名称' }),
  isPlatform: z.boolean(),
  /** Time until which the replaced secret of the voice server is accepted; null when no replaced secret is accepted. */
  previousSecretUntil: z.string().nullable().meta({ title: '旧密钥有效期至', format: 'date-time' }),
  list: z.array(ParamRow),
})
export type ParamSettings = z.output<typeof ParamSettings>

export const ParamInput = z.object({
  code,
  value: z
    .string('请输入参数值')
    .max(MAX_PARAM_LENGTH, `不能超过${MAX_PARAM_LENGTH}个字符`)
    .meta({ title: '参数值', max: MAX_PARAM_LENGTH }),
  remark: note('备注', 200),
})

export const SERVER_ACTION = { update_config: '重新读取配置', restart: '重启' } as const
export type VoiceServerAction = keyof typeof SERVER_ACTION
export const RevealInput = z.object({ code, tenantId, reason })

const ServerContact = z.object({
  address: z.string().meta({ title: '来源地址' }),
  client: z.string().meta({ title: '客户端' }),
  firstTime: z.string().meta({ title: '首次调用', format: 'date-time' }),
  lastTime: z.string().meta({ title: '最近调用', format: 'date-time' }),
  baseTime: z.string().nullable().meta({ title: '最近读取配置', format: 'date-time' }),
  /** Number of open conversations of devices that got their configuration through this voice server. */
  sessions: z.int().meta({ title: '进行中的会话' }),
})
export const VoiceServerOverview = z.object({
  /** Addresses of the tenant's voice servers; without own addresses, those of the platform. */
  addresses: z.array(z.string()),
  /** True when the servers at the addresses accept this tenant's secret. */
  mayAct: z.boolean(),
  openSessions: z.int().meta({ title: '进行中的会话' }),
  contacts: z.array(ServerContact),
})
export type VoiceServerOverview = z.output<typeof VoiceServerOverview>

/** Parameters of voice servers and agents (`/agent/params`). `tenantId` defaults to the tenant of the session. */
export const agentParams = {
  get: {
    method: 'GET',
    path: '/api/v1/agent/params',
    access: 'agent:params:list',
    input: z.object({ tenantId }),
    result: ParamSettings,
  },
  update: {
    method: 'PUT',
    path: '/api/v1/agent/params',
    access: 'agent:params:edit',
    title: '修改语音参数',
    log: ['code', 'tenantId', 'remark'],
    input: ParamInput.extend({ tenantId, rev }),
    result: z.object({ rev: z.int() }),
    done: '已保存，设备下次连接时生效',
  },
  /** Deletes the own value. */
  reset: {
    method: 'DELETE',
    path: '/api/v1/agent/params',
    access: 'agent:params:remove',
    title: '恢复语音参数默认值',
    kind: 'edit',
    input: z.object({ code, tenantId }),
    result: z.null(),
    done: '已恢复默认值',
  },
  /** Returns a secret once. The operation log records the account and the reason. */
  reveal: {
    method: 'POST',
    path: '/api/v1/agent/params/reveal',
    revealsSecret: true,
    access: 'agent:params:plain',
    title: '查看语音参数密钥',
    kind: 'other',
    perMinute: 30,
    input: RevealInput,
    result: z.object({ value: z.string() }),
  },
  /** Creates a new secret of the voice server. The replaced secret stays valid for some days. */
  renewSecret: {
    method: 'POST',
    path: '/api/v1/agent/params/secret',
    access: 'agent:params:edit',
    title: '更换语音服务密钥',
    kind: 'edit',
    input: z.object({ tenantId }),
    result: z.null(),
    done: '已更换，请尽快更新语音服务的配置',
  },
  /** Invalidates the replaced secret at once. */
  endPreviousSecret: {
    method: 'DELETE',
    path: '/api/v1/agent/params/secret',
    access: 'agent:params:edit',
    title: '停用旧的语音服务密钥',
    kind: 'edit',
    input: z.object({ tenantId }),
    result: z.null(),
    done: '旧密钥已停用',
  },
  servers: {
    method: 'GET',
    path: '/api/v1/agent/params/servers',
    access: 'agent:params:query',
    input: z.object({ tenantId }),
    result: VoiceServerOverview,
  },
  /** Tests the connection to each address of `server.websocket`. */
  reach: {
    method: 'GET',
    path: '/api/v1/agent/params/servers/reach',
    access: 'agent:params:query',
    perMinute: 60,
    input: z.object({ tenantId }),
    result: z.object({
      list: z.array(
        z.object({ address: z.string(), isReachable: z.boolean(), words: z.string().meta({ title: '结果' }) }),
      ),
    }),
  },
  /** Requests a voice server to read its configuration again or to restart. */
  act: {
    method: 'POST',
    path: '/api/v1/agent/params/servers/action',
    access: 'agent:params:action',
    title: '语音服务操作',
    kind: 'other',
    perMinute: 10,
    input: z.object({
      address: text('地址', 500),
      action: z.enum(['update_config', 'restart'], '操作不正确').meta({ title: '操作', labels: SERVER_ACTION }),
      tenantId,
    }),
    result: z.object({ words: z.string() }),
  },
} as const satisfies Contract
