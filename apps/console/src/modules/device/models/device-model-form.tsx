import { DeviceModelInput, deviceModels, MODEL_PICTURE } from '@oms/contract/device/device-model.ts'
import { Drawer, Form, Select } from 'antd'
import { KNOWN_BOARDS } from '@oms/contract/device/known-boards.ts'
import { call, readFresh } from '#core/api/client.ts'
import type { CreateFormProps } from '#core/routing/create-forms.ts'
import { Field, NoteField, NumberField, SwitchField, TextField } from '#kit/form/field.tsx'
import { FormFooter } from '#kit/form/form-footer.tsx'
import { FreshRecord } from '#kit/form/fresh-record.tsx'
import { ImageUpload } from '#kit/upload/image-upload.tsx'
import { useFormDrawer } from '#kit/form/use-form-modal.ts'
import { useRead } from '#core/api/query.ts'
import type { Model } from './device-model-list.page.tsx'
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
      <div className="kit-pair">
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

interface Props {
  readonly id?: string
  readonly value?: readonly string[]
  onChange?(boards: string[]): void
}

/**
 * Select for boards. Suggests the boards that devices reported and the boards of the public firmware, because a
 * mistyped board gets no firmware. Other boards can be typed.
 */
function BoardSelect({ value, onChange, ...props }: Props) {
  const { data } = useRead(deviceModels.boards, {}, { quiet: true })
  const reported = data?.list ?? []
  const known = KNOWN_BOARDS.filter((board) => !reported.some((each) => each.board === board))
  const options = [
    {
      label: '设备上报过的开发板',
      options: reported.map(({ board, devices }) => ({
        value: board,
        label: devices > 0 ? `${board}（${devices} 台）` : `${board}（未绑定）`,
      })),
    },
    { label: '官方固件的开发板', options: known.map((board) => ({ value: board, label: board })) },
  ]
  return (
    <Select
      {...props}
      mode="tags"
      value={value ? [...value] : []}
      onChange={onChange}
      options={options.filter((group) => group.options.length > 0)}
      optionLabelProp="value"
      tokenSeparators={[',', '，', ';', '；', ' ']}
      placeholder="选择开发板，或输入后按回车"
    />
  )
}
