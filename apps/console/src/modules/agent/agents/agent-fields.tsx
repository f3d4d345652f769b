import { type AgentChoices, agents, type AgentDetail } from '@oms/contract/agent/agents/agent.ts'
import {
  AgentInput,
  findDataErasedByProvider,
  ERASURE_WARNING,
  FUNCTION_CALL_LLMS,
  FUNCTION_CALL_TEXT,
  CLEARABLE_FIELDS,
  KEPT_HEADER_MARK,
} from '@oms/contract/agent/agents/agent-input.ts'
import type { agentTemplates } from '@oms/contract/agent/templates/template.ts'
import { Form, Select } from 'antd'
import { useRead } from '#core/api/query.ts'
import { Field, NoteField, NumberField, SelectField, TextField } from '#kit/form/field.tsx'
import { CreatingSelect } from '#kit/pickers/creating-select.tsx'

const OF = AgentInput

interface Props {
  readonly choices: AgentChoices
}

/**
 * Returns the options for a type of model. Includes disabled models, so that an already selected one keeps its label.
 */
const optionsOf = ({ models }: AgentChoices, type: string) =>
  models
    .filter((model) => model.type === type)
    .map(({ id, name, status }) => ({ value: id, label: status === 1 ? name : `${name}（已停用）` }))

/** Fields for name, prompt and models of an agent. */
export function BasicFields({ choices }: Props) {
  return (
    <>
      <h3 className="kit-heading">角色</h3>
      <div className="kit-pair">
        <TextField of={OF} name="agentName" />
        <Field of={OF} name="tags">
          <Select mode="tags" tokenSeparators={[',', '，']} placeholder="输入后按回车" open={false} suffixIcon={null} />
        </Field>
      </div>
      <PromptFields choices={choices} erases />
    </>
  )
}

interface PromptProps extends Props {
  /** True when saving another memory model erases turns or memory. */
  readonly erases?: boolean
}

/** Fields for prompt and models of an agent or a template. */
export function PromptFields({ choices, erases = false }: PromptProps) {
  return (
    <>
      <NoteField of={OF} name="systemPrompt" rows={8} hint="{{assistant_name}} 会替换为智能体名称" />
      <h3 className="kit-heading">模型</h3>
      <div className="kit-pair">
        <SelectField of={OF} name="llmId" options={optionsOf(choices, 'LLM')} />
        <IntentField choices={choices} />
        <MemoryField choices={choices} erases={erases} />
        <SelectField of={OF} name="slmId" options={optionsOf(choices, 'LLM')} hint="用于会话标题和记忆总结" />
        <SelectField of={OF} name="vllmId" options={optionsOf(choices, 'VLLM')} />
        <SelectField of={OF} name="asrId" options={optionsOf(choices, 'ASR')} />
        <SelectField of={OF} name="vadId" options={optionsOf(choices, 'VAD')} />
      </div>
    </>
  )
}

const providerOf = ({ models }: AgentChoices, id: number | undefined) =>
  models.find((model) => model.id === id)?.providerCode

function IntentField({ choices }: Props) {
  const intent = providerOf(choices, Form.useWatch<number | undefined>('intentId'))
  const llm = providerOf(choices, Form.useWatch<number | undefined>('llmId'))
  const isRefused = intent === 'function_call' && llm !== undefined && !FUNCTION_CALL_LLMS.includes(llm)
  return (
    <SelectField
      of={OF}
      name="intentId"
      options={optionsOf(choices, 'Intent')}
      {...(isRefused && { hint: FUNCTION_CALL_TEXT })}
    />
  )
}

function MemoryField({ choices, erases }: PromptProps) {
  const erased = findDataErasedByProvider(providerOf(choices, Form.useWatch<number | undefined>('memId')))
  return (
    <SelectField
      of={OF}
      name="memId"
      options={optionsOf(choices, 'Memory')}
      {...(erases && erased && { hint: ERASURE_WARNING[erased] })}
    />
  )
}

interface VoiceProps extends Props {
  /** Tenant whose voices are offered; default: the tenant of the session. */
  readonly tenantId?: number
  /** Endpoints that return the voices of a model. Accounts that edit templates may lack the permission for agents. */
  readonly calls?: typeof agents | typeof agentTemplates
}

