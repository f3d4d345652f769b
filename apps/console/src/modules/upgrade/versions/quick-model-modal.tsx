import { deviceModels, NewTypeInput, QuickModelInput } from '@oms/contract/device/device-model.ts'
import { Form, Modal, Radio, Select } from 'antd'
import { useState } from 'react'
import { useRead } from '#core/api/query.ts'
import type { CreateFormProps } from '#core/routing/create-forms.ts'
import { TextField } from '#kit/form/field.tsx'
import { useFormModal } from '#kit/form/use-form-modal.ts'

/** Creates a model, and its type if necessary, with the permission to add versions. */
export function QuickModelModal({ onClose, onCreated }: CreateFormProps) {
  const [newType, setNewType] = useState(false)
  const { modal, form } = useFormModal(deviceModels.quickCreate, {
    onClose,
    onSaved: ({ modelId, modelName }) => onCreated({ id: modelId, name: modelName }),
    input: ({ modelName, modelCode, typeId, typeName, typeCode }) =>
      ({ modelName, modelCode, ...(newType ? { typeName, typeCode } : { typeId }) }) as never,
  })
  return (
    <Modal title="新增型号" {...modal}>
      <Form {...form}>
        <TextField of={QuickModelInput} name="modelName" />
        <TextField of={QuickModelInput} name="modelCode" />
        <Form.Item label="设备类型">
          <Radio.Group
            value={newType}
            onChange={({ target }) => setNewType(Boolean(target.value))}
            options={[
              { value: false, label: '已有类型' },
              { value: true, label: '新增类型' },
            ]}
          />
        </Form.Item>
        {newType ? <NewType /> : <KnownType />}
      </Form>
    </Modal>
  )
}

function KnownType() {
  const { data = [] } = useRead(deviceModels.typeChoices, {})
  return (
    <Form.Item name="typeId" label="选择类型" required rules={[{ required: true, message: '请选择设备类型' }]}>
      <Select
        placeholder="请选择设备类型"
        notFoundContent="还没有设备类型，请选择“新增类型”"
        showSearch={{ optionFilterProp: 'label' }}
        options={data.map(({ typeId, typeName, typeCode }) => ({ value: typeId, label: `${typeName}（${typeCode}）` }))}
      />
    </Form.Item>
  )
}

const NewType = () => (
  <>
    <TextField of={NewTypeInput} name="typeName" />
    <TextField of={NewTypeInput} name="typeCode" />
  </>
)
