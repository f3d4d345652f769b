import { Switch } from 'antd'
import { useState } from 'react'
import './kit.css'
import { dialogs } from '#kernel/overlays.ts'

/** A status changed in its row: asked first, shown at once, and back as it was when the server refuses. */
export function StatusSwitch({
  on,
  name,
  onChange,
  disabled = false,
  labels = ['启用', '停用'],
  warning,
}: {
  on: boolean
  /** What the question calls the record. */
  name: string
  /** Rejects when refused; the call has told why. */
  onChange(on: boolean): Promise<unknown>
  disabled?: boolean
  labels?: readonly [on: string, off: string]
  /** What a person should know before switching off. */
  warning?: string
}) {
  const [asked, setAsked] = useState<boolean>()
  const change = (next: boolean) => {
    const verb = next ? labels[0] : labels[1]
    dialogs.confirm({
      title: `${verb}「${name}」？`,
      content: next ? undefined : warning,
      okText: verb,
      okButtonProps: { danger: !next },
      cancelText: '取消',
      onOk: async () => {
        setAsked(next)
        await onChange(next).catch(() => {})
        setAsked(undefined)
      },
    })
  }
  return (
    <Switch
      className="kit-switch"
      checked={asked ?? on}
      loading={asked !== undefined}
      disabled={disabled}
      aria-label={`${name}：${labels[0]}或${labels[1]}`}
      checkedChildren={labels[0]}
      unCheckedChildren={labels[1]}
      onChange={change}
    />
  )
}
