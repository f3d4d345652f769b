import { AD_TYPE } from '@oms/contract/advertise/engine/manifest.ts'
import type { AdDetail } from '@oms/contract/advertise/ad.ts'
import { AdFields } from '@oms/contract/advertise/ad-input.ts'
import { MATERIAL_PURPOSE } from '@oms/contract/advertise/ad-rules.ts'
import { Form } from 'antd'
import { Field, NumberField, SelectField, TextField } from '#kit/form/field.tsx'
import { MaterialsField } from '../materials/materials-field.tsx'
import { TextAdFields } from './text-ad-fields.tsx'

const TIMED: readonly number[] = [AD_TYPE.video, AD_TYPE.audio]

interface ContentFieldsProps {
  readonly row: AdDetail | undefined
  /** Changes the type of the ad. Undefined when the type is fixed. */
  readonly onType?: ((adType: number) => void) | undefined
}

/** Fields of the creative: files, text or web address, duration and orientation. */
export function ContentFields({ row, onType }: ContentFieldsProps) {
  const form = Form.useFormInstance()
  // The watched value is undefined during the first rendering, also in a form with a stored type.
  const watched = Form.useWatch<number | undefined>('adType')
  const adType = watched ?? (form.getFieldValue('adType') as number | undefined) ?? AD_TYPE.image
  const purpose = MATERIAL_PURPOSE[adType]
  const isTimed = TIMED.includes(adType)
  return (
    <>
      {purpose && (
        <Field of={AdFields} name="materials">
          <MaterialsField purpose={purpose} known={row?.materials ?? []} onType={onType} />
        </Field>
      )}
      {adType === AD_TYPE.text && <TextAdFields />}
      {adType === AD_TYPE.web && (
        <TextField
          of={AdFields}
          name="linkUrl"
          hint="以 https 开头，由屏幕直接打开；断网时跳过。部分网站不允许被嵌入，提交前请预览。"
        />
      )}
      <div className="kit-pair">
        {!isTimed && <NumberField of={AdFields} name="duration" unit="秒" />}
        <SelectField of={AdFields} name="orientation" />
      </div>
    </>
  )
}
