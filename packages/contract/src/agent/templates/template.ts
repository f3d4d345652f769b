import * as z from 'zod'
import type { Contract } from '../../core/endpoint.ts'
import { choice, id, optional, reference, rev, search, textLine, whole } from '../../core/fields.ts'
import { createPageSchema, sortedPage } from '../../core/page.ts'
import { declareOptions } from '../../core/options.ts'
import { recordColumns } from '../../core/record-calls.ts'
import { declareSwitches } from '../../core/switches.ts'
import { agents } from '../agents/agent.ts'
import { behaviourFields } from '../agents/agent-input.ts'

export const TEMPLATE_STATUS = { 1: '启用', 0: '停用' } as const

/**
 * Fields of templates. Templates contain no secrets, so they have no context sources. Facts, tools and word files
 * belong to agents only.
 */
const {
  contextProviders: _contexts,
  contextFacts: _facts,
  tools: _tools,
  wordFileIds: _words,
  ...behaviour
} = behaviourFields

export const TemplateInput = z.object({
  templateName: textLine('模板名称', 64),
  ...behaviour,
  sort: whole('排序', 0, 9999).default(0).meta({ title: '排序' }),
  status: choice('状态', TEMPLATE_STATUS).default(1).meta({ title: '状态', labels: TEMPLATE_STATUS }),
})

export const TemplateRow = z.object({
  ...recordColumns,
  tenantId: z.int(),
  tenantName: z.string().meta({ title: '客户' }),
  templateName: z.string().meta({ title: '模板名称' }),
  llmName: z.string().meta({ title: '大语言模型' }),
  ttsName: z.string().meta({ title: '语音合成' }),
  voiceName: z.string().meta({ title: '音色' }),
  sort: z.int().meta({ title: '排序' }),
  status: z.int().meta({ title: '状态', labels: TEMPLATE_STATUS }),
  /** Number of agents that were created from the template. */
  useCount: z.int().meta({ title: '使用' }),
  /** False for templates of the platform that a tenant only uses. */
  isEditable: z.boolean(),
})
export type TemplateRow = z.output<typeof TemplateRow>

const nullable = z.int().nullable()
export const TemplateDetail = TemplateRow.extend({
  llmId: nullable,
  vllmId: nullable,
  slmId: nullable,
  ttsId: nullable,
  asrId: nullable,
  vadId: nullable,
  memId: nullable,
  intentId: nullable,
  voiceId: nullable,
  cloneId: nullable,
  ttsLanguage: z.string(),
  ttsVolume: nullable,
  ttsRate: nullable,
  ttsPitch: nullable,
  systemPrompt: z.string(),
  chatHistoryConf: z.int(),
  memoryScope: z.int(),
  langCode: z.string(),
  language: z.string(),
  plugins: z.array(z.object({ providerCode: z.string(), params: z.record(z.string(), z.string()) })),
})
export type TemplateDetail = z.output<typeof TemplateDetail>

/** Prompt, models and plugins of an agent that is created from the template. */
export const TemplatePreview = z.object({
  /** The prompt, in which the name of the agent replaces the placeholder. */
  prompt: z.string(),
  models: z.array(
    z.object({
      field: z.string(),
      title: z.string(),
      name: z.string(),
      status: z.int(),
      /** True for an existing model that is not shared with the tenant. Its name is empty. */
      isClosed: z.boolean(),
    }),
  ),
  voiceName: z.string(),
  /** True for a voice whose model is not shared with the tenant. */
  isVoiceClosed: z.boolean(),
  plugins: z.array(z.string()),
  /** True for the template of agents that are created without choosing a template. */
  isDefault: z.boolean(),
})
export type TemplatePreview = z.output<typeof TemplatePreview>

const byId = z.object({ id })
const ROOT = '/api/v1/agent/template'
const LOGGED = ['id', 'rev', 'templateName', 'sort', 'status'] as const

/** Templates of agents (`/agent/template`). */
export const agentTemplates = {
  list: {
    method: 'GET',
    path: `${ROOT}/page`,
    access: 'agent:template:list',
    input: sortedPage(['sort', 'createTime']).extend({
      templateName: search('模板名称', 64),
      status: optional(choice('状态', TEMPLATE_STATUS)),
      tenantId: optional(id).meta({ title: '客户' }),
    }),
    result: createPageSchema(TemplateRow),
  },
  /** Models and plugins that a template of the tenant may use. */
  choices: { ...agents.choices, path: `${ROOT}/choices`, access: 'agent:template:list' },
  /** Voices and finished clones of a text-to-speech model. */
  voices: { ...agents.voices, path: `${ROOT}/voices`, access: 'agent:template:list' },
  /** Agents from which a template can be made. */
  agents: declareOptions(`${ROOT}/options/agent`, 'agent:template:list', { row: { tenantName: z.string() } }),
  get: { method: 'GET', path: `${ROOT}/:id`, access: 'agent:template:query', input: byId, result: TemplateDetail },
  preview: {
    method: 'GET',
    path: `${ROOT}/:id/preview`,
    access: 'agent:template:query',
    input: byId.extend({ agentName: search('智能体名称', 64) }),
    result: TemplatePreview,
  },
  create: {
    method: 'POST',
    path: ROOT,
    access: 'agent:template:add',
    title: '新增模板',
    createsSharedRows: true,
    body: 'json',
    log: LOGGED,
    input: TemplateInput,
    result: z.object({ id: z.int() }),
    done: '新增成功',
  },
  /** Creates a template with the behaviour of an agent, without secrets, context sources and correction-word files. */
  make: {
    method: 'POST',
    path: `${ROOT}/make`,
    access: 'agent:template:add',
    title: '由智能体创建模板',
    kind: 'add',
    input: z.object({
      agentId: reference('智能体'),
      templateName: TemplateInput.shape.templateName,
      sort: TemplateInput.shape.sort,
    }),
    result: z.object({ id: z.int() }),
    done: '模板已创建',
  },
  update: {
    method: 'PUT',
    path: ROOT,
    access: 'agent:template:edit',
    title: '修改模板',
    body: 'json',
    log: LOGGED,
    input: TemplateInput.extend({ id, rev }),
    result: z.object({ rev: z.int() }),
    done: '修改成功',
  },
  remove: {
    method: 'DELETE',
    path: `${ROOT}/:id`,
    access: 'agent:template:remove',
    title: '删除模板',
    input: byId,
    result: z.null(),
    done: '删除成功',
  },
  ...declareSwitches(ROOT, 'agent:template:enable', '模板'),
} as const satisfies Contract
