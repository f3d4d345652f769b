import { deviceGroups, GroupRuleInput } from '@oms/contract/device-group.ts'
import { useQuery } from '@tanstack/react-query'
import { Alert, Form, type FormInstance, Select } from 'antd'
import { useEffect, useState } from 'react'
import { call } from '#kernel/call.ts'
import { useRead } from '#kernel/query.ts'
import { Field, NumberField, TextField } from '#kit/field.tsx'
import { useKeyword } from '#kit/use-keyword.ts'

interface Named {
  readonly id: number
  readonly name: string
}
interface RuleFieldsProps {
  form: FormInstance
  tenantId: number | undefined
  /** What is chosen already, so that names show instead of numbers. */
  named: { readonly types: readonly Named[]; readonly models: readonly Named[] }
}

const WITHIN = ['rule'] as const

/** The conditions of a dynamic group, with how many devices meet them right now. */
export function RuleFields({ form, tenantId, named }: RuleFieldsProps) {
  return (
    <fieldset className="group-rule">
      <legend>规则</legend>
      <p className="group-hint">同时满足所填的全部条件；同一条件的多个值满足其一即可。</p>
      <div className="group-pair">
        <Field of={GroupRuleInput} name="typeIds" within={WITHIN}>
          <Several what="types" named={named.types} placeholder="请选择设备类型" />
        </Field>
        <Field of={GroupRuleInput} name="modelIds" within={WITHIN}>
          <Several what="models" named={named.models} placeholder="输入型号名称或编码搜索" />
        </Field>
        <NumberField of={GroupRuleInput} name="verCodeMin" within={WITHIN} min={0} max={999_999_999} />
        <NumberField of={GroupRuleInput} name="verCodeMax" within={WITHIN} min={0} max={999_999_999} />
        <Field of={GroupRuleInput} name="tags" within={WITHIN} hint="输入后按回车；有其中任一标签即可">
          <Select
            mode="tags"
            open={false}
            suffixIcon={null}
            tokenSeparators={[',', '，', '、', ' ']}
            placeholder="输入标签"
          />
        </Field>
        <TextField of={GroupRuleInput} name="snPrefix" within={WITHIN} />
        <TextField of={GroupRuleInput} name="region" within={WITHIN} hint="与设备的地区完全相同" />
      </div>
      <Matches form={form} tenantId={tenantId} />
    </fieldset>
  )
}

interface SeveralProps {
  what: 'types' | 'models'
  named: readonly Named[]
  placeholder: string
  id?: string
  value?: number[]
  onChange?: (ids: number[] | undefined) => void
}

function Several({ what, named, placeholder, id, value, onChange }: SeveralProps) {
  const [keyword, setText] = useKeyword()
  const { data } = useRead(deviceGroups.options, { keyword }, { quiet: true })
  // Names seen once stay: what is chosen is not always among what is found.
  const [seen, setSeen] = useState<ReadonlyMap<number, string>>(
    () => new Map(named.map((each) => [each.id, each.name])),
  )
  const found = data?.[what] ?? []
  const fresh = found.filter((each) => !seen.has(each.id))
  if (fresh.length > 0) setSeen(new Map([...seen, ...fresh.map((each) => [each.id, each.name] as const)]))
  const shown = new Set([...found.map((each) => each.id), ...(value ?? [])])
  return (
    <Select
      {...(id && { id })}
      mode="multiple"
      allowClear
      value={value ?? []}
      placeholder={placeholder}
      showSearch={{ filterOption: false, onSearch: setText }}
      notFoundContent="没有找到"
      options={[...shown].map((each) => ({ value: each, label: seen.get(each) ?? String(each) }))}
      onChange={(next: number[]) => onChange?.(next.length > 0 ? next : undefined)}
    />
  )
}

const PAUSE_MS = 400

/** The value as it was when nothing had changed for a moment. */
function useSettled<T>(value: T): T {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [value])
  return settled
}

function Matches({ form, tenantId }: { form: FormInstance; tenantId: number | undefined }) {
  const rule = Form.useWatch<object | undefined>('rule', form)
  const text = useSettled(JSON.stringify(conditionsOf(rule)))
  const given = JSON.parse(text) as Record<string, never>
  const { data, error, isFetching } = useQuery({
    queryKey: ['device', deviceGroups.preview.path, text, tenantId],
    queryFn: ({ signal }) =>
      call(deviceGroups.preview, { rule: given, ...(tenantId && { tenantId }) }, { signal, quiet: true }),
    enabled: text !== '{}',
    staleTime: 10_000,
  })
  if (text === '{}') return <Alert type="warning" showIcon title="请至少设置一个条件" />
  if (error) return <Alert type="error" showIcon title={error.message} />
  const words = data ? `当前有 ${data.count.toLocaleString()} 台设备符合规则` : '正在统计符合规则的设备…'
  return <Alert type="info" showIcon role="status" aria-busy={isFetching} title={words} />
}

const conditionsOf = (rule: object | undefined) =>
  Object.fromEntries(
    Object.entries(rule ?? {}).filter(
      ([, value]) =>
        value !== undefined && value !== null && value !== '' && !(Array.isArray(value) && value.length === 0),
    ),
  )
