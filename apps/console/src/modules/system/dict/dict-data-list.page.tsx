import { PlusOutlined } from '@ant-design/icons'
import { DictDataRow, dictData } from '@oms/contract/system/dict.ts'
import { dictTypes } from '@oms/contract/system/dict-type.ts'
import { Button, Select, Skeleton, Tag } from 'antd'
import { useState } from 'react'
import { useNavigate, useParams } from 'react-router'
import type * as z from 'zod'
import { lazyAfterRender } from '#core/loading/deferred.tsx'
import { useRead, useWrite } from '#core/api/query.ts'
import { Allowed, useMayCall } from '#core/auth/session.tsx'
import { useTabTitle } from '#core/routing/tab.tsx'
import { BatchAction } from '#kit/list/batch-action.tsx'
import { createColumns } from '#kit/table/columns.tsx'
import { DataTable, type Picked } from '#kit/table/data-table.tsx'
import { DictTag } from '#kit/pickers/dict.tsx'
import { NameWithTags } from '#kit/record/ellipsis.tsx'
import { EnableSwitch } from '#kit/list/enable-switch.tsx'
import { ExportButton } from '#kit/list/export-button.tsx'
import { Filter, SelectFilter } from '#kit/list/filter.tsx'
import { LoadErrorPage } from '#kit/feedback/load-error-page.tsx'
import { Page, Panel } from '#kit/record/page.tsx'
import { StatusBatch } from '#kit/list/record-actions.tsx'
import { type RowAction, RowActions } from '#kit/list/row-actions.tsx'
import { SearchForm } from '#kit/list/search-form.tsx'
import { time } from '#kit/record/time.tsx'
import { indexDict } from '#kit/pickers/use-dict.ts'
import { useList } from '#kit/list/use-list.ts'

const DictDataAddForm = lazyAfterRender(() => import('./dict-dialogs.tsx'), 'DictDataAddForm')
const DictDataEditForm = lazyAfterRender(() => import('./dict-dialogs.tsx'), 'DictDataEditForm')
const HistoryDrawer = lazyAfterRender(() => import('#kit/record/history-drawer.tsx'), 'HistoryDrawer')

export type DictData = z.output<typeof DictDataRow>

const { col, actions } = createColumns(DictDataRow)
const QUERY = dictData.list.input
const COLUMNS = [
  col('dictLabel', (_, row) => <Label row={row} />, { width: 170 }),
  col('dictValue', { width: 120 }),
  col('dictSort', { width: 110, align: 'right', sort: true }),
  col('status', (_, row) => <DataStatus row={row} />, { width: 100 }),
  col('isDefault', (is) => (is === 'Y' ? <Tag color="processing">默认</Tag> : <None />), { width: 90 }),
  col('cssClass', { width: 140, hidden: true }),
  col('remark', { width: 160 }),
  col('createTime', time, { width: 180, hidden: true }),
  col('updateTime', time, { width: 180 }),
]

/** Lists the entries of one dictionary. */
export default function DictDataListPage() {
  const { dictId } = useParams()
  const asked = useRead(dictTypes.get, { id: Number(dictId) }, { keepPrevious: false, quiet: true })
  useTabTitle(asked.data && `字典数据 ${asked.data.dictName}`)
  if (!asked.data && asked.error)
    return (
      <Page>
        <LoadErrorPage refusal={asked.error} onRetry={() => void asked.refetch()} list="/system/systemDict" />
      </Page>
    )
  if (!asked.data)
    return (
      <Panel>
        <Skeleton active paragraph={{ rows: 10 }} />
      </Panel>
    )
  const { dictType } = asked.data
  return <Entries key={dictType} dictId={Number(dictId)} dictType={dictType} />
}

/** Open dialog or drawer of the page. */
type Open = {
  readonly add?: true
  readonly edit?: DictData
  readonly history?: DictData
}

