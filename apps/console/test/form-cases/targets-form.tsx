import { Form } from 'antd'
import { TargetFields } from '#modules/advertise/timeline/target-fields.tsx'

/** The target fields of a program in a form. Its status shows the selected ids, or `none`. */
export function Targets() {
  const [form] = Form.useForm()
  const ids = Form.useWatch<number[] | undefined>('targetIds', form) ?? []
  return (
    <Form form={form} initialValues={{ targetType: 1, targetIds: [] }}>
      <TargetFields chosen={[]} tenantId={1} isPlatform />
      <output>{ids.join('+') || 'none'}</output>
    </Form>
  )
}
