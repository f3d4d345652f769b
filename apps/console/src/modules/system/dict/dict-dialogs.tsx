import { DictDataInput, dictData, TAG_COLOUR_LABELS } from '@oms/contract/system/dict.ts'
import { Form, Modal, Switch } from 'antd'
import { call, readFresh } from '#core/api/client.ts'
import { DictTag } from '#kit/pickers/dict.tsx'
import { NoteField, NumberField, SelectField, SwitchField, TextField } from '#kit/form/field.tsx'
import { FreshRecord } from '#kit/form/fresh-record.tsx'
import { indexDict } from '#kit/pickers/use-dict.ts'
import { useFormModal } from '#kit/form/use-form-modal.ts'
import type { DictData } from './dict-data-list.page.tsx'
import { DictTypeInput, dictTypes, DictTypeRow } from '@oms/contract/system/dict-type.ts'
import type { DictType } from './dict-type-list.page.tsx'
import { DetailDrawer } from '#kit/record/detail-drawer.tsx'
import { Descriptions, createDescriptions } from '#kit/record/descriptions.tsx'
import { RecordHistory } from '#kit/record/record-history.tsx'
import { time } from '#kit/record/time.tsx'
import { useCan } from '#core/auth/session.tsx'
import { logs } from '@oms/contract/system/log.ts'

const CLASSES = Object.entries(TAG_COLOUR_LABELS).map(([value, label]) => ({ value, label }))

/** Creates a dictionary entry. */
export function DictDataAddForm({ dictType, onClose }: { dictType: string; onClose(): void }) {
  const initial = { dictType, status: 1, isDefault: 'N', listClass: 'default', dictSort: 10 }
  const { modal, form } = useFormModal(dictData.create, { onClose, initial })
  return (
    <Modal title="新增字典数据" {...modal}>
      <Form {...form}>
        <DataFields builtin={false} />
      </Form>
    </Modal>
  )
}

/** Edits a dictionary entry; a shipped entry keeps its value. */
export function DictDataEditForm({ row, onClose }: { row: DictData; onClose(): void }) {
  const read = () => readFresh(dictData.get, { id: row.dictCode }, row)
  return (
    <FreshRecord of={row.dictCode} read={read} title="编辑字典数据" onClose={onClose}>
      {(fresh) => <DataEditForm row={fresh} onClose={onClose} />}
    </FreshRecord>
  )
}

function DataEditForm({ row, onClose }: { row: DictData; onClose(): void }) {
  const latest = () => call(dictData.get, { id: row.dictCode })
  const { modal, form } = useFormModal(dictData.update, { onClose, initial: row, latest })
  return (
    <Modal title={`编辑「${row.dictLabel}」`} {...modal}>
      <Form {...form}>
        <DataFields builtin={row.isBuiltin === 1} />
      </Form>
    </Modal>
  )
}

function DataFields({ builtin }: { builtin: boolean }) {
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

const NEW = { status: 1 }

/** Creates a dictionary. */
export function DictTypeAddForm({ onClose }: { onClose(): void }) {
  const { modal, form } = useFormModal(dictTypes.create, { onClose, initial: NEW })
  return (
    <Modal title="新增字典" {...modal}>
      <Form {...form}>
        <TypeFields builtin={false} />
      </Form>
    </Modal>
  )
}

/** Edits a dictionary; a shipped dictionary keeps its type. */
export function DictTypeEditForm({ row, onClose }: { row: DictType; onClose(): void }) {
  const read = () => readFresh(dictTypes.get, { id: row.dictId }, row)
  return (
    <FreshRecord of={row.dictId} read={read} title="编辑字典" onClose={onClose}>
      {(fresh) => <TypeEditForm row={fresh} onClose={onClose} />}
    </FreshRecord>
  )
}

function TypeEditForm({ row, onClose }: { row: DictType; onClose(): void }) {
  const latest = () => call(dictTypes.get, { id: row.dictId })
  const { modal, form } = useFormModal(dictTypes.update, { onClose, initial: row, latest })
  return (
    <Modal title={`编辑字典「${row.dictName}」`} {...modal}>
      <Form {...form}>
        <TypeFields builtin={row.isBuiltin === 1} />
      </Form>
    </Modal>
  )
}

function TypeFields({ builtin }: { builtin: boolean }) {
  return (
    <>
      <TextField of={DictTypeInput} name="dictName" />
      <TextField
        of={DictTypeInput}
        name="dictType"
        disabled={builtin}
        hint={builtin ? '内置字典的类型由程序使用，不能修改' : '小写字母开头，只含小写字母、数字和下划线'}
      />
      <SwitchField of={DictTypeInput} name="status" />
      <NoteField of={DictTypeInput} name="remark" rows={3} />
    </>
  )
}

interface Props {
  rows: readonly DictType[]
  row: DictType | undefined
  onRow(row: DictType | undefined): void
}
const { item, wide } = createDescriptions(DictTypeRow)
const ITEMS = [
  item('dictType'),
  item('dataCount'),
  item('isBuiltin', (builtin) => (builtin ? '是' : '否')),
  item('updateTime', time),
  wide('remark'),
]

/** Shows the details and the history of a dictionary. */
export function DictTypeDrawer(props: Props) {
  const can = useCan()
  return (
    <DetailDrawer {...props} rowKey="dictId" title={({ dictName }) => `字典「${dictName}」`}>
      {(row) => (
        <>
          <Descriptions row={row} items={ITEMS} />
          {can(logs.history.access) && (
            <>
              <h3 className="kit-heading">操作记录</h3>
              <RecordHistory bizType="dictType" bizId={row.dictId} />
            </>
          )}
        </>
      )}
    </DetailDrawer>
  )
}
