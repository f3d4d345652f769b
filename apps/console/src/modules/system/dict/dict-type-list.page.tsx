import { PlusOutlined, SyncOutlined } from '@ant-design/icons'
import { DictTypeRow, dictTypes } from '@oms/contract/system/dict-type.ts'
import { Button } from 'antd'
import { useState } from 'react'
import type * as z from 'zod'
import { lazyAfterRender } from '#core/loading/deferred.tsx'
import { useWrite } from '#core/api/query.ts'
import { Link } from '#core/routing/router.tsx'
import { Allowed, useCan } from '#core/auth/session.tsx'
import { BatchAction } from '#kit/list/batch-action.tsx'
import { createColumns } from '#kit/table/columns.tsx'
import { DataTable, type Picked } from '#kit/table/data-table.tsx'
import { Ellipsis, NameWithTags } from '#kit/record/ellipsis.tsx'
import { EnableSwitch } from '#kit/list/enable-switch.tsx'
import { ExportButton } from '#kit/list/export-button.tsx'
import { Filter, SelectFilter } from '#kit/list/filter.tsx'
import { DateRangeFilter } from '#kit/list/filter-date.tsx'
import { Page } from '#kit/record/page.tsx'
import { type RowAction, RowActions } from '#kit/list/row-actions.tsx'
import { SearchForm } from '#kit/list/search-form.tsx'
import { time } from '#kit/record/time.tsx'
import { useList } from '#kit/list/use-list.ts'

const DictTypeDrawer = lazyAfterRender(() => import('./dict-dialogs.tsx'), 'DictTypeDrawer', {
  when: ({ row }) => row !== undefined,
})
const DictTypeAddForm = lazyAfterRender(() => import('./dict-dialogs.tsx'), 'DictTypeAddForm')
const DictTypeEditForm = lazyAfterRender(() => import('./dict-dialogs.tsx'), 'DictTypeEditForm')

export type DictType = z.output<typeof DictTypeRow>

/** Calls of the row actions. */
const CALLS = [dictTypes.get, dictTypes.update, dictTypes.remove]
const { col, actions } = createColumns(DictTypeRow)
const QUERY = dictTypes.list.input
const COLUMNS = [
  col('dictName', (name, row) => <TypeName name={name} row={row} />, { width: 170 }),
  col('dictType', (type, { dictId }) => <TypeLink type={type} dictId={dictId} />, { width: 200, sort: true }),
  col('dataCount', { width: 100, align: 'right' }),
  col('status', (_, row) => <TypeStatus row={row} />, { width: 100 }),
  col('remark', { width: 140 }),
  col('createTime', time, { width: 180, hidden: true }),
  col('updateTime', time, { width: 180 }),
]

/** Lists the dictionaries; the type links to the entries. */
export default function DictTypeListPage() {
  const list = useList(dictTypes.list)
  const [edited, setEdited] = useState<DictType | 'new'>()
  const [shown, setShown] = useState<DictType>()
  const close = () => setEdited(undefined)
  const actionsOf = useActions(setShown, setEdited)
  const add = <AddButton onAdd={() => setEdited('new')} />
  const buttons = (
    <>
      {add}
      <RefreshButton />
    </>
  )
  return (
    <Page>
      <SearchForm {...list.search}>
        <Filter of={QUERY} name="dictName" />
        <Filter of={QUERY} name="dictType" />
        <SelectFilter of={QUERY} name="status" />
        <DateRangeFilter label="创建时间" />
      </SearchForm>
      <DataTable
        {...list.table}
        rowKey="dictId"
        columns={[...COLUMNS, actions((row) => <RowActions items={actionsOf(row)} />, 130, CALLS)]}
        actions={buttons}
        tools={<ExportButton to={dictTypes.export} query={list.query} name="字典类型" />}
        findSelectionBlock={({ isBuiltin }) => (isBuiltin === 1 ? '内置字典类型不能删除，可以停用' : undefined)}
        batch={(picked) => <Batch picked={picked} />}
        empty={{ text: '还没有字典', hint: '字典维护下拉选项和状态标签的文字与颜色。', action: add }}
        onOpen={setShown}
      />
      <DictTypeDrawer rows={list.table.rows} row={shown} onRow={setShown} />
      {edited === 'new' && <DictTypeAddForm onClose={close} />}
      {edited && edited !== 'new' && <DictTypeEditForm row={edited} onClose={close} />}
    </Page>
  )
}

function useActions(onOpen: (row: DictType) => void, onEdit: (row: DictType) => void) {
  const remove = useWrite(dictTypes.remove)
  return (row: DictType): readonly (RowAction | false)[] => [
    { label: '详情', to: dictTypes.get, onClick: () => onOpen(row) },
    { label: '编辑', to: dictTypes.update, onClick: () => onEdit(row) },
    row.isBuiltin === 0 && {
      label: '删除',
      to: dictTypes.remove,
      danger: true,
      confirm: `删除字典「${row.dictName}」？`,
      onClick: () => remove.mutateAsync({ id: row.dictId }),
    },
  ]
}

const Batch = ({ picked }: { picked: Picked<DictType> }) => (
  <BatchAction
    label="删除"
    to={dictTypes.remove}
    picked={picked}
    input={({ dictId }) => ({ id: dictId })}
    nameOf={({ dictName }) => dictName}
    danger
    effect="删除后不能恢复。"
  />
)

const TypeName = ({ name, row }: { name: string; row: DictType }) => (
  <NameWithTags name={name}>{row.isBuiltin === 1 && <span className="kit-muted">内置</span>}</NameWithTags>
)

function TypeLink({ type, dictId }: { type: string; dictId: number }) {
  const can = useCan()
  const code = <code>{type}</code>
  return (
    <Ellipsis text={type}>
      {can(dictTypes.get.access) ? <Link to={`/system/dict/data/index/${dictId}`}>{code}</Link> : code}
    </Ellipsis>
  )
}

function TypeStatus({ row }: { row: DictType }) {
  return (
    <EnableSwitch
      calls={dictTypes}
      id={row.dictId}
      on={row.status === 1}
      name={row.dictName}
      warning="停用后，使用该字典的下拉框不再提供选项。"
    />
  )
}

const AddButton = ({ onAdd }: { onAdd(): void }) => (
  <Allowed to={dictTypes.create}>
    <Button type="primary" icon={<PlusOutlined />} onClick={onAdd}>
      新增字典
    </Button>
  </Allowed>
)

function RefreshButton() {
  const refresh = useWrite(dictTypes.refreshCache)
  return (
    <Allowed to={dictTypes.refreshCache}>
      <Button icon={<SyncOutlined />} loading={refresh.isPending} onClick={() => refresh.mutate({})}>
        刷新缓存
      </Button>
    </Allowed>
  )
}
