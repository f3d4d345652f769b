import { LoadingOutlined, SwapOutlined } from '@ant-design/icons'
import { ENABLED_LABELS, type StatusLabels } from '@oms/contract/core/status-labels.ts'
import { useState } from 'react'
import '#kit/kit.css'
import { DisabledFor } from '#kit/feedback/disabled-for.tsx'
import { dialogs } from '#core/loading/overlays.ts'

interface StatusSwitchProps {
  on: boolean
  /** Label of the record in the confirmation. */
  name: string
  /** Rejects when the server refuses; the call has shown the error. */
  onChange(on: boolean): Promise<unknown>
  /** Disables the switch and says why, in a tooltip that keyboard and touch reach. */
  reason?: string | undefined
  /** Warning in the confirmation before disabling. */
  warning?: string
  /** Set when `onChange` asks for confirmation itself, for example with the effects of the change. */
  confirms?: true
  /** Labels of the status. Default: 启用 and 停用. */
  labels?: StatusLabels | undefined
  /** Text on the switch while the record is disabled, such as 草稿. */
  offText?: string
}

/** Reason shown on a status switch that the account may not use. */
export const NO_STATUS_PERMISSION = '您没有修改状态的权限'

/**
 * The control that enables and disables a record in a list, shown as a dot and a word. It confirms first, shows the
 * new state at once, and reverts when the server refuses.
 */
export function StatusSwitch(props: StatusSwitchProps) {
  const { on, name, onChange, reason, warning, confirms = false, labels = ENABLED_LABELS } = props
  const [asked, setAsked] = useState<boolean>()
  const apply = async (next: boolean, shown = next) => {
    setAsked(shown)
    await onChange(next).catch(() => {})
    setAsked(undefined)
  }
  const change = (next: boolean) => {
    if (confirms) return void apply(next, on)
    const verb = next ? labels.enable : labels.disable
    dialogs.confirm({
      title: `${verb}「${name}」？`,
      content: next ? undefined : warning,
      okText: verb,
      okButtonProps: { danger: !next },
      cancelText: '取消',
      onOk: () => apply(next),
    })
  }
  const shown = asked ?? on
  const look = {
    type: 'button' as const,
    role: 'switch',
    className: 'kit-state kit-state-switch',
    'data-tone': shown ? 'success' : 'default',
    'aria-checked': shown,
    'aria-label': `${name}：${labels.enable}或${labels.disable}`,
    children: (
      <>
        {asked !== undefined && <LoadingOutlined aria-hidden />}
        <span>{shown ? labels.on : (props.offText ?? labels.off)}</span>
        {reason === undefined && <SwapOutlined aria-hidden />}
      </>
    ),
  }
  if (reason !== undefined) return <DisabledFor reason={reason}>{(why) => <button {...look} {...why} />}</DisabledFor>
  return <button {...look} disabled={asked !== undefined} onClick={() => change(!on)} />
}
