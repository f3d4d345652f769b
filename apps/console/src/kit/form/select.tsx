import { DownOutlined } from '@ant-design/icons'
import type { SelectProps } from 'antd'
import type { FullSelectProps } from './full-select.tsx'
import { type DeferredControl, deferControl, usePlaceholder } from './use-placeholder.ts'
import 'virtual:antd/select.css'

/** Select for list filters: renders a placeholder first, and antd's select on first interaction. */
export const Select = createPlaceholderSelect(deferControl(() => import('./full-select.tsx'), 'FullSelect'))

/** Creates a select whose placeholder waits for the given control. */
export function createPlaceholderSelect<Props extends SelectProps = SelectProps>(
  control: DeferredControl<Props & Pick<FullSelectProps, 'due'>>,
) {
  return function PlaceholderSelect(props: Props) {
    const { due, Full, reach } = usePlaceholder(control)
    if (Full && due) return <Full {...props} due={due} />
    const { id, value, options, placeholder, disabled, style, onOpenChange } = props
    const shown = { id, value, options, placeholder, disabled, style, label: props['aria-label'] }
    if (disabled) return <SelectPlaceholder {...shown} />
    return (
      <SelectPlaceholder
        {...shown}
        {...reach}
        onClick={(event) => {
          reach.onClick(event)
          onOpenChange?.(true)
        }}
        onKeyDown={(event) => {
          reach.onKeyDown(event)
          if (event.defaultPrevented) onOpenChange?.(true)
        }}
        onBlur={() => {
          reach.onBlur()
          if (due === 'opened') onOpenChange?.(false)
        }}
      />
    )
  }
}

type Reach = Partial<ReturnType<typeof usePlaceholder>['reach']>

interface SelectPlaceholderProps extends Reach, Pick<SelectProps, 'value' | 'options' | 'placeholder' | 'style'> {
  readonly id: string | undefined
  readonly label: string | undefined
  readonly disabled: boolean | undefined
}

function SelectPlaceholder({
  id,
  label,
  value,
  options = [],
  placeholder,
  disabled,
  style,
  ...reach
}: SelectPlaceholderProps) {
  const labels = [value ?? []]
    .flat()
    .map((each: unknown) => options.find((option) => option.value === each)?.label ?? String(each))
  return (
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-static-element-interactions -- the input inside takes the keys
    <div
      className={`ant-select ant-select-outlined css-var-root ant-select-css-var ant-select-single ant-select-show-arrow kit-select-early${disabled ? ' ant-select-disabled' : ''}`}
      {...reach}
      style={style}
    >
      <div className={labels.length > 0 ? 'ant-select-content ant-select-content-has-value' : 'ant-select-content'}>
        {labels.length > 0 ? labels.join('、') : <div className="ant-select-placeholder">{placeholder}</div>}
        <PlaceholderInput id={id} label={label} disabled={disabled} />
      </div>
      <div className="ant-select-suffix">
        <DownOutlined aria-hidden />
      </div>
    </div>
  )
}

type PlaceholderInputProps = Pick<SelectPlaceholderProps, 'id' | 'label' | 'disabled'>

const PlaceholderInput = ({ id, label, disabled }: PlaceholderInputProps) => (
  <input
    id={id}
    type="text"
    readOnly
    className="ant-select-input"
    role="combobox"
    aria-controls={undefined}
    aria-expanded={false}
    aria-haspopup="listbox"
    aria-label={label}
    disabled={disabled}
    value=""
  />
)
