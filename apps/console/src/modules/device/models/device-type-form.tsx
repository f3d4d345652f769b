import { DeviceTypeInput, deviceTypes } from '@oms/contract/device/device-type.ts'
import { Select } from 'antd'
import type { call } from '#core/api/client.ts'
import type { CreateFormProps } from '#core/routing/create-forms.ts'
import { Field, NoteField, NumberField, SwitchField, TextField } from '#kit/form/field.tsx'
import { RecordForm } from '#kit/form/record-form.tsx'
import type { DeviceType } from './device-type-list.page.tsx'
import { ICON_OPTIONS } from './type-icon.tsx'

type FormProps = Pick<CreateFormProps, 'onClose'> & Partial<CreateFormProps>

/** Form that creates a device type. A select of types passes `onCreated` to receive the new type. */
export const TypeAddForm = (props: FormProps) => <TypeForm row="new" {...props} />

/** Creates or edits a device type. */
export function TypeForm({ row, ...props }: FormProps & { row: DeviceType | 'new' }) {
  return (
    <RecordForm
      calls={deviceTypes}
      noun="设备类型"
      row={row}
      nameOf={({ typeName }) => typeName}
      initial={{ sort: 0, status: 1 }}
      toForm={forForm}
      {...props}
    >
      {() => <Fields />}
    </RecordForm>
  )
}

type IconName = Parameters<typeof call<typeof deviceTypes.update>>[1]['icon']
/** Treats an unknown icon as no icon. */
const forForm = ({ icon, ...row }: DeviceType) => ({
  ...row,
  icon: (ICON_OPTIONS.some(({ value }) => value === icon) ? icon : '') as IconName,
  status: row.status as 0 | 1,
})

function Fields() {
  return (
    <>
      <TextField of={DeviceTypeInput} name="typeName" />
      <TextField of={DeviceTypeInput} name="typeCode" hint="字母、数字和 _ . -，新增后仍可修改" />
      <Field of={DeviceTypeInput} name="icon" normalize={(value) => value ?? ''}>
        <IconSelect />
      </Field>
      <NumberField of={DeviceTypeInput} name="sort" hint="数字小的排在前面" />
      <SwitchField of={DeviceTypeInput} name="status" />
      <NoteField of={DeviceTypeInput} name="remark" rows={2} />
    </>
  )
}

function IconSelect(props: { id?: string; value?: string; onChange?: (value: string | undefined) => void }) {
  const { id, value, onChange } = props
  return (
    <Select
      {...(id && { id })}
      {...(value && { value })}
      allowClear
      placeholder="请选择图标"
      options={ICON_OPTIONS}
      onChange={(next?: string) => onChange?.(next)}
    />
  )
}
