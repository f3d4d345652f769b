import { Button } from 'antd'
import type { ReactNode } from 'react'
import '#kit/kit.css'

interface Props {
  readonly form: string
  readonly saving: boolean
  readonly saveText?: string
  /** The result of the form, such as the amount due, which stays visible next to the buttons. */
  readonly children?: ReactNode
  /** A further submit button beside the save button. */
  readonly extra?: ReactNode
  onCancel(): void
}

/** Cancel and save buttons of a drawer or page form. */
export function FormFooter({ form, saving, saveText = '保存', children, extra, onCancel }: Props) {
  return (
    <div className="kit-form-footer">
      {children && <div className="kit-form-result">{children}</div>}
      <Button onClick={onCancel}>取消</Button>
      <Button type="primary" htmlType="submit" form={form} loading={saving}>
        {saveText}
      </Button>
      {extra}
    </div>
  )
}
