import { DownOutlined } from '@ant-design/icons'
import type { SelectProps } from 'antd'
import { later } from '#kernel/later.tsx'
import { STAND_IN, useStandIn } from './use-stand-in.ts'
import 'virtual:antd/select.css'

let here = false
const load = () =>
  import('./full-select.tsx').then((module) => {
    here = true
    return module
  })
const FullSelect = later(load, 'FullSelect', {
  fallback: ({ onFocus: _focus, onClick: _click, ...props }) => <StandIn {...props} />,
})

/** antd's select where lists are filtered: drawn at once, working as soon as somebody reaches for it. */
export function Select({ onFocus, ...props }: SelectProps) {
  const { due, reach } = useStandIn(() => here)
  if (due) return <FullSelect {...props} {...(onFocus && { onFocus })} due={due} />
  const open = () => {
    reach.onClick()
    props.onOpenChange?.(true)
  }
  return <StandIn {...props} {...reach} onClick={open} />
}

type Reach = Partial<ReturnType<typeof useStandIn>['reach']>

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
    <div
      className={`ant-select ant-select-outlined css-var-root ant-select-css-var ant-select-single ant-select-show-arrow kit-select-early${disabled ? ' ant-select-disabled' : ''}`}
      {...{ [STAND_IN]: '' }}
      onPointerDown={onPointerDown}
      onClick={onClick}
      style={rest.style}
    >
      <div className={labels.length > 0 ? 'ant-select-content ant-select-content-has-value' : 'ant-select-content'}>
        {labels.length > 0 ? labels.join('、') : <div className="ant-select-placeholder">{placeholder}</div>}
        <input
          id={id}
          type="text"
          readOnly
          className="ant-select-input"
          role="combobox"
          aria-expanded={false}
          aria-haspopup="listbox"
          aria-label={rest['aria-label']}
          disabled={disabled}
          value=""
          onFocus={onFocus}
        />
      </div>
      <div className="ant-select-suffix">
        <DownOutlined aria-hidden />
      </div>
    </div>
  )
}
