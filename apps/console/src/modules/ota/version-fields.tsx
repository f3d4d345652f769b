import { deviceModels } from '@oms/contract/device-model.ts'
import { OtaVersionInput } from '@oms/contract/ota.ts'
import { SoftwareVersionInput } from '@oms/contract/software.ts'
import { Form } from 'antd'
import { useState } from 'react'
import { useCan } from '#kernel/session.tsx'
import { DigitsField, Field, NoteField, TextField } from '#kit/field.tsx'
import { DateTimeField } from '#kit/field-date.tsx'
import { useFamily } from './family.ts'
import { ModelPicker } from './model-picker.tsx'
import { type Model, QuickModelModal } from './quick-model-modal.tsx'
import { RangeFields } from './range-fields.tsx'

const WITHIN = { of: OtaVersionInput, within: ['otaVersion'] } as const

/** What a person says of a version. */
export function VersionFields({ chosen }: { chosen: object }) {
  const { key } = useFamily()
  return (
    <div className="ota-fields">
      <ModelField chosen={chosen as Partial<Model>} />
      {key === 'software' && <TextField of={SoftwareVersionInput} within={WITHIN.within} name="packageName" />}
      <DigitsField {...WITHIN} name="verCode" hint="只能输入数字，最多 9 位" />
      <TextField {...WITHIN} name="verName" />
      <DateTimeField {...WITHIN} name="releaseDate" />
      <DateTimeField {...WITHIN} name="buildDate" />
      <RangeFields />
      <div className="ota-wide">
        <NoteField {...WITHIN} name="description" />
      </div>
    </div>
  )
}

/** The model, with the way to one that is not there yet. */
function ModelField({ chosen }: { chosen: Partial<Model> }) {
  const can = useCan()
  const { key } = useFamily()
  const form = Form.useFormInstance()
  const [adding, setAdding] = useState(false)
  const [made, setMade] = useState<Model>()
  const { modelId, modelName } = made ?? chosen
  const take = (model: Model) => {
    setMade(model)
    form.setFieldValue(['otaVersion', 'modelId'], model.modelId)
    void form.validateFields([['otaVersion', 'modelId']]).catch(() => {})
  }
  return (
    <>
      <Field {...WITHIN} name="modelId">
        <ModelPicker
          {...(modelId !== undefined && modelName !== undefined && { chosen: { modelId, modelName } })}
          {...(key === 'ota' && can(deviceModels.quickCreate.access) && { onAdd: () => setAdding(true) })}
        />
      </Field>
      {adding && <QuickModelModal onClose={() => setAdding(false)} onMade={take} />}
    </>
  )
}
