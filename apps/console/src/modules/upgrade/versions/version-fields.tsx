import { parseBoardVersion } from '@oms/contract/agent/devices/board-version.ts'
import { deviceModels } from '@oms/contract/device/device-model.ts'
import { OtaVersionInput, OTA_MESSAGES, COMPONENT_URL, FIRMWARE_COMPONENT } from '@oms/contract/upgrade/ota.ts'
import { SoftwareVersionInput } from '@oms/contract/upgrade/software.ts'
import { Form, Input, Alert } from 'antd'
import { useEffect, useRef } from 'react'
import { useRead } from '#core/api/query.ts'
import type { CreateForm } from '#core/routing/create-forms.ts'
import { Field, NoteField, TextField, digitsOnly, buildFieldRules } from '#kit/form/field.tsx'
import { DateTimeField } from '#kit/form/field-date.tsx'
import { useArtifactKind } from './artifact-kind.ts'
import { DeviceModelPicker } from './version.tsx'
import './ota.css'
import { about } from '@oms/contract/core/fields.ts'
import { formatVersionRange, includesNewerVersions, isRangeBackwards } from '@oms/contract/upgrade/version-range.ts'
import { showCount } from '#kit/form/text-limit.ts'
import { type FirmwareImage, otaImages } from '@oms/contract/upgrade/app-image.ts'
import { useMayCall } from '#core/auth/session.tsx'

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

type End = 'oldVerMin' | 'oldVerMax'
const PATH = { min: ['otaVersion', 'oldVerMin'], max: ['otaVersion', 'oldVerMax'] }

const numberIn = (value: unknown) => (value === '' || value === undefined || value === null ? null : Number(value))

/** Form fields for the range of applicable old versions. Both ends are optional; a hint shows the range in words. */
function RangeFields() {
  const form = Form.useFormInstance()
  const range = () => ({
    oldVerMin: numberIn(form.getFieldValue(PATH.min)),
    oldVerMax: numberIn(form.getFieldValue(PATH.max)),
  })
  const ordered = {
    validator: async () => {
      if (isRangeBackwards(range())) throw new Error(OTA_MESSAGES.range)
    },
  }
  return (
    <div className="ota-wide">
      <div className="kit-row">
        <EndField name="oldVerMin" />
        <EndField name="oldVerMax" formRule={ordered} />
      </div>
      <RangeHint />
    </div>
  )
}

function EndField({ name, formRule }: { name: End; formRule?: { validator(): Promise<void> } }) {
  const { title, max } = about(OtaVersionInput, name)
  const { rules, validateTrigger } = buildFieldRules({ of: OtaVersionInput, name })
  return (
    <Form.Item
      name={['otaVersion', name]}
      label={title}
      normalize={digitsOnly}
      validateTrigger={validateTrigger}
      rules={[...rules, ...(formRule ? [formRule] : [])]}
      dependencies={formRule ? [PATH.min] : []}
      className="ota-end"
    >
      <Input inputMode="numeric" {...(max !== undefined && showCount(max))} placeholder="不填则不限" />
    </Form.Item>
  )
}

/** Shows the range in words and warns about a range that cannot be enabled. */
function RangeHint() {
  const form = Form.useFormInstance()
  const oldVerMin = numberIn(Form.useWatch(PATH.min, { form, preserve: true }))
  const oldVerMax = numberIn(Form.useWatch(PATH.max, { form, preserve: true }))
  const verCode = numberIn(Form.useWatch(['otaVersion', 'verCode'], { form, preserve: true }))
  const range = { oldVerMin, oldVerMax }
  const beyond = verCode !== null && includesNewerVersions({ ...range, verCode })
  return (
    <p className="kit-hint" role="status">
      {isRangeBackwards(range) ? '范围不成立' : formatVersionRange(range)}
      {beyond && <strong className="kit-warning">；{OTA_MESSAGES.beyond}，否则不能启用</strong>}
    </p>
  )
}

type Component = { readonly type?: number; readonly url?: string; readonly fileName?: string } | undefined
const VER_NAME = ['otaVersion', 'verName']

/**
 * Returns the application descriptor of the firmware component in the form: of the component of the type firmware, else of
 * the only `.bin` file. Null for another file, undefined without a component.
 */
function useAppImage(enabled: boolean): FirmwareImage | null | undefined {
  const form = Form.useFormInstance()
  const components = (Form.useWatch('components', { form, preserve: true }) ?? []) as readonly Component[]
  const images = components.filter((each) => each?.fileName?.toLowerCase().endsWith('.bin'))
  const chosen =
    components.find((each) => each?.type === FIRMWARE_COMPONENT) ?? (images.length === 1 ? images[0] : undefined)
  const fileId = COMPONENT_URL.exec(chosen?.url ?? '')?.[1]
  const mayRead = useMayCall()(otaImages.get)
  const { data } = useRead(
    otaImages.get,
    { fileId: fileId ?? '' },
    { enabled: enabled && mayRead && fileId !== undefined, quiet: true, keepPrevious: false },
  )
  return fileId === undefined ? undefined : data?.image
}

/**
 * Fills the version name of voice devices from the uploaded image, unless a person has typed another name. Shows what the
 * image says, and warns when its version differs.
 */
function FirmwareImageNote({ isOfBoards }: { readonly isOfBoards: boolean }) {
  const form = Form.useFormInstance()
  const image = useAppImage(isOfBoards)
  const verName = String(Form.useWatch(VER_NAME, { form, preserve: true }) ?? '').trim()
  const filled = useRef('')
  const version = image && parseBoardVersion(image.version) !== undefined ? image.version : undefined
  useEffect(() => {
    const current = String(form.getFieldValue(VER_NAME) ?? '').trim()
    if (version === undefined || (current !== '' && current !== filled.current)) return
    filled.current = version
    form.setFieldValue(VER_NAME, version)
    void form.validateFields([VER_NAME]).catch(() => {})
  }, [form, version])
  if (!isOfBoards || image === undefined) return null
  if (image === null)
    return (
      <Alert
        className="kit-note"
        type="warning"
        showIcon
        title="固件文件不是 ESP32 应用镜像，设备无法安装合并的烧录镜像"
      />
    )
  const facts = [image.project, image.chip, `ESP-IDF ${image.idf}`, image.buildTime].filter(Boolean).join('，')
  const differs =
    parseBoardVersion(image.version) === undefined || parseBoardVersion(image.version) !== parseBoardVersion(verName)
  return (
    <Alert
      className="kit-note"
      type={differs ? 'warning' : 'info'}
      showIcon
      title={`镜像版本 ${image.version}（${facts}）${differs ? '，与版本名称不一致，启用时会被拒绝' : ''}`}
    />
  )
}
