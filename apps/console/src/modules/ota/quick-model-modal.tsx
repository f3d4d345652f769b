import { deviceModels, type ModelChoice, NewTypeInput, QuickModelInput } from '@oms/contract/device-model.ts'
import { Form, Modal, Radio, Select } from 'antd'
import { useState } from 'react'
import type * as z from 'zod'
import { useRead } from '#kernel/query.ts'
import { TextField } from '#kit/field.tsx'
import { useFormModal } from '#kit/use-form-modal.ts'

export type Model = z.output<typeof ModelChoice>

/** Makes a model without leaving the version being written; its type may be new as well. */
export function QuickModelModal({ onClose, onMade }: { onClose(): void; onMade(model: Model): void }) {
  const [newType, setNewType] = useState(false)
  const { modal, form } = useFormModal(deviceModels.quickCreate, {
    onClose,
    onSaved: onMade,
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
