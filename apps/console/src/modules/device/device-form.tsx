import { devices } from '@oms/contract/device/device-info.ts'
import { DeviceInput, type DeviceRow } from '@oms/contract/device/device-row.ts'
import { Drawer, Form } from 'antd'
import { call, readFresh } from '#core/api/client.ts'
import type { CreateFormProps } from '#core/routing/create-forms.ts'
import { DigitsField, Field, NoteField, TextField } from '#kit/form/field.tsx'
import { DateField } from '#kit/form/field-date.tsx'
import { FormFooter } from '#kit/form/form-footer.tsx'
import { FreshRecord } from '#kit/form/fresh-record.tsx'
import { useFormDrawer } from '#kit/form/use-form-modal.ts'
import { DeviceModelPicker } from '#kit/pickers/model-picker.tsx'
import { TenantPicker, useHasManyTenants } from '#kit/pickers/tenant-picker.tsx'
import { TagsField } from './tags-field.tsx'

/** Form that creates a device. A select of devices passes `onCreated` to receive the new device. */
export function DeviceAddForm({ onClose, onCreated }: Pick<CreateFormProps, 'onClose'> & Partial<CreateFormProps>) {
  const { drawer, footer, form } = useFormDrawer(devices.create, {
    onClose,
    onSaved: ({ id }, { sn }) => onCreated?.({ id, name: sn }),
  })
  const many = useHasManyTenants()
  return (
    <Drawer title="新增设备" {...drawer} footer={<FormFooter {...footer} />}>
      <Form {...form}>
        <TextField of={DeviceInput} name="sn" hint="与标签、二维码一致；创建后不能修改" />
        <TextField of={DeviceInput} name="devName" />
        <Field of={DeviceInput} name="modelId">
          <DeviceModelPicker onlyEnabled create="deviceModel" />
        </Field>
        {many && (
          <Field of={DeviceInput} name="tenantId" hint="不选则归属当前客户">
            <TenantPicker onlyEnabled create="tenant" />
          </Field>
        )}
        <OtherFields />
      </Form>
    </Drawer>
  )
}

export function DeviceEditForm({ row, onClose }: { row: DeviceRow; onClose(): void }) {
  const read = () => readFresh(devices.get, { id: row.id }, row)
  return (
    <FreshRecord of={row.id} read={read} layer="drawer" title="编辑设备" onClose={onClose}>
      {(fresh) => <EditForm row={fresh} onClose={onClose} />}
    </FreshRecord>
  )
}

function EditForm({ row, onClose }: { row: DeviceRow; onClose(): void }) {
  const { drawer, footer, form } = useFormDrawer(devices.update, {
    onClose,
    initial: initialOf(row),
    latest: async () => initialOf(await call(devices.get, { id: row.id })),
  })
  return (
    <Drawer title={`编辑设备 ${row.sn}`} {...drawer} footer={<FormFooter {...footer} />}>
      <Form {...form}>
        <TextField of={DeviceInput} name="devName" />
        <Field of={DeviceInput} name="modelId">
          <DeviceModelPicker onlyEnabled create="deviceModel" chosen={{ id: row.modelId, name: row.modelName }} />
        </Field>
        <OtherFields />
      </Form>
    </Drawer>
  )
}

/** Returns only the fields that the form sends, in the format of its controls. */
const initialOf = (row: DeviceRow) => {
  const { id, rev, devName, modelId, mac, imei, verCode, hwVer, tags, warrantyEnd, remark } = row
  return { id, rev, devName, modelId, mac, imei, verCode: verCode ?? '', hwVer, tags, warrantyEnd, remark }
}

function OtherFields() {
  return (
    <>
      <TextField of={DeviceInput} name="mac" hint="12 位十六进制，可带冒号或短横线" />
      <DigitsField of={DeviceInput} name="imei" />
      <DigitsField of={DeviceInput} name="verCode" hint="设备上报后以上报的为准" />
      <TextField of={DeviceInput} name="hwVer" />
      <TagsField of={DeviceInput} name="tags" />
      <DateField of={DeviceInput} name="warrantyEnd" />
      <NoteField of={DeviceInput} name="remark" rows={3} />
    </>
  )
}
