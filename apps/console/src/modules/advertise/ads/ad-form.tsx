import { type AdDetail, type AdRow, ads } from '@oms/contract/advertise/ad.ts'
import { AdFields, AdTextInput } from '@oms/contract/advertise/ad-input.ts'
import { AD_TYPES, MATERIAL_PURPOSE, MAX_PROOFS, needsApproval } from '@oms/contract/advertise/ad-rules.ts'
import type { Endpoint, InputOf } from '@oms/contract/core/endpoint.ts'
import { Alert, Drawer, Form, Input, Segmented, Divider, Select, type FormInstance } from 'antd'
import { useState, useEffect, type CSSProperties, useRef } from 'react'
import { call, readFresh } from '#core/api/client.ts'
import { dialogs } from '#core/loading/overlays.ts'
import { SelectField, TextField, Field, NumberField, NoteField, SwitchField } from '#kit/form/field.tsx'
import { FormFooter } from '#kit/form/form-footer.tsx'
import { selectAcceptedFields } from '#kit/form/form-values.ts'
import { FreshRecord } from '#kit/form/fresh-record.tsx'
import { useFormDrawer } from '#kit/form/use-form-modal.ts'
import { useAdTypes, EditedBannedWords } from './ad-cells.tsx'
import { AD_TYPE, type AdText } from '@oms/contract/advertise/engine/manifest.ts'
import { MaterialsField } from '../materials/materials-field.tsx'
import '../advertise.css'
import { UPLOAD } from '@oms/contract/core/upload.ts'
import { DateField } from '#kit/form/field-date.tsx'
import { DictSelect } from '#kit/pickers/dict-select.tsx'
import { FileUpload } from '#kit/upload/file-upload.tsx'
import { splitAddresses, parseFileId, joinAddresses } from '#kit/upload/stored-file.ts'
import type { SentMaterial } from '../materials/use-material-uploads.ts'

const INITIAL = { adType: 1, orientation: 0, duration: 10, tags: [], proofs: [], materials: [] } as const
const TEXT = 4
/**
 * Returns the input of a save. Omits the text unless the ad is a text ad, because the form keeps the text after a
 * change of the type.
 */
const inputFor =
  <E extends Endpoint>(endpoint: E) =>
  ({ text, ...values }: Record<string, unknown>) =>
    selectAcceptedFields(endpoint, { ...values, ...(values['adType'] === TEXT && { text }) }) as InputOf<E>
const TYPES = Object.keys(AD_TYPES).map(Number)

export function AdAddForm({ onClose }: { onClose(): void }) {
  const { drawer, footer, form } = useFormDrawer(ads.create, {
    onClose,
    initial: INITIAL as never,
    input: inputFor(ads.create),
  })
  const { onTypeChanged, setType } = useTypeChange(form.form, INITIAL.adType)
  const onValuesChange = (changed: { adType?: number }) => {
    form.onValuesChange(changed)
    if ('adType' in changed) onTypeChanged(changed.adType)
  }
  return (
    <Drawer {...drawer} title="新增广告" footer={<FormFooter {...footer} />}>
      <Form {...form} onValuesChange={onValuesChange}>
        <Fields onType={setType} />
      </Form>
    </Drawer>
  )
}

export function AdEditForm({ row, onClose }: { row: AdRow; onClose(): void }) {
  const read = () => readFresh(ads.get, { id: row.id }, row as AdDetail)
  return (
    <FreshRecord of={row.id} read={read} layer="drawer" title="编辑广告" onClose={onClose}>
      {(fresh) => <EditForm row={fresh} onClose={onClose} />}
    </FreshRecord>
  )
}

function EditForm({ row, onClose }: { row: AdDetail; onClose(): void }) {
  const { drawer, footer, form, materials } = useEditForm(row, onClose)
  return (
    <Drawer {...drawer} title={`编辑广告「${row.adName}」`} footer={<FormFooter {...footer} />}>
      <Form {...form}>
        {row.auditRemark && <Alert type="error" showIcon className="kit-note" title={`驳回原因：${row.auditRemark}`} />}
        {row.approvedVer > 0 && (
          <Alert
            type="info"
            showIcon
            className="kit-note"
            title={`修改后须重新审核，通过前继续播放版本 ${row.approvedVer}`}
          />
        )}
        <Fields row={{ ...row, materials }} />
      </Form>
    </Drawer>
  )
}

/** Creates the state of the form, with the files of the stored ad. A save that removes all files of the ad needs a confirmation. */
function useEditForm(row: AdDetail, onClose: () => void) {
  const [materials, setMaterials] = useState(row.materials)
  const hasFiles = materials.length > 0
  const latest = async () => {
    const now = await call(ads.get, { id: row.id })
    setMaterials(now.materials)
    return forForm(now)
  }
  const isEmpty = (materials: unknown) => Array.isArray(materials) && materials.length === 0
  const state = useFormDrawer(ads.update, {
    onClose,
    initial: forForm(row),
    latest,
    input: (values) => ({ ...inputFor(ads.update)(values), confirmRemoval: isEmpty(values['materials']) ? 1 : 0 }),
  })
  const { form, onFinish } = state.form
  const submit = () => {
    if (!hasFiles || !isEmpty(form.getFieldValue('materials'))) return onFinish()
    dialogs.confirm({
      title: '移除全部素材？',
      content: '保存后该广告没有素材，重新上传前不能提交审核。',
      okText: '移除并保存',
      okButtonProps: { danger: true },
      onOk: onFinish,
    })
  }
  return { ...state, materials, form: { ...state.form, onFinish: submit } }
}

