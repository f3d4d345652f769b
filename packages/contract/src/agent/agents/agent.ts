import * as z from 'zod'
import type { Contract } from '../../core/endpoint.ts'
import { choice, id, optional, search, textLine } from '../../core/fields.ts'
import { createPageSchema, sortedPage, timeRange } from '../../core/page.ts'
import { exportQuery } from '../../core/transfer.ts'
import { AGENT_STATUS, AgentInput, AgentUpdate, CHAT_HISTORY } from './agent-input.ts'

const time = (title: string) => z.string().nullable().meta({ title, format: 'date-time' })

export const AgentRow = z.object({
  id: z.int().meta({ title: '编号' }),
  tenantId: z.int(),
  agentName: z.string().meta({ title: '智能体名称' }),
  tenantName: z.string().meta({ title: '所属客户' }),
  agentCode: z.string().meta({ title: '智能体编码' }),
  llmName: z.string().meta({ title: '大语言模型' }),
  ttsName: z.string().meta({ title: '语音合成' }),
  voiceName: z.string().meta({ title: '音色' }),
  deviceCount: z.int().meta({ title: '设备数' }),
  turns7: z.int().meta({ title: '7日轮数' }),
  lastTalk: time('最近对话'),
  tags: z.array(z.string()).meta({ title: '标签' }),
  chatHistoryConf: z.int().meta({ title: '对话记录', labels: CHAT_HISTORY }),
  /** Reason why devices cannot talk with the agent; empty: devices can talk. */
  problem: z.string().meta({ title: '配置问题' }),
  versionNo: z.int().meta({ title: '版本' }),
  status: z.int().meta({ title: '状态', labels: AGENT_STATUS }),
  createTime: z.string().meta({ title: '创建时间', format: 'date-time' }),
  updateTime: z.string().meta({ title: '更新时间', format: 'date-time' }),
  rev: z.int(),
})
export type AgentRow = z.output<typeof AgentRow>

/** Last four characters of each secret that is set, by its path: `plugin.get_weather.api_key`. */
const secrets = z.record(z.string(), z.string())

const reference = z.int().nullable()
export const AgentDetail = AgentRow.extend({
  llmId: reference,
  vllmId: reference,
  slmId: reference,
  ttsId: reference,
  asrId: reference,
  vadId: reference,
  memId: reference,
  intentId: reference,
  voiceId: reference,
  cloneId: reference,
  ttsLanguage: z.string(),
  ttsVolume: reference,
  ttsRate: reference,
  ttsPitch: reference,
  systemPrompt: z.string(),
  memoryScope: z.int(),
  langCode: z.string(),
  language: z.string(),
  plugins: z.array(
    z.object({
      providerCode: z.string(),
      params: z.record(z.string(), z.string()),
    }),
  ),
  contextProviders: z.array(
    z.object({
      url: z.string(),
      headers: z.record(z.string(), z.string()),
    }),
  ),
  contextFacts: z.array(z.string()),
  tools: z.array(z.string()),
  wordFileIds: z.array(z.int()),
  memory: z.string(),
  secrets,
})
export type AgentDetail = z.output<typeof AgentDetail>

const AgentQuery = sortedPage(['agentName', 'createTime', 'updateTime']).extend({
  agentName: search('智能体名称', 64),
  /** Full code. */
  agentCode: search('智能体编码', 36),
  tag: search('标签', 20),
  mac: search('MAC', 17),
  tenantId: optional(id).meta({ title: '所属客户' }),
  status: optional(choice('状态', AGENT_STATUS)),
  ...timeRange,
})

const named = z.object({ id: z.int(), name: z.string() })
export const AgentChoices = z.object({
  models: z.array(named.extend({ type: z.string(), providerCode: z.string(), status: z.int() })),
  /** `replaced`: titles of the fields whose model or voice the tenant may not use; a new agent gets the default model. */
  templates: z.array(named.extend({ systemPrompt: z.string(), replaced: z.array(z.string()) })),
  wordFiles: z.array(named),
  plugins: z.array(
    z.object({
      code: z.string(),
      name: z.string(),
      fields: z.array(
        z.object({ key: z.string(), label: z.string(), type: z.string(), default: z.string(), secret: z.boolean() }),
      ),
    }),
  ),
  /** Whether the parameter `features` of the tenant permits knowledge bases, and tools over MCP. */
  features: z.object({ knowledge: z.boolean(), mcp: z.boolean() }),
})
export type AgentChoices = z.output<typeof AgentChoices>

