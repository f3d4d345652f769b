import { DeleteOutlined, PlusOutlined } from '@ant-design/icons'
import { COMPONENT_TYPE, DEFAULT_COMPONENT_TYPE, MAX_COMPONENTS, OtaComponentInput } from '@oms/contract/upgrade/ota.ts'
import { Button, Form, Popconfirm } from 'antd'
import { ReasonedButton } from '#kit/feedback/reasoned-button.tsx'
import { SelectField, TextField } from '#kit/form/field.tsx'
import { useDictLabels } from '#kit/pickers/dict-words.tsx'
import { ComponentFile } from './component-file.tsx'
import './ota.css'

/** Form fields for the components of a version, one card for each component. */
export function ComponentRows({ place }: { place: string }) {
  return (
    <Form.List name="components">
      {(rows, { add, remove }) => (
        <div>
          {rows.map(({ key, name }) => (
            <ComponentRow key={key} index={name} place={`${place}:${name}`} onRemove={() => remove(name)} />
          ))}
          <ReasonedButton
            type="dashed"
            block
            icon={<PlusOutlined />}
            reason={rows.length >= MAX_COMPONENTS ? `组件最多 ${MAX_COMPONENTS} 个` : undefined}
            onClick={() => add({ type: DEFAULT_COMPONENT_TYPE })}
          >
            添加组件
          </ReasonedButton>
        </div>
      )}
    </Form.List>
  )
}

function ComponentRow({ index, place, onRemove }: { index: number; place: string; onRemove(): void }) {
  const title = `组件 ${index + 1}`
  return (
    <fieldset className="kit-box" aria-label={title}>
      <div className="kit-row kit-apart">
        <strong>{title}</strong>
        <Popconfirm title={`移除${title}？`} okText="移除" cancelText="取消" onConfirm={onRemove}>
          <Button type="text" size="small" danger icon={<DeleteOutlined />} aria-label={`移除${title}`} />
        </Popconfirm>
      </div>
      <div className="ota-row-fields">
        <ListedField index={index} />
        <ComponentFile index={index} place={place} />
      </div>
    </fieldset>
  )
}

function ListedField({ index }: { index: number }) {
  const types = useDictLabels('ota_component_type', COMPONENT_TYPE).options
  return (
    <div>
      <TextField of={OtaComponentInput} name="name" within={[index]} />
      <SelectField of={OtaComponentInput} name="type" within={[index]} options={types} />
    </div>
  )
}
