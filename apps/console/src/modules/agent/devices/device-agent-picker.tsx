import { agentDevices } from '@oms/contract/agent/devices/device.ts'
import { useRead } from '#core/api/query.ts'
import { useKeyword } from '#kit/list/use-keyword.ts'
import { RecordSelect, type RecordSelectProps } from '#kit/pickers/record-select.tsx'
import { useHasManyTenants } from '#kit/pickers/tenant-picker.tsx'

/** Selects an agent by its name. */
export function DeviceAgentPicker(props: RecordSelectProps) {
  const [keyword, onSearch] = useKeyword()
  const isMany = useHasManyTenants()
  const { data, isFetching, error, refetch } = useRead(agentDevices.agents, { keyword }, { quiet: true })
  const options = (data?.list ?? []).map(({ id, name, tenantName }) => ({
    value: id,
    label: isMany ? `${name} · ${tenantName}` : name,
  }))
  return (
    <RecordSelect
      placeholder="输入名称搜索智能体"
      {...props}
      source={{ options, isFetching, error, refetch, onSearch }}
    />
  )
}
