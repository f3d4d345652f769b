import { type AdDetail, type AdRow, ads } from '@oms/contract/advertise/ad.ts'
import { AdFields } from '@oms/contract/advertise/ad-input.ts'
import { AD_TYPES } from '@oms/contract/advertise/ad-rules.ts'
import type { Endpoint, InputOf } from '@oms/contract/core/endpoint.ts'
import { Alert, Drawer, Form } from 'antd'
import { useState } from 'react'
import { call, readFresh } from '#core/api/client.ts'
import { dialogs } from '#core/loading/overlays.ts'
import { SelectField, TextField } from '#kit/form/field.tsx'
import { FormFooter } from '#kit/form/form-footer.tsx'
import { selectAcceptedFields } from '#kit/form/form-values.ts'
import { FreshRecord } from '#kit/form/fresh-record.tsx'
import { useFormDrawer } from '#kit/form/use-form-modal.ts'
import { useAdTypes } from './ad-cells.tsx'
import { ContentFields } from './ad-content-fields.tsx'
import { ReviewFields } from './ad-review-fields.tsx'
import { EditedBannedWords } from './banned-words.tsx'
import { useTypeChange } from './use-type-change.ts'

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
