import { type AgentDetail, agents } from '@oms/contract/agent/agents/agent.ts'
import { agentVersions } from '@oms/contract/agent/agents/agent-version.ts'
import { Form, Modal } from 'antd'
import { useRead } from '#core/api/query.ts'
import { Field, NoteField, NumberField } from '#kit/form/field.tsx'
import { useFormModal } from '#kit/form/use-form-modal.ts'
import { useKeyword } from '#kit/list/use-keyword.ts'
import { RecordsSelect, type RecordsSelectProps } from '#kit/pickers/records-select.tsx'

const OF = agentVersions.saveCandidate.input

interface Props {
  readonly agent: AgentDetail
  /** Values of the agent's form. */
  readonly values: object
  onClose(): void
  onSaved(): void
}

/** Dialog that saves the form as a candidate for some devices. */
export function CandidateDialog({ agent, values, onClose, onSaved }: Props) {
  const initial = { ...values, id: agent.id, rev: agent.rev, share: 10, deviceIds: [], note: '' }
  const { modal, form } = useFormModal(agentVersions.saveCandidate, { onClose, onSaved, initial })
  return (
    <Modal title="存为候选版本" {...modal}>
      <Form {...form}>
        <ReachFields agentId={agent.id} chosen={[]} />
        <NoteField of={OF} name="note" rows={2} />
      </Form>
    </Modal>
  )
}

/** Dialog that changes which devices get the candidate. */
export function ReachDialog({ agent, onClose }: { agent: AgentDetail; onClose(): void }) {
  const initial = { id: agent.id, rev: agent.rev, share: agent.candidateShare, deviceIds: agent.candidateDeviceIds }
  const { modal, form } = useFormModal(agentVersions.reach, { onClose, initial })
  return (
    <Modal title={`候选版本 v${agent.candidateNo ?? ''} 的范围`} {...modal}>
      <Form {...form}>
        <ReachFields agentId={agent.id} chosen={agent.candidateDevices} />
      </Form>
    </Modal>
  )
}

const ReachFields = ({ agentId, chosen }: { agentId: number; chosen: AgentDetail['candidateDevices'] }) => (
  <>
    <NumberField of={OF} name="share" unit="%" hint="按设备固定，同一台设备始终得到同一版本" />
    <Field of={OF} name="deviceIds" hint="指定的设备一定得到候选版本">
      <DevicesPicker agentId={agentId} chosen={chosen} />
    </Field>
  </>
)

function DevicesPicker({ agentId, ...props }: RecordsSelectProps & { agentId: number }) {
  const [keyword, onSearch] = useKeyword()
  const { data, isFetching, error, refetch } = useRead(agents.devices, { id: agentId, keyword }, { quiet: true })
  const options = (data?.list ?? []).map(({ id, name }) => ({ value: id, label: name }))
  return (
    <RecordsSelect
      placeholder="按名称或 MAC 搜索"
      {...props}
      source={{ options, isFetching, error, refetch, onSearch }}
    />
  )
}