function Entries({ dictId, dictType }: { dictId: number; dictType: string }) {
  const list = useList(dictData.list, { dictType })
  const [open, setOpen] = useState<Open>({})
  const actionsOf = useActions(setOpen)
  const canEdit = useMayCall()(dictData.update)
  const addButton = <AddButton onAdd={() => setOpen({ add: true })} />
  return (
    <Page extra={<TypePicker dictId={dictId} />}>
      <SearchForm {...list.search}>
        <Filter of={QUERY} name="dictLabel" />
        <Filter of={QUERY} name="dictValue" />
        <SelectFilter of={QUERY} name="status" />
      </SearchForm>
      <DataTable
        {...list.table}
        rowKey="dictCode"
        columns={[...COLUMNS, actions((row) => <RowActions items={actionsOf(row)} />, 130)]}
        actions={addButton}
        tools={<ExportButton to={dictData.export} query={list.query} name="字典数据" />}
        findSelectionBlock={({ isBuiltin }) => (isBuiltin === 1 ? '内置字典数据不能删除，可以逐条停用' : undefined)}
        batch={(picked) => <Batch picked={picked} />}
        empty={{
          text: '这个字典还没有数据',
          hint: '每条数据是一个选项：标签给人看，键值存入记录。',
          action: addButton,
        }}
        {...(canEdit && { onOpen: (edit: DictData) => setOpen({ edit }) })}
      />
      <Opened {...open} dictType={dictType} onClose={() => setOpen({})} />
    </Page>
  )
}

function useActions(onOpen: (open: Open) => void) {
  const remove = useWrite(dictData.remove)
  return (row: DictData): readonly (RowAction | false)[] => [
    { label: '编辑', to: dictData.update, onClick: () => onOpen({ edit: row }) },
    { label: '记录', onClick: () => onOpen({ history: row }) },
    row.isBuiltin === 0 && {
      label: '删除',
      to: dictData.remove,
      danger: true,
      confirm: `删除「${row.dictLabel}」？`,
      onClick: () => remove.mutateAsync({ id: row.dictCode }),
    },
  ]
}

function Opened({ dictType, onClose, ...open }: Open & { dictType: string; onClose(): void }) {
  if (open.add) return <DictDataAddForm dictType={dictType} onClose={onClose} />
  if (open.edit) return <DictDataEditForm row={open.edit} onClose={onClose} />
  if (!open.history) return null
  const { dictLabel, dictCode } = open.history
  return <HistoryDrawer name={dictLabel} bizType="dictData" bizId={dictCode} onClose={onClose} />
}

/** Preview of the entry's tag. */
function Label({ row }: { row: DictData }) {
  return (
    <NameWithTags name={row.dictLabel} shown={<DictTag dict={indexDict([row])} value={row.dictValue} />}>
      {row.isBuiltin === 1 && <span className="kit-muted">内置</span>}
    </NameWithTags>
  )
}

const None = () => <span className="kit-none">-</span>

function DataStatus({ row }: { row: DictData }) {
  return (
    <EnableSwitch
      calls={dictData}
      id={row.dictCode}
      on={row.status === 1}
      name={row.dictLabel}
      warning="停用后，下拉框不再提供该选项；已有数据仍显示其名称。"
    />
  )
}

/** Switches to another dictionary. */
function TypePicker({ dictId }: { dictId: number }) {
  const navigate = useNavigate()
  const { data } = useRead(dictTypes.optionselect, {}, { quiet: true })
  const options = data?.list.map((type) => ({ value: type.dictId, label: `${type.dictName}（${type.dictType}）` }))
  return (
    <Select
      aria-label="切换字典"
      style={{ width: 'min(320px, 100%)' }}
      // Hidden until the names are loaded, because an id means nothing to users.
      value={options ? dictId : null}
      placeholder="加载中"
      options={options ?? []}
      showSearch={{ optionFilterProp: 'label' }}
      onChange={(id) => void navigate(`/system/dict/data/index/${id}`)}
    />
  )
}

const AddButton = ({ onAdd }: { onAdd(): void }) => (
  <Allowed to={dictData.create}>
    <Button type="primary" icon={<PlusOutlined />} onClick={onAdd}>
      新增数据
    </Button>
  </Allowed>
)

function Batch({ picked }: { picked: Picked<DictData> }) {
  const each = {
    picked,
    input: ({ dictCode }: DictData) => ({ id: dictCode }),
    nameOf: (row: DictData) => row.dictLabel,
  }
  return (
    <>
      <StatusBatch calls={dictData} {...each} disableEffect="停用后，下拉框不再提供这些选项；已有数据仍显示其名称。" />
      <BatchAction label="删除" to={dictData.remove} {...each} danger effect="删除后不能恢复。" />
    </>
  )
}
