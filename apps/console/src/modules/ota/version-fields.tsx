import { deviceModels } from '@oms/contract/device-model/device-model.ts'
import { OtaVersionInput } from '@oms/contract/ota/ota.ts'
import { SoftwareVersionInput } from '@oms/contract/ota/software.ts'
import type { CreateForm } from '#core/routing/create-forms.ts'
import { Field, NoteField, TextField } from '#kit/form/field.tsx'
import { DateTimeField } from '#kit/form/field-date.tsx'
import { useArtifactKind } from './artifact-kind.ts'
import { ModelPicker } from './model-picker.tsx'
import { RangeFields } from './range-fields.tsx'

interface Chosen {
  readonly modelId?: number
  readonly modelName?: string
}

const WITHIN = { of: OtaVersionInput, within: ['otaVersion'] } as const

/** Form fields of a version. */
export function VersionFields({ chosen }: { chosen: object }) {
  const { key } = useArtifactKind()
  return (
    <div className="ota-fields">
      <ModelField chosen={chosen as Chosen} />
      {key === 'software' && <TextField of={SoftwareVersionInput} within={WITHIN.within} name="packageName" />}
      <TextField {...WITHIN} name="verCode" hint="只能输入数字，最多 9 位" />
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

const QUICK_MODEL: CreateForm<'QuickModelModal'> = {
  label: '新增型号',
  access: deviceModels.quickCreate.access,
  load: () => import('./quick-model-modal.tsx'),
  part: 'QuickModelModal',
}

function ModelField({ chosen: { modelId, modelName } }: { chosen: Chosen }) {
  const { key } = useArtifactKind()
  return (
    <Field {...WITHIN} name="modelId">
      <ModelPicker
        chosen={modelId !== undefined && modelName !== undefined ? { id: modelId, name: modelName } : undefined}
        create={key === 'ota' ? QUICK_MODEL : undefined}
      />
    </Field>
  )
}