/** Fields for the voice of an agent. Voices and clones belong to the chosen text-to-speech model. */
export function VoiceFields({ choices, tenantId, calls = agents }: VoiceProps) {
  const form = Form.useFormInstance()
  const ttsId = Form.useWatch<number | undefined>('ttsId')
  const read = useRead(
    calls.voices,
    { modelId: ttsId ?? 0, ...(tenantId !== undefined && { tenantId }) },
    { enabled: Boolean(ttsId), quiet: true },
  )
  const named = (list: readonly { id: number; name: string }[] = []) =>
    list.map(({ id, name }) => ({ value: id, label: name }))
  const clones = named(read.data?.clones)
  return (
    <>
      <h3 className="kit-heading">语音</h3>
      <div className="kit-pair">
        <Field of={OF} name="ttsId">
          <CreatingSelect
            allowClear
            placeholder="请选择语音合成"
            options={optionsOf(choices, 'TTS')}
            onChange={() => form.setFieldsValue({ voiceId: undefined, cloneId: undefined })}
          />
        </Field>
        <SelectField of={OF} name="voiceId" options={named(read.data?.voices)} read={read} />
        {clones.length > 0 && <SelectField of={OF} name="cloneId" options={clones} hint="选择后优先于音色" />}
        <TextField of={OF} name="ttsLanguage" hint="留空使用音色的第一种语言" />
        <NumberField of={OF} name="ttsVolume" hint="-100～100，留空用模型的值" />
        <NumberField of={OF} name="ttsRate" hint="-100～100，留空用模型的值" />
        <NumberField of={OF} name="ttsPitch" hint="-100～100，留空用模型的值" />
      </div>
    </>
  )
}

/** Fields for the stored history, the language and the word files. */
export function RecordFields({ choices }: Props) {
  return (
    <>
      <HistoryFields choices={choices} />
      <SelectField
        of={OF}
        name="wordFileIds"
        multiple
        options={choices.wordFiles.map(({ id, name }) => ({ value: id, label: name }))}
        hint="纠正语音识别的错字，在「替换词」页签中维护"
      />
    </>
  )
}

/** Fields for the stored history and the language. */
export function HistoryFields({ choices }: Props) {
  const memory = providerOf(choices, Form.useWatch<number | undefined>('memId'))
  return (
    <>
      <h3 className="kit-heading">记录与语言</h3>
      <div className="kit-pair">
        <SelectField
          of={OF}
          name="chatHistoryConf"
          disabled={memory === 'nomem'}
          {...(memory === 'nomem' && { hint: '“无记忆”时不保存对话' })}
        />
        <SelectField of={OF} name="memoryScope" />
        <TextField of={OF} name="language" />
        <TextField of={OF} name="langCode" />
      </div>
    </>
  )
}

interface HeaderValue {
  readonly name?: string
  readonly value?: string
}
interface FormContext {
  readonly url?: string
  readonly headers?: readonly HeaderValue[]
}

/** Converts an agent to form values: headers become a list, and their secret values are empty. */
export const toFormValues = (agent: AgentDetail) => ({
  ...agent,
  note: '',
  confirmErase: 0,
  contextProviders: agent.contextProviders.map(({ url, headers }) => ({
    url,
    headers: Object.keys(headers).map((name) => ({ name })),
  })),
})

/**
 * Converts form values to the input of a save. An untouched secret is absent, so the stored value stays. An empty field is
 * null, because a save must contain it.
 */
export function toSaveInput(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const contexts = (values['contextProviders'] ?? []) as readonly FormContext[]
  const plugins = (values['plugins'] ?? []) as readonly { providerCode: string; params?: Record<string, unknown> }[]
  return {
    ...values,
    ...Object.fromEntries(CLEARABLE_FIELDS.map((field) => [field, values[field] ?? null])),
    plugins: plugins.map(({ providerCode, params = {} }) => ({
      providerCode,
      params: Object.fromEntries(Object.entries(params).filter(([, value]) => value !== undefined && value !== null)),
    })),
    contextProviders: contexts.map(({ url, headers = [] }) => ({
      url,
      headers: Object.fromEntries(
        headers.flatMap(({ name, value }) => (name ? [[name, value || KEPT_HEADER_MARK]] : [])),
      ),
    })),
  }
}
