import { type AgentChoices, type AgentDetail, agents } from '@oms/contract/agent/agents/agent.ts'
import { ERASURE_WARNING, findDataErasedByProvider } from '@oms/contract/agent/agents/agent-input.ts'
import type { InputOf } from '@oms/contract/core/endpoint.ts'
import { Alert, Button, Form, Input } from 'antd'
import { type KeyboardEvent, type ReactNode, type RefObject, useRef } from 'react'
import { call } from '#core/api/client.ts'
import { Allowed, useMayCall } from '#core/auth/session.tsx'
import { dialogs } from '#core/loading/overlays.ts'
import { selectAcceptedFields } from '#kit/form/form-values.ts'
import { RestoredDraft } from '#kit/form/restored-draft.tsx'
import { usePageForm } from '#kit/form/use-page-form.ts'
import { tryOut } from '@oms/contract/agent/agents/try-out.ts'
import { BasicFields, RecordFields, VoiceFields, toSaveInput, toFormValues } from './agent-fields.tsx'
import { ContextFields, PluginFields, ToolFields } from './plugin-fields.tsx'
import { TryPanel } from './try-panel.tsx'
import './agent.css'

interface Props {
  readonly agent: AgentDetail
  readonly choices: AgentChoices
}

/** Form of an agent, next to the try-out, which uses the unsaved values of the form. */
export function AgentForm({ agent, choices }: Props) {
  const { save, submit } = useAgentForm(agent, choices)
  const mayTry = useMayCall()(tryOut.ask)
  const mayEdit = useMayCall()(agents.update)
  const studio = useRef<HTMLDivElement>(null)
  const subject = () => subjectOf(toSaveInput(save.form.form.getFieldsValue(true) as Record<string, unknown>), agent)
  return (
    <div className={mayTry ? 'agent-studio' : ''} ref={studio}>
      <div className="agent-form">
        <RestoredDraft {...save.draft} />
        {!mayEdit && <Alert type="info" showIcon title="您可以查看，不能修改" className="kit-note" />}
        <Form {...save.form} onFinish={submit} onKeyDown={ignoreEnter} disabled={!mayEdit || save.saving}>
          <BasicFields choices={choices} />
          <VoiceFields choices={choices} tenantId={agent.tenantId} />
          <RecordFields choices={choices} />
          <PluginFields choices={choices} secrets={agent.secrets} />
          <ToolFields isOn={choices.features.mcp} agentId={agent.id} />
          <ContextFields />
          <FormFoot agent={agent} dirty={save.dirty} saving={save.saving}>
            {mayTry && <ToTryOut studio={studio} />}
          </FormFoot>
        </Form>
      </div>
      {mayTry && <TryPanel agentId={agent.id} subject={subject} />}
    </div>
  )
}

/** Prevents that Enter in a one-line field saves the agent, because a save affects all its devices. */
const ignoreEnter = (event: KeyboardEvent) => {
  if (event.key === 'Enter' && event.target instanceof HTMLInputElement) event.preventDefault()
}

/**
 * Returns the current values of the fields that the try-out needs. The values need not be valid, because the server
 * checks them.
 */
function subjectOf(values: Readonly<Record<string, unknown>>, agent: AgentDetail) {
  const { agentName, llmId, systemPrompt, wordFileIds } = values
  return {
    agentName: String(agentName ?? '').trim() || agent.agentName,
    ...(typeof llmId === 'number' && { llmId }),
    systemPrompt: String(systemPrompt ?? ''),
    wordFileIds: Array.isArray(wordFileIds) ? (wordFileIds as number[]) : [],
  }
}

/** Button that moves the focus to the question of the try-out. Narrow windows show the try-out below the form. */
const ToTryOut = ({ studio }: { readonly studio: RefObject<HTMLElement | null> }) => (
  <Button
    className="agent-to-try"
    onClick={() => studio.current?.querySelector<HTMLElement>('.agent-try-input textarea')?.focus()}
  >
    试用
  </Button>
)

interface FootProps {
  readonly agent: AgentDetail
  readonly dirty: boolean
  readonly saving: boolean
  readonly children: ReactNode
}

const FormFoot = ({ agent, dirty, saving, children }: FootProps) => (
  <footer className="agent-form-foot">
    <span className="kit-muted">{dirty ? '有未保存的修改，可先试用' : `当前版本 v${agent.versionNo}`}</span>
    {dirty && (
      <Form.Item name="note" noStyle>
        <Input aria-label="版本说明" placeholder="版本说明（选填）" maxLength={200} className="agent-form-note" />
      </Form.Item>
    )}
    {children}
    <Allowed to={agents.update}>
      <Button type="primary" htmlType="submit" loading={saving} disabled={!dirty}>
        保存
      </Button>
    </Allowed>
  </footer>
)

function useAgentForm(agent: AgentDetail, { models }: AgentChoices) {
  const latest = async () => toFormValues(await call(agents.get, { id: agent.id }))
  const save = usePageForm(agents.update, toFormValues(agent), {
    draft: `agent:${agent.id}`,
    latest,
    input: (values) => selectAcceptedFields(agents.update, toSaveInput(values)) as InputOf<typeof agents.update>,
    onSaved: () => void latest().then(save.load),
  })
  const { form } = save.form
  const providerOf = (id: unknown) => models.find((model) => model.id === id)?.providerCode
  /** Requires a confirmation before a save that erases conversations or memory. */
  const submit = () => {
    const provider = providerOf(form.getFieldValue('memId'))
    const erased = findDataErasedByProvider(provider)
    if (!erased || provider === providerOf(agent.memId)) return save.form.onFinish()
    dialogs.confirm({
      title: '清除对话和记忆？',
      content: ERASURE_WARNING[erased],
      okText: '清除并保存',
      okButtonProps: { danger: true },
      onOk: () => {
        form.setFieldValue('confirmErase', 1)
        save.form.onFinish()
      },
    })
  }
  return { save, submit }
}
