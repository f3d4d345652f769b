import { Button } from 'antd'
import './kit.css'

/** Cancel and save at the foot of a drawer or a page's form. */
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
