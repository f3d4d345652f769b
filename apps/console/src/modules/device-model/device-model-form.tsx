import { DeviceModelInput, deviceModels, MODEL_PICTURE } from '@oms/contract/device-model/device-model.ts'
import { Drawer, Form } from 'antd'
import { call, readFresh } from '#core/api/client.ts'
import type { CreateFormProps } from '#core/routing/create-forms.ts'
import { Field, NoteField, NumberField, SwitchField, TextField } from '#kit/form/field.tsx'
import { FormFooter } from '#kit/form/form-footer.tsx'
import { FreshRecord } from '#kit/form/fresh-record.tsx'
import { ImageUpload } from '#kit/upload/image-upload.tsx'
import { useFormDrawer } from '#kit/form/use-form-modal.ts'
import type { Model } from './device-model-list.page.tsx'
import { BoardSelect } from './board-select.tsx'
import { TypeSelect } from './type-select.tsx'

/** Form that creates a model. A select of models passes `onCreated` to receive the new model. */
export function ModelAddForm({ onClose, onCreated }: Pick<CreateFormProps, 'onClose'> & Partial<CreateFormProps>) {
  const { drawer, footer, form } = useFormDrawer(deviceModels.create, {
    onClose,
    onSaved: ({ id }, { modelName, modelCode }) => onCreated?.({ id, name: `${modelName}（${modelCode}）` }),
    initial: { status: 1, cloudChannels: 0, boards: [] },
  })
  return (
    <Drawer {...drawer} title="新增设备型号" footer={<FormFooter {...footer} />}>
      <Form {...form}>
        <Fields />
      </Form>
    </Drawer>
  )
}

/** Edits a model. */
export function ModelEditForm({ row, onClose }: { row: Model; onClose(): void }) {
  const read = () => readFresh(deviceModels.get, { id: row.id }, row)
  return (
    <FreshRecord of={row.id} read={read} layer="drawer" title="编辑设备型号" onClose={onClose}>
      {(fresh) => <EditForm row={fresh} onClose={onClose} />}
    </FreshRecord>
  )
}

function EditForm({ row, onClose }: { row: Model; onClose(): void }) {
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
        <TypeSelect onlyEnabled create="deviceType" chosen={row && { id: row.typeId, name: row.typeName }} />
      </Field>
      <TextField of={DeviceModelInput} name="modelName" />
      <TextField of={DeviceModelInput} name="modelCode" hint="设备上报和检查升级时使用，如 IPC-C2" />
      <Field of={DeviceModelInput} name="picture">
        <ImageUpload rule={MODEL_PICTURE} />
      </Field>
      <div className="model-pair">
        <TextField of={DeviceModelInput} name="hwVersion" />
        <TextField of={DeviceModelInput} name="chip" />
      </div>
      <NumberField of={DeviceModelInput} name="cloudChannels" hint="0 表示该型号不支持云存储" />
      <Field
        of={DeviceModelInput}
        name="boards"
        hint="语音设备上报的开发板，如 bread-compact-wifi；固件只发给这些开发板，版本名称须为 2.0.10 这样的三段数字"
      >
        <BoardSelect />
      </Field>
      <SwitchField of={DeviceModelInput} name="status" />
      <NoteField of={DeviceModelInput} name="remark" rows={3} />
    </>
  )
}
