import { agents, type ModelChoice } from '@oms/contract/agent/agents/agent.ts'
import { FUNCTION_CALL_LLMS } from '@oms/contract/agent/agents/agent-input.ts'
import { agentVersions } from '@oms/contract/agent/agents/agent-version.ts'
import { Select } from 'antd'
import { useRead } from '#core/api/query.ts'
import { useKeyword } from '#kit/list/use-keyword.ts'
import { RecordSelect } from '#kit/pickers/record-select.tsx'
import '../agents/agent.css'

/** Value of the choice in which the second column also uses the form. */
export const FORM_OPTION = 'form'

/** Returns the fields of the form that a choice of the second column overrides. */
export const parseOverrides = (other: string) => {
  const [kind, id] = other.split(':')
  return kind === 'model' ? { llmId: Number(id) } : kind === 'version' ? { versionNo: Number(id) } : {}
}

interface DeviceProps {
  readonly agentId: number
  readonly value: number | undefined
  onChange(id: number | undefined): void
}

/** Selects a device whose memory the agent uses. */
export function DevicePicker({ agentId, value, onChange }: DeviceProps) {
  const [keyword, onSearch] = useKeyword()
  const { data, isFetching, error, refetch } = useRead(agents.devices, { id: agentId, keyword }, { quiet: true })
  const options = (data?.list ?? []).map(({ id, name }) => ({ value: id, label: name }))
  return (
    <RecordSelect
      label="使用设备的记忆"
      placeholder="使用设备的记忆"
      {...(value !== undefined && { value })}
      onChange={(id) => onChange(id ?? undefined)}
      source={{ options, isFetching, error, refetch, onSearch }}
    />
  )
}

interface OtherProps {
  readonly agentId: number
  readonly models: readonly ModelChoice[]
  readonly value: string
  onChange(value: string): void
}

/** Select for the second column of a comparison: the edited form, another model, or a saved version. */
export function ComparisonSelect({ agentId, models, value, onChange }: OtherProps) {
  const { data } = useRead(agentVersions.list, { id: agentId }, { quiet: true })
  const usable = models.filter(
    ({ type, status, providerCode }) => type === 'LLM' && status === 1 && FUNCTION_CALL_LLMS.includes(providerCode),
  )
  const options = [
    { label: '当前表单', value: FORM_OPTION },
    { label: '其他模型', options: usable.map(({ id, name }) => ({ label: name, value: `model:${id}` })) },
    {
      label: '版本',
      options: (data?.list ?? []).map(({ versionNo, note }) => ({
        label: `v${versionNo}${note ? ` ${note}` : ''}`,
        value: `version:${versionNo}`,
      })),
    },
  ]
  return (
    <div className="agent-try-subject">
      <Select aria-label="对比对象" options={options} value={value} onChange={onChange} />
    </div>
  )
}
