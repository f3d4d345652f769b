import { AdTextInput } from '@oms/contract/advertise/ad-input.ts'
import { Form, Input, Segmented } from 'antd'
import { useEffect } from 'react'
import { Field, NoteField, NumberField, SwitchField } from '#kit/form/field.tsx'
import { type TextAd, TextAdView } from './text-ad-view.tsx'
import '../advertise.css'

const WITHIN = ['text'] as const
const STANDARD = { fontSize: 96, color: '#ffffff', background: '#10243e', align: 'center', scroll: 0, speed: 5 }
const ALIGN = [
  { value: 'left', label: '左' },
  { value: 'center', label: '中' },
  { value: 'right', label: '右' },
]

/** Form of a text ad with a live preview. */
export function TextAdFields() {
  const of = AdTextInput
  const form = Form.useFormInstance()
  const text = Form.useWatch<TextAd | undefined>('text')
  useEffect(() => {
    // The standard style is set when the type becomes 文字; other types send no text.
    if (form.getFieldValue(['text', 'fontSize']) === undefined)
      form.setFieldValue('text', { ...STANDARD, content: form.getFieldValue(['text', 'content']) as unknown })
  }, [form])
  return (
    <div className="kit-note">
      <TextAdView text={text} />
      <NoteField of={of} name="content" within={WITHIN} rows={3} />
      <div className="kit-pair">
        <NumberField of={of} name="fontSize" within={WITHIN} hint="按屏幕高 1080 像素计" />
        <Field of={of} name="align" within={WITHIN}>
          <Segmented options={ALIGN} />
        </Field>
        <Field of={of} name="color" within={WITHIN}>
          <Input type="color" className="ad-color" />
        </Field>
        <Field of={of} name="background" within={WITHIN}>
          <Input type="color" className="ad-color" />
        </Field>
        <SwitchField of={of} name="scroll" within={WITHIN} on="滚动" off="静止" />
        {Boolean(text?.scroll) && <NumberField of={of} name="speed" within={WITHIN} />}
      </div>
    </div>
  )
}
