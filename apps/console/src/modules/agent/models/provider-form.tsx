import { DeleteOutlined, PlusOutlined } from '@ant-design/icons'
import { FIELD_TYPES, isNumberField, type ModelType } from '@oms/contract/agent/models/model-config.ts'
import {
  agentProviders,
  FieldInput,
  ProviderChange,
  ProviderInput,
  type ProviderRow,
} from '@oms/contract/agent/models/provider.ts'
import { Button, Checkbox, Drawer, Form } from 'antd'
import type * as z from 'zod'
import { call, readFresh } from '#core/api/client.ts'
import { NumberField, SelectField, TextField } from '#kit/form/field.tsx'
import { FormFooter } from '#kit/form/form-footer.tsx'
import { FreshRecord } from '#kit/form/fresh-record.tsx'
import { useFormDrawer } from '#kit/form/use-form-modal.ts'
import './model.css'

const TYPE_OPTIONS = Object.entries(FIELD_TYPES).map(([value, label]) => ({ value, label }))
const NEW_FIELD = { type: 'string', default: '', min: null, max: null, required: false, secret: false }

/** Creates a provider of a type. */
export function ProviderAddForm({ type, onClose }: { type: ModelType; onClose(): void }) {
  const { drawer, footer, form } = useFormDrawer(agentProviders.create, {
    onClose,
    initial: { type, sort: 100, fields: [] },
  })
  return (
    <Drawer {...drawer} title="新增接口" footer={<FormFooter {...footer} />}>
      <Form {...form}>
        <TextField of={ProviderInput} name="code" hint="语音服务程序中的接口名，保存后不能修改" />
        <Fields of={ProviderInput as unknown as Editable} />
      </Form>
    </Drawer>
  )
}

/** Edits the name and the fields of a provider. */
export function ProviderEditForm({ row, onClose }: { row: ProviderRow; onClose(): void }) {
  const read = () => readFresh(agentProviders.get, { id: row.id }, row)
  return (
    <FreshRecord of={row.id} read={read} layer="drawer" title="编辑接口" onClose={onClose}>
      {(fresh) => <EditForm row={fresh} onClose={onClose} />}
    </FreshRecord>
  )
}

function EditForm({ row, onClose }: { row: ProviderRow; onClose(): void }) {
  const { drawer, footer, form } = useFormDrawer(agentProviders.update, {
    onClose,
    initial: row,
    latest: () => call(agentProviders.get, { id: row.id }),
  })
  return (
    <Drawer {...drawer} title={`编辑接口「${row.name}」`} footer={<FormFooter {...footer} />}>
      <Form {...form}>
        <Fields of={ProviderChange as unknown as Editable} />
      </Form>
    </Drawer>
  )
}

type Editable = z.ZodObject<Pick<typeof ProviderChange.shape, 'name' | 'sort' | 'fields'>>

const Fields = ({ of }: { of: Editable }) => (
  <>
    <div className="kit-pair">
      <TextField of={of} name="name" />
      <NumberField of={of} name="sort" />
    </div>
    <Form.List name="fields">
      {(rows, { add, remove }) => (
        <>
          {rows.map(({ key, name }) => (
            <FieldRow key={key} place={name} onRemove={() => remove(name)} />
          ))}
          <Button type="dashed" block icon={<PlusOutlined />} onClick={() => add(NEW_FIELD)}>
            添加字段
          </Button>
        </>
      )}
    </Form.List>
  </>
)

/**
 * Renders the inputs that define one field of a provider. Form names are relative to the list; validation rules come
 * from the contract.
 */
const FieldRow = ({ place, onRemove }: { place: number; onRemove(): void }) => (
  <fieldset className="kit-box">
    <legend>
      字段 {place + 1}
      <Button
        type="text"
        size="small"
        danger
        aria-label={`删除字段 ${place + 1}`}
        icon={<DeleteOutlined />}
        onClick={onRemove}
      />
    </legend>
    <div className="kit-pair">
      <TextField of={FieldInput} name="key" within={[place]} />
      <TextField of={FieldInput} name="label" within={[place]} />
      <SelectField of={FieldInput} name="type" within={[place]} options={TYPE_OPTIONS as never} />
      <TextField of={FieldInput} name="default" within={[place]} />
    </div>
    <Form.Item noStyle shouldUpdate>
      {({ getFieldValue }) =>
        isNumberField({ type: getFieldValue(['fields', place, 'type']) as 'string' }) && (
          <div className="kit-pair">
            <NumberField of={FieldInput} name="min" within={[place]} hint="不填则不限" />
            <NumberField of={FieldInput} name="max" within={[place]} hint="不填则不限" />
          </div>
        )
      }
    </Form.Item>
    <div className="kit-row agent-field-flags">
      <Form.Item name={[place, 'required']} valuePropName="checked" noStyle>
        <Checkbox>必填</Checkbox>
      </Form.Item>
      <Form.Item name={[place, 'secret']} valuePropName="checked" noStyle>
        <Checkbox>密钥（加密保存，不回显）</Checkbox>
      </Form.Item>
    </div>
  </fieldset>
)
