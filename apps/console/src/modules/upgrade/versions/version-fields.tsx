import { parseBoardVersion } from '@oms/contract/agent/devices/board-version.ts'
import { deviceModels } from '@oms/contract/device/device-model.ts'
import { OtaVersionInput } from '@oms/contract/upgrade/ota.ts'
import { SoftwareVersionInput } from '@oms/contract/upgrade/software.ts'
import { Form } from 'antd'
import { useEffect } from 'react'
import { useRead } from '#core/api/query.ts'
import type { CreateForm } from '#core/routing/create-forms.ts'
import { Field, NoteField, TextField } from '#kit/form/field.tsx'
import { DateTimeField } from '#kit/form/field-date.tsx'
import { FirmwareImageNote } from './app-image.tsx'
import { useArtifactKind } from './artifact-kind.ts'
import { DeviceModelPicker } from './model-picker.tsx'
import { RangeFields } from './range-fields.tsx'
import './ota.css'

interface Chosen {
  readonly modelId?: number | null
  readonly modelName?: string
}

const WITHIN = { of: OtaVersionInput, within: ['otaVersion'] } as const

/** Form fields of a version. */
export function VersionFields({ chosen, locked }: { chosen: object; locked: boolean }) {
  const { key } = useArtifactKind()
  const isOfBoards = useBoardVersion(chosen as Chosen)
  return (
    <div className="ota-fields">
      <ModelField chosen={chosen as Chosen} locked={locked} />
      {key === 'software' && (
        <TextField of={SoftwareVersionInput} within={WITHIN.within} name="packageName" disabled={locked} />
      )}
      <TextField
        {...WITHIN}
        name="verCode"
        hint={!locked && (isOfBoards ? '语音设备的版本号由版本名称得出' : '只能输入数字，最多 9 位')}
        disabled={isOfBoards || locked}
      />
      <TextField
        {...WITHIN}
        name="verName"
        hint={isOfBoards && '一至三段小于 1000 的数字，如 2.0.10；上传 ESP32 镜像后自动填写'}
      />
      <DateTimeField {...WITHIN} name="releaseDate" />
      <DateTimeField {...WITHIN} name="buildDate" />
      <div className="ota-wide">
        <FirmwareImageNote isOfBoards={isOfBoards} />
      </div>
      <RangeFields />
      <div className="ota-wide">
        <NoteField {...WITHIN} name="description" />
      </div>
    </div>
  )
}

/**
 * Fills the version number from the version name for a model of voice devices, as the server requires. Returns true for
 * such a model.
 */
function useBoardVersion({ modelName }: Chosen): boolean {
  const form = Form.useFormInstance()
  const { key } = useArtifactKind()
  const modelId: unknown = Form.useWatch(['otaVersion', 'modelId'], { form, preserve: true })
  const verName: unknown = Form.useWatch(['otaVersion', 'verName'], { form, preserve: true })
  const { data = [] } = useRead(deviceModels.choices, {}, { quiet: true })
  const keyword = modelName ?? ''
  const { data: own = [] } = useRead(deviceModels.choices, { keyword }, { quiet: true, enabled: keyword !== '' })
  const model = [...data, ...own].find((each) => each.modelId === modelId)
  const isOfBoards = key === 'ota' && model?.hasBoards === true
  const verCode = isOfBoards ? parseBoardVersion(String(verName ?? '').trim()) : undefined
  useEffect(() => {
    if (verCode !== undefined) form.setFieldValue(['otaVersion', 'verCode'], String(verCode))
  }, [form, verCode])
  // The user cannot correct a field that is filled from the name.
  useEffect(() => {
    if (isOfBoards) form.setFields([{ name: ['otaVersion', 'verCode'], errors: [] }])
  }, [form, isOfBoards])
  return isOfBoards
}

const QUICK_MODEL: CreateForm<'QuickModelModal'> = {
  label: '新增型号',
  access: deviceModels.quickCreate.access,
  allTenants: true,
  load: () => import('./quick-model-modal.tsx'),
  part: 'QuickModelModal',
}

function ModelField({ chosen: { modelId, modelName }, locked }: { chosen: Chosen; locked: boolean }) {
  const { key } = useArtifactKind()
  return (
    <Field {...WITHIN} name="modelId">
      <DeviceModelPicker
        chosen={modelId && modelName ? { id: modelId, name: modelName } : undefined}
        create={key === 'ota' && !locked ? QUICK_MODEL : undefined}
        disabled={locked}
      />
    </Field>
  )
}
