import { DeviceTypeInput, deviceTypes } from '@oms/contract/device-model/device-type.ts'
import { Form, Modal, Select } from 'antd'
import { call, readFresh } from '#core/api/client.ts'
import type { CreateFormProps } from '#core/routing/create-forms.ts'
import { Field, NoteField, NumberField, SwitchField, TextField } from '#kit/form/field.tsx'
import { FreshRecord } from '#kit/form/fresh-record.tsx'
import { useFormModal } from '#kit/form/use-form-modal.ts'
import type { DeviceType } from './device-type-list.page.tsx'
import { ICON_OPTIONS } from './type-icon.tsx'

/** Creates a device type; also from a select of types, with `onCreated`. */
export function TypeAdd({ onClose, onCreated }: Pick<CreateFormProps, 'onClose'> & Partial<CreateFormProps>) {
  const { modal, form } = useFormModal(deviceTypes.create, {
    onClose,
    onSaved: ({ id }, { typeName }) => onCreated?.({ id, name: typeName }),
    initial: { sort: 0, status: 1 },
  })
  return (
    <Modal title="新增设备类型" {...modal}>
      <Form {...form}>
        <Fields />
      </Form>
    </Modal>
  )
}

/** Edits a device type. */
export function TypeEdit({ row, onClose }: { row: DeviceType; onClose(): void }) {
  const read = () => readFresh(deviceTypes.get, { id: row.id }, row)
  return (
    <FreshRecord of={row.id} read={read} title="编辑设备类型" onClose={onClose}>
      {(fresh) => <EditForm row={fresh} onClose={onClose} />}
    </FreshRecord>
  )
}

function EditForm({ row, onClose }: { row: DeviceType; onClose(): void }) {
  const latest = async () => forForm(await call(deviceTypes.get, { id: row.id }))
  const { modal, form } = useFormModal(deviceTypes.update, { onClose, initial: forForm(row), latest })
  return (
    <Modal title={`编辑设备类型「${row.typeName}」`} {...modal}>
      <Form {...form}>
        <Fields />
      </Form>
    </Modal>
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
      <NumberField of={DeviceTypeInput} name="sort" min={0} max={9999} hint="数字小的排在前面" />
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
