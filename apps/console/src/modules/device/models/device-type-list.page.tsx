import { DeviceTypeRow, deviceTypes } from '@oms/contract/device/device-type.ts'
import { useState } from 'react'
import type * as z from 'zod'
import { lazyAfterRender } from '#core/loading/deferred.tsx'
import { useWrite } from '#core/api/query.ts'
import { Link } from '#core/routing/router.tsx'
import { useCan } from '#core/auth/session.tsx'
import { BatchAction } from '#kit/list/batch-action.tsx'
import { createColumns } from '#kit/table/columns.tsx'
import { DataTable } from '#kit/table/data-table.tsx'
import { Ellipsis } from '#kit/record/ellipsis.tsx'
import { EnableSwitch } from '#kit/list/enable-switch.tsx'
import { ExportButton } from '#kit/list/export-button.tsx'
import { Filter, SelectFilter } from '#kit/list/filter.tsx'
import { DateRangeFilter } from '#kit/list/filter-date.tsx'
import { AddButton } from '#kit/list/record-actions.tsx'
import { Page } from '#kit/record/page.tsx'
import { RowActions } from '#kit/list/row-actions.tsx'
import { SearchForm, type SearchProps } from '#kit/list/search-form.tsx'
import { time } from '#kit/record/time.tsx'
import { useList } from '#kit/list/use-list.ts'
import { TypeIcon } from './device-type.tsx'

const TypeForm = lazyAfterRender(() => import('./device-model-dialogs.tsx'), 'TypeForm')

export type DeviceType = z.output<typeof DeviceTypeRow>

const { col, actions } = createColumns(DeviceTypeRow)
const QUERY = deviceTypes.list.input
const COLUMNS = [
  col('typeName', (name, { icon }) => <TypeName name={name} icon={icon} />, { width: 160, sort: true }),
  col('typeCode', { width: 120 }),
  col('modelCount', (count, { id }) => <Models count={count} typeId={id} />, { width: 90, align: 'right' }),
  col('deviceCount', (count, { id }) => <Devices count={count} typeId={id} />, { width: 100, align: 'right' }),
  col('sort', { width: 80, align: 'right', sort: true }),
  col('status', (_, row) => <TypeStatus row={row} />, { width: 90 }),
  col('remark', { width: 160 }),
  col('createTime', time, { width: 170, sort: true, hidden: true }),
  col('updateTime', time, { width: 170, sort: true }),
]

/** Lists device types; every model has one type. */
export default function DeviceTypeListPage() {
  const list = useList(deviceTypes.list)
  const [edited, setEdited] = useState<DeviceType | 'new'>()
  const close = () => setEdited(undefined)
  const rowActions = useRowActions(setEdited)
  const add = <AddButton to={deviceTypes.create} noun="类型" onAdd={() => setEdited('new')} />
  return (
    <Page>
      <TypeSearch {...list.search} />
      <DataTable
        {...list.table}
        rowKey="id"
        columns={[...COLUMNS, actions(rowActions, 120, [deviceTypes.update, deviceTypes.remove])]}
        actions={add}
        tools={<ExportButton to={deviceTypes.export} query={list.query} name="设备类型" />}
        findSelectionBlock={findDeletionBlock}
        batch={(picked) => (
          <BatchAction
            label="删除"
            to={deviceTypes.remove}
            picked={picked}
            input={({ id }) => ({ id })}
            nameOf={({ typeName }) => typeName}
            danger
            effect="删除后不能恢复。"
          />
        )}
        empty={{ text: '还没有设备类型，先新增类型，再新增型号', action: add }}
      />
      {edited && <TypeForm row={edited} onClose={close} />}
    </Page>
  )
}

const TypeSearch = (search: SearchProps) => (
  <SearchForm {...search}>
    <Filter of={QUERY} name="typeName" />
    <Filter of={QUERY} name="typeCode" />
    <SelectFilter of={QUERY} name="status" />
    <DateRangeFilter label="创建时间" />
  </SearchForm>
)

/** Returns why a type cannot be deleted. */
const findDeletionBlock = ({ modelCount }: DeviceType) =>
  modelCount > 0 ? `有 ${modelCount} 个型号，不能删除` : undefined

/** Returns a function that renders the actions on a type. */
function useRowActions(onEdit: (row: DeviceType) => void) {
  const remove = useWrite(deviceTypes.remove)
  return (row: DeviceType) => (
    <RowActions
      items={[
        { label: '编辑', to: deviceTypes.update, onClick: () => onEdit(row) },
        {
          label: '删除',
          to: deviceTypes.remove,
          danger: true,
          reason: findDeletionBlock(row),
          confirm: `删除设备类型「${row.typeName}」？`,
          onClick: () => remove.mutateAsync({ id: row.id }),
        },
      ]}
    />
  )
}

const TypeName = ({ name, icon }: { name: string; icon: string }) => (
  <span className="kit-named">
    <TypeIcon name={icon} />
    <Ellipsis text={name} />
  </span>
)

/** The count links to the model or device list. */
function Models({ count, typeId }: { count: number; typeId: number }) {
  const can = useCan()
  if (count === 0 || !can('device:updateManage:list')) return count
  return <Link to={`/device/updateManage?typeId=${typeId}`}>{count}</Link>
}
function Devices({ count, typeId }: { count: number; typeId: number }) {
  const can = useCan()
  if (count === 0 || !can('device:apkManage:list')) return count.toLocaleString()
  return <Link to={`/device/apkManage?typeId=${typeId}`}>{count.toLocaleString()}</Link>
}

const TypeStatus = ({ row }: { row: DeviceType }) => (
  <EnableSwitch
    calls={deviceTypes}
    id={row.id}
    on={row.status === 1}
    name={row.typeName}
    warning="停用后不能在该类型下新增型号，已有型号和设备不受影响。"
  />
)