/** Returns the values of the form. Absent dates and texts are empty. */
const forForm = ({ proofs, materials, text, ...row }: AdDetail) => ({
  ...row,
  categoryId: row.categoryId ?? undefined,
  approvalUntil: row.approvalUntil ?? undefined,
  validFrom: row.validFrom ?? undefined,
  validTo: row.validTo ?? undefined,
  text: text ?? undefined,
  proofs: proofs.map(({ id }) => id),
  materials: materials.map(({ fileId }) => ({ fileId })),
})

function Fields({ row, onType }: { row?: AdDetail; onType?: (adType: number) => void }) {
  const { label } = useAdTypes()
  return (
    <>
      <div className="kit-pair">
        <TextField of={AdFields} name="adName" />
        <SelectField
          of={AdFields}
          name="adType"
          options={TYPES.map((value) => ({ value, label: label(value) }))}
          disabled={row !== undefined}
          hint={row !== undefined && '类型在新增后不能修改'}
        />
      </div>
      <ContentFields row={row} onType={onType} />
      <EditedBannedWords />
      <ReviewFields row={row} />
    </>
  )
}

const TIMED: readonly number[] = [AD_TYPE.video, AD_TYPE.audio]

interface ContentFieldsProps {
  readonly row: AdDetail | undefined
  /** Changes the type of the ad. Undefined when the type is fixed. */
  readonly onType?: ((adType: number) => void) | undefined
}

/** Fields of the creative: files, text or web address, duration and orientation. */
function ContentFields({ row, onType }: ContentFieldsProps) {
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

type TextAd = Partial<AdText>

/** Height of a screen, to which the font size refers. */
const SCREEN_HEIGHT = 1080
const SLOWEST_SECONDS = 22

/** Shows a text ad in the proportions of a landscape screen. */
function TextAdView({ text = {} }: { text?: TextAd | undefined }) {
  const { content = '', fontSize = 96, color = '#ffffff', background = '#10243e', align = 'center', speed = 5 } = text
  const style = {
    color,
    background,
    justifyContent: align,
    textAlign: align,
    '--ad-font': `${(fontSize / SCREEN_HEIGHT) * 100}cqh`,
    '--ad-scroll': `${SLOWEST_SECONDS - speed * 2}s`,
  } as CSSProperties
  return (
    <div className="ad-text-view" style={style} role="img" aria-label={content || '文字预览'}>
      <span className={text.scroll ? 'ad-text-scroll' : ''}>{content || '文字预览'}</span>
    </div>
  )
}

const PROOF_RULE = { ...UPLOAD.adProof, maxCount: MAX_PROOFS }
const idsOf = (value: unknown) => splitAddresses(String(value ?? '')).flatMap((address) => parseFileId(address) ?? [])
const addressesOf = (ids: unknown) => ({
  value: joinAddresses((Array.isArray(ids) ? (ids as string[]) : []).map((id) => `/api/v1/file/${id}`)),
})

/** Facts of the advertiser, the approval by authorities, and the period of validity. */
function ReviewFields({ row }: { row: AdDetail | undefined }) {
  const categoryId = Form.useWatch<number | undefined>('categoryId')
  const isSpecial = needsApproval(categoryId === undefined ? undefined : Number(categoryId))
  const names = Object.fromEntries((row?.proofs ?? []).map(({ url, name }) => [url, name]))
  return (
    <>
      <Divider titlePlacement="start" plain>
        广告主与有效期
      </Divider>
      <div className="kit-pair">
        <TextField of={AdFields} name="advertiser" />
        <TextField of={AdFields} name="contractNo" />
        <DateField of={AdFields} name="validFrom" />
        <DateField of={AdFields} name="validTo" hint="当天仍播放，次日起自动停播" />
        <Field of={AdFields} name="categoryId" normalize={(value) => (value == null ? undefined : Number(value))}>
          <DictSelect type="ad_category" />
        </Field>
        <Field of={AdFields} name="tags">
          <Select mode="tags" placeholder="输入后按回车，最多10个" maxCount={10} open={false} suffixIcon={null} />
        </Field>
      </div>
      {isSpecial && <ApprovalFields />}
      <Field of={AdFields} name="proofs" normalize={idsOf} getValueProps={addressesOf}>
        <FileUpload rule={PROOF_RULE} purpose="adProof" names={names} />
      </Field>
    </>
  )
}

/** Approval number of the authorities, for categories that need one. */
const ApprovalFields = () => (
  <>
    <Alert type="warning" showIcon className="kit-note" title="该类广告须填写广告批准文号、有效期并上传证明文件" />
    <div className="kit-pair">
      <TextField of={AdFields} name="approvalNo" />
      <DateField of={AdFields} name="approvalUntil" />
    </div>
  </>
)

type Materials = readonly SentMaterial[]

/**
 * Keeps one list of files for each type of a new ad. A change of the type shows the files of the new type, and the files
 * of the former type return with that type.
 */
function useTypeChange(form: FormInstance, initialType: number) {
  const filesByType = useRef<Record<number, Materials>>({})
  const shown = useRef(initialType)
  const onTypeChanged = (adType: number | undefined) => {
    if (adType === undefined || adType === shown.current) return
    if (MATERIAL_PURPOSE[shown.current])
      filesByType.current[shown.current] = (form.getFieldValue('materials') as Materials | undefined) ?? []
    shown.current = adType
    form.setFieldValue('materials', filesByType.current[adType] ?? [])
  }
  return {
    onTypeChanged,
    /** Sets the type and shows its files. */
    setType: (adType: number) => {
      form.setFieldValue('adType', adType)
      onTypeChanged(adType)
    },
  }
}
