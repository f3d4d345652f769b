import { agentVoices, type VoiceRow, type VoiceUse } from '@oms/contract/agent/voices/voice.ts'
import { Modal, Spin } from 'antd'
import { useRead } from '#core/api/query.ts'
import { PermittedLink } from '#kit/record/known-link.tsx'
import { LoadFailed } from '#kit/table/table-state.tsx'
import { agentDetailPath } from '../agents/agent-cells.tsx'
import '../models/model.css'

const NOUNS = { agent: '智能体', template: '模板' } as const

/** Lists the agents and templates that use a voice, with links to them. */
export function VoiceUses({ row, onClose }: { readonly row: VoiceRow; readonly onClose: () => void }) {
  const { data, error, refetch } = useRead(agentVoices.uses, { id: row.id }, { quiet: true })
  return (
    <Modal open title={`使用「${row.name}」的智能体和模板`} footer={null} onCancel={onClose}>
      {error && <LoadFailed refusal={error} onRetry={() => void refetch()} />}
      {!data && !error && <Spin size="small" />}
      {data && (
        <ul className="kit-lines agent-uses">
          {data.list.map((use) => (
            <li key={`${use.kind}${use.id}`}>
              <PermittedLink to={pathOf(use)}>{use.name}</PermittedLink>
              <small>{[NOUNS[use.kind], use.tenantName].filter(Boolean).join(' · ')}</small>
            </li>
          ))}
        </ul>
      )}
    </Modal>
  )
}

const pathOf = ({ kind, id, name }: VoiceUse) =>
  kind === 'agent' ? agentDetailPath(id) : `/agent/template?templateName=${encodeURIComponent(name)}`
