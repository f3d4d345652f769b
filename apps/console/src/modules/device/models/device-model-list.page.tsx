import { PictureOutlined } from '@ant-design/icons'
import { DeviceModelRow, deviceModels } from '@oms/contract/device/device-model.ts'
import { useState } from 'react'
import type * as z from 'zod'
import { lazyAfterRender } from '#core/loading/deferred.tsx'
import { useWrite } from '#core/api/query.ts'
import { Link } from '#core/routing/router.tsx'
import { useCan } from '#core/auth/session.tsx'
import { createColumns, renderPlainCell } from '#kit/table/columns.tsx'
import { DataTable } from '#kit/table/data-table.tsx'
import { EnableSwitch } from '#kit/list/enable-switch.tsx'
import { ExportButton } from '#kit/list/export-button.tsx'
import { Filter, SelectFilter } from '#kit/list/filter.tsx'
import { DateRangeFilter } from '#kit/list/filter-date.tsx'
import { AddButton, RecordBatch } from '#kit/list/record-actions.tsx'
import { Page } from '#kit/record/page.tsx'
import { RowActions } from '#kit/list/row-actions.tsx'
import { SearchForm, type SearchProps } from '#kit/list/search-form.tsx'
import { NameWithThumbnail } from '#kit/record/thumbnail.tsx'
import { time } from '#kit/record/time.tsx'
import { useList } from '#kit/list/use-list.ts'
import { TypeSelect } from './device-type.tsx'

const ModelAddForm = lazyAfterRender(() => import('./device-model-dialogs.tsx'), 'ModelAddForm')
const ModelEditForm = lazyAfterRender(() => import('./device-model-dialogs.tsx'), 'ModelEditForm')
const ModelDrawer = lazyAfterRender(() => import('./device-model-dialogs.tsx'), 'ModelDrawer', {
  when: ({ row }) => row !== undefined,
})

export type Model = z.output<typeof DeviceModelRow>

const { col, actions } = createColumns(DeviceModelRow)
const QUERY = deviceModels.list.input
const COLUMNS = [
  col(
    'modelName',
    (name, { picture }) => <NameWithThumbnail name={name} address={picture} icon={<PictureOutlined aria-hidden />} />,
    { width: 155, sort: true },
  ),
  col('modelCode', { width: 105, sort: true }),
  col('typeName', { width: 102 }),
  col('hwVersion', { width: 100, hidden: true }),
  col('chip', { width: 100, hidden: true }),
  col('cloudChannels', (count) => renderPlainCell(count > 0 ? count : '不支持'), { width: 120, hidden: true }),
  col('deviceCount', (count, { id }) => <Devices count={count} modelId={id} />, { width: 80, align: 'right' }),
  col('onlineCount', (count) => count.toLocaleString(), { width: 70, align: 'right' }),
  col('currentVerName', (_, row) => <Current row={row} />, { width: 130 }),
  col('versionCount', { width: 110, align: 'right', hidden: true }),
  col('status', (_, row) => <ModelStatus row={row} />, { width: 80 }),
  col('remark', { width: 160, hidden: true }),
  col('createTime', time, { width: 170, sort: true, hidden: true }),
  col('updateTime', time, { width: 152, sort: true }),
]

/** Lists device models with their device counts and versions. */
export default function DeviceModelListPage() {
  const list = useList(deviceModels.list)
  const [edited, setEdited] = useState<Model | 'new'>()
  const [shown, setShown] = useState<Model>()
  const close = () => setEdited(undefined)
  const rowActions = useRowActions(setShown, setEdited)
  const add = <AddButton to={deviceModels.create} noun="型号" onAdd={() => setEdited('new')} />
  return (
    <Page>
      <ModelSearch {...list.search} />
      <DataTable
        {...list.table}
        rowKey="id"
        columns={[...COLUMNS, actions(rowActions, 130, [deviceModels.get, deviceModels.update, deviceModels.remove])]}
        actions={add}
        tools={<ExportButton to={deviceModels.export} query={list.query} name="设备型号" />}
        batch={(picked) => (
          <RecordBatch
            calls={deviceModels}
            picked={picked}
            nameOf={({ modelName }) => modelName}
            disableEffect="停用后不能为这些型号新增设备和版本，这些型号的设备也不再获得升级。"
            removeEffect="还有设备或版本使用的型号不能删除。删除后不能恢复。"
          />
        )}
        empty={{
          text: '还没有设备型号',
          hint: '设备与固件版本都归属于型号：先有型号，再登记设备、上传版本。',
          action: add,
        }}
        onOpen={setShown}
      />
      <ModelDrawer rows={list.table.rows} row={shown} onRow={setShown} />
      {edited === 'new' && <ModelAddForm onClose={close} />}
      {edited && edited !== 'new' && <ModelEditForm row={edited} onClose={close} />}
    </Page>
  )
}

const ModelSearch = (search: SearchProps) => (
  <SearchForm {...search}>
    <Filter of={QUERY} name="modelName" />
    <Filter of={QUERY} name="modelCode" />
    <Filter of={QUERY} name="typeId">
      <TypeSelect />
    </Filter>
    <Filter of={QUERY} name="chip" />
    <SelectFilter of={QUERY} name="status" />
    <DateRangeFilter label="创建时间" />
  </SearchForm>
)

/** Returns a function that renders the actions on a model. */
function useRowActions(onShow: (row: Model) => void, onEdit: (row: Model) => void) {
  const remove = useWrite(deviceModels.remove)
  return (row: Model) => (
    <RowActions
      items={[
        { label: '详情', to: deviceModels.get, onClick: () => onShow(row) },
        { label: '编辑', to: deviceModels.update, onClick: () => onEdit(row) },
        {
          label: '删除',
          to: deviceModels.remove,
          danger: true,
          confirm: `删除设备型号「${row.modelName}」？还有设备或版本使用它时不能删除。`,
          onClick: () => remove.mutateAsync({ id: row.id }),
        },
      ]}
    />
  )
}

/** The count links to the device list. */
function Devices({ count, modelId }: { count: number; modelId: number }) {
  const can = useCan()
  if (count === 0 || !can('device:apkManage:list')) return count.toLocaleString()
  return <Link to={`/device/apkManage?modelId=${modelId}`}>{count.toLocaleString()}</Link>
}

const Current = ({ row: { currentVerCode, currentVerName } }: { row: Model }) =>
  currentVerCode === null ? (
    <span className="kit-none">-</span>
  ) : (
    renderPlainCell(`${currentVerName}（${currentVerCode}）`)
  )

const ModelStatus = ({ row }: { row: Model }) => (
  <EnableSwitch
    calls={deviceModels}
    id={row.id}
    on={row.status === 1}
    name={row.modelName}
    warning="停用后不能为该型号新增设备和版本，该型号的设备也不再获得升级。"
  />
)
