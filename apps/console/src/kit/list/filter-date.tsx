import { CalendarOutlined, SwapRightOutlined } from '@ant-design/icons'
import { Form } from 'antd'
import { useId } from 'react'
import '#kit/kit.css'
import { deferControl, type PlaceholderState, usePlaceholder } from '#kit/form/use-placeholder.ts'
import 'virtual:antd/picker.css'

interface RangeFields {
  id: string
  from: string | undefined
  to: string | undefined
  onChange(from: string | undefined, to: string | undefined): void
}

export interface DateRangeProps extends RangeFields {
  due: PlaceholderState
}

const fullRange = deferControl(() => import('./date-range.tsx'), 'DateRange')

/** Date range filter with both ends inclusive, sent as `beginTime` and `endTime`. */
export function DateRangeFilter({
  label,
  begin = 'beginTime',
  end = 'endTime',
}: {
  label: string
  begin?: string
  end?: string
}) {
  const form = Form.useFormInstance()
  const { due, Full, reach } = usePlaceholder(fullRange)
  const range = {
    id: useId(),
    from: Form.useWatch(begin, { form, preserve: true }) as string | undefined,
    to: Form.useWatch(end, { form, preserve: true }) as string | undefined,
    onChange: (from?: string, to?: string) => form.setFieldsValue({ [begin]: from, [end]: to }),
  }
  return (
    <Form.Item label={label} htmlFor={range.id}>
      {Full && due ? <Full {...range} due={due} /> : <DateRangePlaceholder {...range} reach={reach} />}
    </Form.Item>
  )
}

type Reach = ReturnType<typeof usePlaceholder>['reach']

/** Placeholder of the calendar field until its code is loaded. */
function DateRangePlaceholder({
  id,
  from = '',
  to = '',
  reach,
}: Pick<RangeFields, 'id' | 'from' | 'to'> & { reach: Reach }) {
  const end = (value: string, placeholder: string, inputId: string) => (
    <div className="ant-picker-input">
      <input
        id={inputId}
        aria-label={inputId ? undefined : placeholder}
        value={value}
        placeholder={placeholder}
        readOnly
        size={12}
      />
    </div>
  )
  return (
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-static-element-interactions -- the input inside takes the keys
    <div
      className="ant-picker ant-picker-range ant-picker-outlined css-var-root ant-picker-css-var kit-range-early"
      {...reach}
    >
      {end(from, '开始日期', id)}
      <div className="ant-picker-range-separator" aria-hidden>
        <span className="ant-picker-separator">
          <SwapRightOutlined />
        </span>
      </div>
      {end(to, '结束日期', `${id}-end`)}
      <span className="ant-picker-suffix" aria-hidden>
        <CalendarOutlined />
      </span>
    </div>
  )
}
