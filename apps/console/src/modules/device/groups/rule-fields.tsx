import { deviceGroups, GroupRuleInput } from '@oms/contract/device/device-group.ts'
import { useQuery } from '@tanstack/react-query'
import { Alert, Form, type FormInstance, Select } from 'antd'
import { call } from '#core/api/client.ts'
import { useDebounced } from '#kit/form/use-debounced.ts'
import { Field, NumberField, TextField } from '#kit/form/field.tsx'
import { DeviceModelsPicker } from '#kit/pickers/model-picker.tsx'
import { DeviceTypesPicker } from '#kit/pickers/type-picker.tsx'

interface Named {
  readonly id: number
  readonly name: string
}
interface RuleFieldsProps {
  form: FormInstance
  tenantId: number | undefined
  /** Initially selected options, so that names are shown instead of ids. */
  named: { readonly types: readonly Named[]; readonly models: readonly Named[] }
}

const WITHIN = ['rule'] as const

/** Conditions of a dynamic group, with the number of matching devices. */
export function RuleFields({ form, tenantId, named }: RuleFieldsProps) {
  return (
    <fieldset className="kit-box">
      <legend>规则</legend>
      <p className="kit-hint">同时满足所填的全部条件；同一条件的多个值满足其一即可。</p>
      <div className="kit-pair">
        <Field of={GroupRuleInput} name="typeIds" within={WITHIN}>
          <DeviceTypesPicker create="deviceType" chosen={named.types} />
        </Field>
        <Field of={GroupRuleInput} name="modelIds" within={WITHIN}>
          <DeviceModelsPicker create="deviceModel" chosen={named.models} />
        </Field>
        <NumberField of={GroupRuleInput} name="verCodeMin" within={WITHIN} />
        <NumberField of={GroupRuleInput} name="verCodeMax" within={WITHIN} />
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

interface MatchesProps {
  readonly form: FormInstance
  readonly tenantId: number | undefined
}

/** Counts the devices that match the rule in the form. */
function useMatches({ form, tenantId }: MatchesProps) {
  const rule = Form.useWatch<object | undefined>('rule', form)
  const text = useDebounced(JSON.stringify(conditionsOf(rule)))
  const given = JSON.parse(text) as Record<string, never>
  const { data, error, isFetching } = useQuery({
    queryKey: ['device', deviceGroups.preview.path, text, tenantId],
    queryFn: ({ signal }) =>
      call(deviceGroups.preview, { rule: given, ...(tenantId && { tenantId }) }, { signal, quiet: true }),
    enabled: text !== '{}',
    staleTime: 10_000,
  })
  return { hasRule: text !== '{}', count: data?.count, error, isFetching }
}

/** Shows the number of matching devices beside the save button, because the rule can be below the visible part. */
export function MatchCount(props: MatchesProps) {
  const { hasRule, count, error, isFetching } = useMatches(props)
  if (!hasRule || error || count === undefined) return null
  return (
    <span aria-busy={isFetching}>
      <b>{count.toLocaleString()}</b> 台设备符合规则
    </span>
  )
}

function Matches(props: MatchesProps) {
  const { hasRule, count, error, isFetching } = useMatches(props)
  if (!hasRule) return <Alert type="warning" showIcon title="请至少设置一个条件" />
  if (error) return <Alert type="error" showIcon title={error.message} />
  const words = count !== undefined ? `当前有 ${count.toLocaleString()} 台设备符合规则` : '正在统计符合规则的设备…'
  return <Alert type="info" showIcon role="status" aria-busy={isFetching} title={words} />
}

const conditionsOf = (rule: object | undefined) =>
  Object.fromEntries(
    Object.entries(rule ?? {}).filter(
      ([, value]) =>
        value !== undefined && value !== null && value !== '' && !(Array.isArray(value) && value.length === 0),
    ),
  )
