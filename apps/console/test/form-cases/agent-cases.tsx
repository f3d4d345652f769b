import { agents } from '@oms/contract/agent/agents/agent.ts'
import { wordFiles } from '@oms/contract/agent/agents/word-file.ts'
import { recordOptions } from '@oms/contract/device/options.ts'
import type { ResultOf } from '@oms/contract/core/endpoint.ts'
import { AgentAddForm, AgentRemove, WordForm } from '#modules/agent/agents/agent-dialogs.tsx'
import { AgentForm } from '#modules/agent/agents/agent-form.tsx'
import { buildSample } from './contract-server.ts'
import type { FormCase } from './form-case.ts'

const CHOICES = {
  models: [],
  templates: [],
  wordFiles: [],
  plugins: [],
  features: { knowledge: true, mcp: true },
} satisfies ResultOf<typeof agents.choices>
const NO_MODELS = { llmId: null, vllmId: null, slmId: null, ttsId: null, asrId: null, vadId: null, memId: null }
const NO_VOICE = { intentId: null, voiceId: null, cloneId: null, ttsVolume: null, ttsRate: null, ttsPitch: null }
const NO_PARTS = {
  plugins: [],
  contextProviders: [],
  contextFacts: [],
  tools: [],
  wordFileIds: [],
  tags: [],
  secrets: {},
}
const AGENT = {
  ...(buildSample(agents.get.result) as ResultOf<typeof agents.get>),
  ...NO_MODELS,
  ...NO_VOICE,
  ...NO_PARTS,
  id: 1,
  tenantId: 1,
  agentName: '小智',
  systemPrompt: '你是小智',
  ttsLanguage: '',
  langCode: 'zh',
  language: '中文',
  chatHistoryConf: 2,
  memoryScope: 1,
  deviceCount: 2,
} satisfies ResultOf<typeof agents.get>
const DEVICES = [agents.devices, { list: [] }] as const

/** Form cases of agents and files of correction words. */
export const AGENT_CASES: readonly FormCase[] = [
  {
    name: '新增智能体',
    file: 'agent/agents/agent-dialogs.tsx',
    save: agents.create,
    field: 'agentName',
    reads: [
      [agents.choices, CHOICES],
      [recordOptions.tenants, { list: [] }],
    ],
    form: (close) => <AgentAddForm onClose={close} />,
  },
  {
    name: '删除智能体',
    file: 'agent/agents/agent-dialogs.tsx',
    save: agents.remove,
    field: 'agentName',
    form: (close) => <AgentRemove agent={AGENT} onClose={close} onRemoved={() => {}} />,
  },
  {
    name: '编辑智能体',
    file: 'agent/agents/agent-form.tsx',
    save: agents.update,
    field: 'agentName',
    stays: true,
    reads: [[agents.get, AGENT], DEVICES],
    form: () => <AgentForm agent={AGENT} choices={CHOICES} />,
  },
  {
    name: '新增替换词文件',
    file: 'agent/agents/agent-dialogs.tsx',
    save: wordFiles.create,
    field: 'name',
    fill: { words: '小志|小智' },
    form: (close) => <WordForm row="new" agent={{ id: 5, agentName: '小智', tenantId: 1 }} onClose={close} />,
  },
  {
    name: '编辑替换词文件',
    file: 'agent/agents/agent-dialogs.tsx',
    save: wordFiles.update,
    field: 'name',
    record: { read: wordFiles.get, values: { words: '小志|小智' } },
    form: (close, row) => (
      <WordForm row={row as never} agent={{ id: 5, agentName: '小智', tenantId: 1 }} onClose={close} />
    ),
  },
]
