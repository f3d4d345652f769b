import { Button } from 'antd'
import '#kit/kit.css'

/** Cancel and save buttons of a drawer or page form. */
export function FormFooter(props: { form: string; saving: boolean; onCancel(): void; saveText?: string }) {
  return (
    <div className="kit-form-footer">
      <Button onClick={props.onCancel}>取消</Button>
      <Button type="primary" htmlType="submit" form={props.form} loading={props.saving}>
        {props.saveText ?? '保存'}
      </Button>
    </div>
  )
}
