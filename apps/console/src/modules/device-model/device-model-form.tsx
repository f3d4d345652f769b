import { DeviceModelInput, deviceModels, MODEL_PICTURE } from '@oms/contract/device-model.ts'
import { Drawer, Form } from 'antd'
import { call } from '#kernel/call.ts'
import { Field, NoteField, SwitchField, TextField } from '#kit/field.tsx'
import { FormFooter } from '#kit/form-footer.tsx'
import { ImageUpload } from '#kit/upload/image-upload.tsx'
import { useFormDrawer } from '#kit/use-form-modal.ts'
import type { Model } from './device-model-list.page.tsx'
import { TypeSelect } from './type-select.tsx'

/** Makes a model. */
export function ModelAdd({ onClose }: { onClose(): void }) {
  const { drawer, footer, form } = useFormDrawer(deviceModels.create, { onClose, initial: { status: 1 } })
  return (
    <Drawer {...drawer} title="新增设备型号" footer={<FormFooter {...footer} />}>
      <Form {...form}>
        <Fields />
      </Form>
    </Drawer>
  )
}

/** Changes a model. */
export function ModelEdit({ row, onClose }: { row: Model; onClose(): void }) {
  const latest = async () => forForm(await call(deviceModels.get, { id: row.id }))
  const { drawer, footer, form } = useFormDrawer(deviceModels.update, { onClose, initial: forForm(row), latest })
  return (
    <Drawer {...drawer} title={`编辑设备型号「${row.modelName}」`} footer={<FormFooter {...footer} />}>
      <Form {...form}>
        <Fields row={row} />
      </Form>
    </Drawer>
  )
}

const forForm = (row: Model) => ({ ...row, status: row.status as 0 | 1 })

function Fields({ row }: { row?: Model }) {
  return (
    <>
      <Field of={DeviceModelInput} name="typeId">
        <TypeSelect inUse chosen={row} />
      </Field>
      <TextField of={DeviceModelInput} name="modelName" />
      <TextField of={DeviceModelInput} name="modelCode" hint="设备上报和查询升级时使用，如 IPC-C2" />
      <Field of={DeviceModelInput} name="picture">
        <ImageUpload rule={MODEL_PICTURE} />
      </Field>
      <div className="model-pair">
        <TextField of={DeviceModelInput} name="hwVersion" />
        <TextField of={DeviceModelInput} name="chip" />
      </div>
      <SwitchField of={DeviceModelInput} name="status" />
      <NoteField of={DeviceModelInput} name="remark" rows={3} />
    </>
  )
}
