import { DownOutlined } from '@ant-design/icons'
import type { SelectProps } from 'antd'
import { lazyAfterRender } from '#core/loading/deferred.tsx'
import { PLACEHOLDER_STYLE, usePlaceholder } from './use-placeholder.ts'
import 'virtual:antd/select.css'

let here = false
const load = () =>
  import('./full-select.tsx').then((module) => {
    here = true
    return module
  })
const FullSelect = lazyAfterRender(load, 'FullSelect', {
  fallback: ({ onFocus: _focus, onClick: _click, ...props }) => <StandIn {...props} />,
})

/** Select for list filters: renders a placeholder first, and antd's select on first interaction. */
export function Select({ onFocus, ...props }: SelectProps) {
  const { due, reach } = usePlaceholder(() => here)
  if (due) return <FullSelect {...props} {...(onFocus && { onFocus })} due={due} />
  const open = () => {
    reach.onClick()
    props.onOpenChange?.(true)
  }
  return <StandIn {...props} {...reach} onClick={open} />
}

type Reach = Partial<ReturnType<typeof usePlaceholder>['reach']>

function StandIn({
  id,
  value,
  options = [],
  placeholder,
  disabled,
  onPointerDown,
  onClick,
  onFocus,
  ...rest
}: Omit<SelectProps, keyof Reach> & Reach) {
  const labels = [value ?? []]
    .flat()
    .map((each: unknown) => options.find((option) => option.value === each)?.label ?? String(each))
  return (
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-static-element-interactions -- the input inside takes the keys
    <div
      className={`ant-select ant-select-outlined css-var-root ant-select-css-var ant-select-single ant-select-show-arrow kit-select-early${disabled ? ' ant-select-disabled' : ''}`}
      {...{ [PLACEHOLDER_STYLE]: '' }}
      onPointerDown={onPointerDown}
      onClick={onClick}
      style={rest.style}
    >
      <div className={labels.length > 0 ? 'ant-select-content ant-select-content-has-value' : 'ant-select-content'}>
        {labels.length > 0 ? labels.join('、') : <div className="ant-select-placeholder">{placeholder}</div>}
        <PlaceholderInput id={id} label={rest['aria-label']} disabled={disabled} onFocus={onFocus} />
      </div>
      <div className="ant-select-suffix">
        <DownOutlined aria-hidden />
      </div>
    </div>
  )
}

interface PlaceholderInputProps {
  readonly id: string | undefined
  readonly label: string | undefined
  readonly disabled: boolean | undefined
  readonly onFocus: Reach['onFocus'] | undefined
}

const PlaceholderInput = ({ id, label, disabled, onFocus }: PlaceholderInputProps) => (
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
    onFocus={onFocus}
  />
)
