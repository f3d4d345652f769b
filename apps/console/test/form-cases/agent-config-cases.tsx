import { agentModels } from '@oms/contract/agent/models/config.ts'
import { agentProviders } from '@oms/contract/agent/models/provider.ts'
import { agentProducts } from '@oms/contract/agent/packages/product.ts'
import { agentTemplates } from '@oms/contract/agent/templates/template.ts'
import { agentVoices } from '@oms/contract/agent/voices/voice.ts'
import { voiceClones } from '@oms/contract/agent/voices/voice-clone.ts'
import { recordOptions } from '@oms/contract/device/options.ts'
import { CloneForm, CloneRename, VoiceForm } from '#modules/agent/voices/voice-dialogs.tsx'
import { ModelAddForm, ModelEditForm } from '#modules/agent/models/model-form.tsx'
import { ProviderAddForm, ProviderEditForm } from '#modules/agent/models/provider-form.tsx'
import { ProductAddForm, ProductEditForm } from '#modules/agent/orders/product-dialogs.tsx'
import { TemplateAddForm, TemplateEditForm, TemplateMake } from '#modules/agent/agents/template-dialogs.tsx'
import { type FormCase, buildOptions } from './form-case.ts'

const MODELS = buildOptions({ code: 'TTS_sample', type: 'TTS', providerCode: 'edge', isDefault: 0 })
const FIELD = { key: 'base_url', label: '接口地址', type: 'string', default: '', required: false, secret: false }
const PROVIDERS = {
  list: [
    { id: 1, type: 'LLM', code: 'openai', name: 'OpenAI', fields: [FIELD], sort: 0, isBuiltin: 1, useCount: 0, rev: 0 },
  ],
}

const CHOICES = { models: [], templates: [], wordFiles: [], plugins: [] }
const TEMPLATE = {
  llmId: null,
  vllmId: null,
  slmId: null,
  ttsId: null,
  asrId: null,
  vadId: null,
  memId: null,
  intentId: null,
  voiceId: null,
  cloneId: null,
  ttsVolume: null,
  ttsRate: null,
  ttsPitch: null,
  ttsLanguage: '',
  plugins: [],
  systemPrompt: '你是小智',
  chatHistoryConf: 2,
  memoryScope: 1,
  langCode: 'zh',
  language: '中文',
  tenantId: 1,
}

const PRODUCT_SCOPE = [
  [recordOptions.models, buildOptions({ modelCode: 'm' })],
  [recordOptions.tenants, buildOptions({ tenantNo: 't' })],
] as const
const PRODUCT = {
  allowances: [{ unit: 1, amount: 30 }],
  scope: 1,
  activateDays: 180,
  validDays: 30,
  isSold: 1,
  wasSold: 1,
  models: [],
  tenants: [],
}

const RECORDED = { recording: `/api/v1/file/${'a'.repeat(32)}`, consentTime: '2026-01-01 00:00:00' }

/** Forms of models, providers, templates and voices. */
export const AGENT_CONFIG_CASES: readonly FormCase[] = [
  {
    name: '新增模型',
    file: 'agent/models/model-form.tsx',
    save: agentModels.create,
    field: 'name',
    fill: { code: 'LLM_sample' },
    choose: ['providerCode'],
    reads: [[agentProviders.list, PROVIDERS]],
    form: (close) => <ModelAddForm type="LLM" onClose={close} />,
  },
  {
    name: '编辑模型',
    file: 'agent/models/model-form.tsx',
    save: agentModels.update,
    field: 'name',
    record: {
      read: agentModels.get,
      values: { type: 'LLM', providerCode: 'openai', config: {}, secrets: {}, docLink: '', isDefault: 0, tenantId: 1 },
    },
    reads: [[agentProviders.list, PROVIDERS]],
    form: (close, row) => <ModelEditForm row={row as never} onClose={close} />,
  },
  {
    name: '新增接口',
    file: 'agent/models/provider-form.tsx',
    save: agentProviders.create,
    field: 'name',
    fill: { code: 'sample' },
    form: (close) => <ProviderAddForm type="LLM" onClose={close} />,
  },
  {
    name: '编辑接口',
    file: 'agent/models/provider-form.tsx',
    save: agentProviders.update,
    field: 'name',
    record: { read: agentProviders.get, values: { fields: [FIELD], type: 'LLM', code: 'openai' } },
    form: (close, row) => <ProviderEditForm row={row as never} onClose={close} />,
  },
  {
    name: '新增音色',
    file: 'agent/voices/voice-dialogs.tsx',
    save: agentVoices.create,
    field: 'name',
    fill: { code: 'zh-sample' },
    choose: ['modelId'],
    reads: [[agentModels.options, MODELS]],
    form: (close) => <VoiceForm row="new" onClose={close} />,
  },
  {
    name: '编辑音色',
    file: 'agent/voices/voice-dialogs.tsx',
    save: agentVoices.update,
    field: 'name',
    record: {
      read: agentVoices.get,
      values: { code: 'zh-sample', modelId: 1, modelName: '模型', demoFile: '', demoUrl: '' },
    },
    reads: [[agentModels.options, MODELS]],
    form: (close, row) => <VoiceForm row={row as never} onClose={close} />,
  },
  {
    name: '新增克隆音色',
    file: 'agent/voices/voice-dialogs.tsx',
    save: voiceClones.create,
    field: 'name',
    fill: { voiceId: 'S_sample', consentSpeaker: '王女士' },
    choose: ['modelId'],
    reads: [[voiceClones.models, buildOptions({ code: 'TTS_sample' })]],
    form: (close) => <CloneForm initial={RECORDED} onClose={close} />,
  },
  {
    name: '修改克隆音色',
    file: 'agent/voices/voice-dialogs.tsx',
    save: voiceClones.update,
    field: 'name',
    record: { read: voiceClones.get },
    form: (close, row) => <CloneRename row={row as never} onClose={close} />,
  },
  {
    name: '新增模板',
    file: 'agent/agents/template-dialogs.tsx',
    save: agentTemplates.create,
    field: 'templateName',
    reads: [[agentTemplates.choices, CHOICES]],
    form: (close) => <TemplateAddForm onClose={close} />,
  },
  {
    name: '编辑模板',
    file: 'agent/agents/template-dialogs.tsx',
    save: agentTemplates.update,
    field: 'templateName',
    record: { read: agentTemplates.get, values: TEMPLATE },
    reads: [[agentTemplates.choices, CHOICES]],
    form: (close, row) => <TemplateEditForm row={row as never} onClose={close} />,
  },
  {
    name: '由智能体创建模板',
    file: 'agent/agents/template-dialogs.tsx',
    save: agentTemplates.make,
    field: 'templateName',
    choose: ['agentId'],
    reads: [[agentTemplates.agents, buildOptions({ tenantName: '客户' })]],
    form: (close) => <TemplateMake onClose={close} />,
  },
  {
    name: '新增智能体套餐',
    file: 'agent/orders/product-dialogs.tsx',
    save: agentProducts.create,
    field: 'packageName',
    fill: { packageCode: 'ZN30', price: '9' },
    reads: PRODUCT_SCOPE,
    form: (close) => <ProductAddForm onClose={close} />,
  },
  {
    name: '编辑智能体套餐',
    file: 'agent/orders/product-dialogs.tsx',
    save: agentProducts.update,
    field: 'packageName',
    record: { read: agentProducts.get, values: PRODUCT },
    reads: PRODUCT_SCOPE,
    form: (close, row) => <ProductEditForm row={row as never} onClose={close} />,
  },
]