const byId = z.object({ id })
const ROOT = '/api/v1/agent/list'

/** Agents (`/agent/agent`). */
export const agents = {
  list: {
    method: 'GET',
    path: `${ROOT}/page`,
    access: 'agent:agent:list',
    input: AgentQuery,
    result: createPageSchema(AgentRow),
  },
  export: {
    method: 'GET',
    path: `${ROOT}/export`,
    access: 'agent:agent:export',
    stream: 'download',
    title: '导出智能体',
    kind: 'export',
    input: AgentQuery.omit({ pageNum: true, pageSize: true }).extend(exportQuery.shape),
    result: z.null(),
  },
  /** Models, templates, word files and plugins that an agent of the tenant may use. */
  choices: {
    method: 'GET',
    path: `${ROOT}/choices`,
    access: 'agent:agent:list',
    input: z.object({ tenantId: optional(id).meta({ title: '所属客户' }) }),
    result: AgentChoices,
  },
  /** Voices and finished clones of a text-to-speech model. */
  voices: {
    method: 'GET',
    path: `${ROOT}/voices`,
    access: 'agent:agent:list',
    input: z.object({ modelId: id, tenantId: optional(id).meta({ title: '所属客户' }) }),
    result: z.object({
      voices: z.array(named.extend({ languages: z.string(), status: z.int() })),
      clones: z.array(named),
    }),
  },
  /** Devices of the agent, searched by a part of their name, serial number or MAC. */
  devices: {
    method: 'GET',
    path: `${ROOT}/devices/:id`,
    access: 'agent:agent:query',
    input: z.object({ id, keyword: search('设备', 64) }),
    result: z.object({ list: z.array(named) }),
  },
  get: { method: 'GET', path: `${ROOT}/:id`, access: 'agent:agent:query', input: byId, result: AgentDetail },
  /** Returns the address at which a tool provider attaches tools to the agent, and the tools that are attached now. */
  accessPoint: {
    method: 'POST',
    path: `${ROOT}/accessPoint/:id`,
    access: 'agent:agent:edit',
    title: '查看MCP接入点',
    kind: 'other',
    input: byId,
    result: z.object({
      /** Address of the access point. Empty when the parameter `server.mcp_endpoint` is not set. */
      address: z.string(),
      tools: z.array(z.object({ name: z.string(), description: z.string() })),
      /** Reason why the tools cannot be listed. Empty when the tools are listed. */
      problem: z.string(),
    }),
  },
  create: {
    method: 'POST',
    path: ROOT,
    access: 'agent:agent:add',
    title: '新增智能体',
    input: z.object({
      agentName: AgentInput.shape.agentName,
      /** Defaults to the usable template with the lowest sort. */
      templateId: optional(id).meta({ title: '模板' }),
      tenantId: optional(id).meta({ title: '所属客户' }),
    }),
    result: z.object({ id: z.int() }),
    done: '新增成功',
  },
  update: {
    method: 'PUT',
    path: ROOT,
    access: 'agent:agent:edit',
    title: '修改智能体',
    body: 'json',
    log: ['id', 'rev', 'note'],
    input: AgentUpdate,
    result: z.object({ rev: z.int(), versionNo: z.int() }),
    done: '已保存，设备下次连接时生效',
  },
  /** Deletes an agent and unbinds its devices. The typed name confirms the deletion. */
  remove: {
    method: 'DELETE',
    path: `${ROOT}/:id`,
    access: 'agent:agent:remove',
    title: '删除智能体',
    input: byId.extend({ agentName: textLine('智能体名称', 64) }),
    result: z.null(),
    done: '删除成功',
  },
  enable: {
    method: 'POST',
    path: `${ROOT}/enable/:id`,
    access: 'agent:agent:enable',
    title: '启用智能体',
    kind: 'edit',
    input: byId,
    result: z.null(),
    done: '已启用',
  },
  disable: {
    method: 'POST',
    path: `${ROOT}/disable/:id`,
    access: 'agent:agent:enable',
    title: '停用智能体',
    kind: 'edit',
    input: byId,
    result: z.null(),
    done: '已停用',
  },
} as const satisfies Contract
