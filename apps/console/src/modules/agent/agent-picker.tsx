import type { agentDevices } from '@oms/contract/agent/devices/device.ts'
import type { agentTemplates } from '@oms/contract/agent/templates/template.ts'
import type { voiceprints } from '@oms/contract/agent/voiceprints/voiceprint.ts'
import { useRead } from '#core/api/query.ts'
import { useKeyword } from '#kit/list/use-keyword.ts'
import { RecordSelect, type RecordSelectProps } from '#kit/pickers/record-select.tsx'
import { useHasManyTenants } from '#kit/pickers/tenant-picker.tsx'

interface AgentPickerProps extends RecordSelectProps {
  /** Call that returns the agents. Each screen has a call with its own permission. */
  readonly from: (typeof agentDevices | typeof agentTemplates | typeof voiceprints)['agents']
}

/** Selects an agent by its name. */
export function AgentPicker({ from, ...props }: AgentPickerProps) {
  const [keyword, onSearch] = useKeyword()
  const isMany = useHasManyTenants()
  const read = useRead(from, { keyword }, { quiet: true })
  const options = (read.data?.list ?? []).map(({ id, name, tenantName }) => ({
    value: id,
    label: isMany && tenantName !== '' ? `${name} · ${tenantName}` : name,
  }))
  return <RecordSelect placeholder="输入名称搜索智能体" {...props} source={{ options, read, onSearch }} />
}
