import { InputNumber } from 'antd'

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
      precision={2}
      suffix="%"
      value={value === undefined || value === null ? null : value / 100}
      // Rounds, because a decimal such as 12.34 has no exact binary representation.
      onChange={(next) => onChange?.(next === null ? null : Math.round(Number(next) * 100))}
      formatter={(text) => (text === undefined || `${text}` === '' ? '' : String(Number(text)))}
    />
  )
}
