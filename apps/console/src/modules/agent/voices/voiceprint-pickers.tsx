import { voiceprints } from '@oms/contract/agent/voiceprints/voiceprint.ts'
import { useRead } from '#core/api/query.ts'
import { useKeyword } from '#kit/list/use-keyword.ts'
import { RecordSelect, type RecordSelectProps } from '#kit/pickers/record-select.tsx'
import { useHasManyTenants } from '#kit/pickers/tenant-picker.tsx'

/** Selects an agent by its name. */
export function AgentPicker(props: RecordSelectProps) {
  const [keyword, onSearch] = useKeyword()
  const isMany = useHasManyTenants()
  const read = useRead(voiceprints.agents, { keyword }, { quiet: true })
  const options = (read.data?.list ?? []).map(({ id, name, tenantName }) => ({
    value: id,
    label: isMany && tenantName !== '' ? `${name} · ${tenantName}` : name,
  }))
  return <RecordSelect placeholder="请选择智能体" {...props} source={{ options, read, onSearch }} />
}
