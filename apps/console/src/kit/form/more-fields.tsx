import { RightOutlined } from '@ant-design/icons'
import { Form } from 'antd'
import { type ReactNode, useState } from 'react'

interface MoreFieldsProps {
  readonly title?: string
  /** Fields whose values open the section. */
  readonly names: readonly string[]
  readonly children: ReactNode
}

const hasValue = (value: unknown) =>
  value != null && value !== '' && value !== false && value !== 0 && !(Array.isArray(value) && value.length === 0)

/** Folded section of a form with its optional fields. The section is open when one of them has a value. */
export function MoreFields({ title = '更多信息', names, children }: MoreFieldsProps) {
  const form = Form.useFormInstance()
  const [isFilled] = useState(() => names.some((name) => hasValue(form.getFieldValue(name))))
  return (
    <details className="kit-more" open={isFilled}>
      <summary>
        <RightOutlined aria-hidden />
        {title}
      </summary>
      {children}
    </details>
  )
}

/** Opens the folded section that contains a field, so that the field can be shown and focused. */
export function revealField(name: readonly (string | number)[]) {
  const id = CSS.escape(`_${name.join('_')}`)
  for (const section of document.querySelectorAll<HTMLDetailsElement>('details.kit-more:not([open])'))
    if (section.querySelector(`[id$="${id}"]`)) section.open = true
}
