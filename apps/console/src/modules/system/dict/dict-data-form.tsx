import { DictDataInput, dictData, TAG_COLOUR_LABELS } from '@oms/contract/system/dict.ts'
import { Form, Modal, Switch } from 'antd'
import { call, readFresh } from '#core/api/client.ts'
import { DictTag } from '#kit/pickers/dict.tsx'
import { NoteField, NumberField, SelectField, SwitchField, TextField } from '#kit/form/field.tsx'
import { FreshRecord } from '#kit/form/fresh-record.tsx'
import { indexDict } from '#kit/pickers/use-dict.ts'
import { useFormModal } from '#kit/form/use-form-modal.ts'
import type { DictData } from './dict-data-list.page.tsx'

const CLASSES = Object.entries(TAG_COLOUR_LABELS).map(([value, label]) => ({ value, label }))

/** Creates a dictionary entry. */
export function DictDataAddForm({ dictType, onClose }: { dictType: string; onClose(): void }) {
  const initial = { dictType, status: 1, isDefault: 'N', listClass: 'default', dictSort: 10 }
  const { modal, form } = useFormModal(dictData.create, { onClose, initial })
  return (
    <Modal title="新增字典数据" {...modal}>
      <Form {...form}>
        <Fields builtin={false} />
      </Form>
    </Modal>
  )
}

/** Edits a dictionary entry; a shipped entry keeps its value. */
export function DictDataEditForm({ row, onClose }: { row: DictData; onClose(): void }) {
  const read = () => readFresh(dictData.get, { id: row.dictCode }, row)
  return (
    <FreshRecord of={row.dictCode} read={read} title="编辑字典数据" onClose={onClose}>
      {(fresh) => <EditForm row={fresh} onClose={onClose} />}
    </FreshRecord>
  )
}

function EditForm({ row, onClose }: { row: DictData; onClose(): void }) {
  const latest = () => call(dictData.get, { id: row.dictCode })
  const { modal, form } = useFormModal(dictData.update, { onClose, initial: row, latest })
  return (
    <Modal title={`编辑「${row.dictLabel}」`} {...modal}>
      <Form {...form}>
        <Fields builtin={row.isBuiltin === 1} />
      </Form>
    </Modal>
  )
}

function Fields({ builtin }: { builtin: boolean }) {
  return (
    <>
      <TextField of={DictDataInput} name="dictLabel" />
      <TextField
        of={DictDataInput}
        name="dictValue"
        disabled={builtin}
        hint={builtin ? '内置数据的键值由程序使用，不能修改' : undefined}
      />
      <div className="kit-pair">
        <SelectField of={DictDataInput} name="listClass" options={CLASSES} />
        <TextField of={DictDataInput} name="cssClass" hint="附加的样式类名，一般留空" />
      </div>
      <Form.Item label="预览" shouldUpdate>
        {({ getFieldsValue }) => <Preview values={getFieldsValue(true) as Partial<DictData>} />}
      </Form.Item>
      <div className="kit-pair">
        <NumberField of={DictDataInput} name="dictSort" />
        <Form.Item
          name="isDefault"
          label="默认"
          extra="每个字典最多一条默认数据"
          getValueProps={(value: unknown) => ({ checked: value === 'Y' })}
          getValueFromEvent={(checked: boolean) => (checked ? 'Y' : 'N')}
        >
          <Switch className="kit-switch" checkedChildren="是" unCheckedChildren="否" />
        </Form.Item>
        <SwitchField of={DictDataInput} name="status" />
      </div>
      <NoteField of={DictDataInput} name="remark" rows={2} />
    </>
  )
}

function Preview({ values }: { values: Partial<DictData> }) {
  const { dictLabel = '', listClass = 'default', cssClass = '' } = values
  const entry = { dictLabel: dictLabel || '标签', dictValue: 'x', listClass, cssClass, status: 1 }
  return (
    <div className="kit-row">
      <DictTag dict={indexDict([entry])} value="x" />
    </div>
  )
}
