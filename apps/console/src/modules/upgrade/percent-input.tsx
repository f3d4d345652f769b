import { InputNumber } from 'antd'

/** A share kept in hundredths of a percent, typed in percent. */
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
      // Two digits behind the point, like 12.34, are no exact binary numbers.
      onChange={(next) => onChange?.(next === null ? null : Math.round(Number(next) * 100))}
      formatter={(text) => (text === undefined || `${text}` === '' ? '' : String(Number(text)))}
    />
  )
}
