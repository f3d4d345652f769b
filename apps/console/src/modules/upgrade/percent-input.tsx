import { InputNumber } from 'antd'
import { multiplyExactly } from '#kit/form/form-values.ts'

/** Percentage input. The value is in hundredths of a percent. */
export function PercentInput(props: {
  value?: number | null
  onChange?(value: number | null): void
  id?: string
  disabled?: boolean
}) {
  const { value, onChange, ...rest } = props
  return (
    <InputNumber
      {...rest}
      style={{ width: '100%' }}
      min={0.01}
      max={100}
      suffix="%"
      value={value === undefined || value === null ? null : value / 100}
      onChange={(next) => onChange?.(multiplyExactly(next, 100))}
      formatter={(text) => (text === undefined || `${text}` === '' ? '' : String(Number(text)))}
    />
  )
}
