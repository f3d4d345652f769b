import { devices } from '@oms/contract/device-info.ts'
import { useRead } from '#kernel/query.ts'
import { Select } from '#kit/select.tsx'
import { useKeyword } from '#kit/use-keyword.ts'

interface PickerProps {
  /** Given by the form; a filter in the address holds it as text. */
  value?: number | string
  onChange?: (id: number | undefined) => void
  id?: string
  /** Chosen before anybody searched, so that a name shows instead of a number. */
  chosen?: { readonly id: number; readonly name: string } | undefined
}
interface Choice {
  readonly value: number
  readonly label: string
}

/** Picks one of what the server offers as one types. */
function Picker({
  value,
  onChange,
  id,
  chosen,
  choices,
  onSearch,
  placeholder,
}: PickerProps & { choices: readonly Choice[]; onSearch(text: string): void; placeholder: string }) {
  const picked = value === undefined || value === '' ? undefined : Number(value)
  const missing = chosen && chosen.id === picked && !choices.some((choice) => choice.value === picked)
  return (
    <Select
      {...(id && { id })}
      {...(picked !== undefined && { value: picked })}
      allowClear
      placeholder={placeholder}
      showSearch={{ filterOption: false, onSearch }}
      notFoundContent="没有找到"
      options={[...(missing ? [{ value: chosen.id, label: chosen.name }] : []), ...choices]}
      onChange={(next: number | undefined) => onChange?.(next)}
    />
  )
}

export function ModelPicker({ inUse, ...props }: PickerProps & { inUse?: true }) {
  const [keyword, setText] = useKeyword()
  const { data } = useRead(devices.modelOptions, { keyword }, { quiet: true })
  const choices = (data?.list ?? [])
    .filter(({ status }) => !inUse || status === 1)
    .map(({ id, name, modelCode, typeName }) => ({ value: id, label: `${name}（${modelCode}）· ${typeName}` }))
  return <Picker {...props} choices={choices} onSearch={setText} placeholder="输入型号名称或编码搜索" />
}

export function TypePicker(props: PickerProps) {
  const [keyword, setText] = useKeyword()
  const { data } = useRead(devices.typeOptions, { keyword }, { quiet: true })
  const choices = (data?.list ?? []).map(({ id, name }) => ({ value: id, label: name }))
  return <Picker {...props} choices={choices} onSearch={setText} placeholder="请选择设备类型" />
}

/** `kind` 1: only groups devices can be put into. */
export function GroupPicker({ kind, ...props }: PickerProps & { kind?: 1 }) {
  const [keyword, setText] = useKeyword()
  const { data } = useRead(devices.groupOptions, { keyword, ...(kind && { kind }) }, { quiet: true })
  const many = useManyTenants()
  const choices = (data?.list ?? []).map((group) => ({
    value: group.id,
    label: [group.name, group.kind === 2 && '（动态）', many && ` · ${group.tenantName}`].filter(Boolean).join(''),
  }))
  return <Picker {...props} choices={choices} onSearch={setText} placeholder="输入分组名称搜索" />
}

export function TenantPicker(props: PickerProps) {
  const [keyword, setText] = useKeyword()
  const { data } = useRead(devices.tenantOptions, { keyword }, { quiet: true })
  const choices = (data?.list ?? []).map(({ id, name, tenantNo }) => ({ value: id, label: `${name}（${tenantNo}）` }))
  return <Picker {...props} choices={choices} onSearch={setText} placeholder="输入客户名称或编号搜索" />
}

/** Does the account reach more customers than one? Otherwise there is nothing to choose. */
export function useManyTenants() {
  const { data } = useRead(devices.tenantOptions, { keyword: '' }, { quiet: true })
  return (data?.list.length ?? 0) > 1
}
