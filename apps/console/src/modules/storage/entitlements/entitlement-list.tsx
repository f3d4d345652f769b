import { PlusOutlined } from '@ant-design/icons'
import { EntitlementListRow, type EntitlementRow, storageEntitlements } from '@oms/contract/storage/entitlement.ts'
import { storagePackages } from '@oms/contract/storage/package.ts'
import { Button, Space } from 'antd'
import { type ReactNode, useState } from 'react'
import { Allowed, useCan } from '#core/auth/session.tsx'
import { lazyAfterRender } from '#core/loading/deferred.tsx'
import { formatBytes } from '#core/text/format.ts'
import { ExportButton } from '#kit/list/export-button.tsx'
import { DateRangeFilter } from '#kit/list/filter-date.tsx'
import { Filter, SelectFilter } from '#kit/list/filter.tsx'
import { RowActions } from '#kit/list/row-actions.tsx'
import { SearchForm, type SearchProps } from '#kit/list/search-form.tsx'
import { useList } from '#kit/list/use-list.ts'
import { time } from '#kit/record/time.tsx'
import { createColumns } from '#kit/table/columns.tsx'
import { DataTable, type Picked } from '#kit/table/data-table.tsx'
import { StateTag, ImportButton } from './entitlement.tsx'
import type { StepName } from './entitlement-dialogs.tsx'
import { RecordTypeTag, useRecordTypes } from '../package-cells.tsx'
import { TenantPicker, useHasManyTenants } from '#kit/pickers/tenant-picker.tsx'
import { PackagePicker } from '../storage-pickers.tsx'
import { about } from '@oms/contract/core/fields.ts'
import { FilterNote } from '#kit/list/filter-note.tsx'
import type { BuiltInView } from '#kit/list/saved-views-state.ts'
import { formatDayBeforeToday } from '#core/text/format.ts'

const GrantFileDialog = lazyAfterRender(() => import('./grant-file-dialogs.tsx'), 'GrantFileDialog')
const PackageAddForm = lazyAfterRender(() => import('../package-dialogs.tsx'), 'PackageAddForm')
const OpenEntitlementDrawer = lazyAfterRender(() => import('./entitlement-dialogs.tsx'), 'OpenEntitlementDrawer')
const EntitlementDrawer = lazyAfterRender(() => import('./entitlement-drawer.tsx'), 'EntitlementDrawer', {
  when: ({ row }) => row !== undefined,
})
const StepDialog = lazyAfterRender(() => import('./entitlement-dialogs.tsx'), 'StepDialog')
const RenewDialog = lazyAfterRender(() => import('./entitlement-dialogs.tsx'), 'RenewDialog')
const TransferDialog = lazyAfterRender(() => import('./transfer-dialog.tsx'), 'TransferDialog')

const { col, actions } = createColumns(EntitlementListRow)
const QUERY = storageEntitlements.list.input
const COLUMNS = [
  // A serial number of 13 characters stays in one line.
  col('sn', { width: 126 }),
  col('channel', (channel) => channel, { width: 60, align: 'right' }),
  // The width shows usual company names in two lines of eight characters, without a higher row.
  col('tenantName', { width: 130 }),
  col('packageName', { width: 120 }),
  col('source', { width: 60 }),
  col('state', (state) => <StateTag state={state} />, { width: 80 }),
  col('startTime', time, { width: 150, sort: true, hidden: true }),
  col('endTime', time, { width: 150, sort: true }),
  col('usedBytes', (bytes) => (bytes ? formatBytes(bytes) : '-'), { width: 90, align: 'right' }),
  col('uploadTime', time, { width: 140 }),
  col('entNo', { width: 170, hidden: true }),
  col('modelName', { width: 140, hidden: true }),
  col('recordType', (type) => <RecordTypeTag type={type} />, { width: 110, hidden: true }),
  col('period', { width: 80, hidden: true }),
  col('amount', { width: 110, align: 'right', hidden: true }),
  col('createName', { width: 110, hidden: true }),
  col('createTime', time, { width: 150, sort: true, hidden: true }),
  col('reason', { width: 180, hidden: true }),
]

interface Dialog {
  readonly kind: StepName | 'renew' | 'transfer'
  readonly rows: readonly EntitlementRow[]
  readonly onDone?: () => void
}
/** States in which an entitlement permits an action. */
const ALLOWED: Readonly<Record<Dialog['kind'], readonly number[]>> = {
  renew: [0, 1, 2, 3, 4],
  suspend: [1],
  resume: [3],
  transfer: [0, 1],
  cancel: [0, 1, 3],
}
const LABELS: Readonly<Record<Dialog['kind'], string>> = {
  renew: '续期',
  suspend: '暂停',
  resume: '恢复',
  transfer: '转移',
  cancel: '取消',
}
const KINDS = Object.keys(ALLOWED) as Dialog['kind'][]
/** Calls of the row actions. */
const CALLS = [storageEntitlements.get, ...KINDS.map((kind) => storageEntitlements[kind])]

const EMPTY = {
  text: '还没有开通记录',
  hint: '先新增云存套餐，再为设备开通。',
  needs: storagePackages.create,
  otherwise: '请联系平台管理员开放套餐并分配开通额度，之后即可为设备开通。',
  forPlatform: '请有新增套餐权限的同事先新增云存套餐，再为设备开通。',
}

/** Buttons of an empty list. A storage package must exist before cloud storage can be activated for a device. */
function FirstSteps({ open }: { readonly open: ReactNode }) {
  const [isAdding, setAdding] = useState(false)
  return (
    <Space>
      <Allowed to={storagePackages.create}>
        <Button onClick={() => setAdding(true)}>新增套餐</Button>
        {isAdding && <PackageAddForm onClose={() => setAdding(false)} />}
      </Allowed>
      {open}
    </Space>
  )
}

const VIEWS: readonly BuiltInView[] = [
  {
    name: '7 天内到期',
    filters: () => ({ state: '1', endBegin: formatDayBeforeToday(), endEnd: formatDayBeforeToday(-7) }),
  },
  { name: '已暂停', filters: { serviceState: '2' } },
]

/** Entitlements of devices to cloud storage. */
export function EntitlementList() {
  const list = useList(storageEntitlements.list)
  const can = useCan()
  const [isOpening, setOpening] = useState(false)
  const [shown, setShown] = useState<EntitlementRow>()
  const [dialog, setDialog] = useState<Dialog>()
  const [isImporting, setImporting] = useState(false)
  const add = <OpenButton onOpen={() => setOpening(true)} />
  const rowActions = (row: EntitlementRow) => <Actions row={row} onShow={setShown} onDialog={setDialog} />
  return (
    <>
      <ActiveFilterNote initial={list.search.initial} onClear={list.table.onClear} />
      <EntitlementSearch {...list.search} />
      <DataTable
        {...list.table}
        views={VIEWS}
        rowKey="id"
        columns={[...COLUMNS, actions(rowActions, 130, CALLS)]}
        actions={
          <>
            {add}
            <ImportButton onImport={() => setImporting(true)} />
          </>
        }
        tools={<ExportButton to={storageEntitlements.export} query={list.query} name="云存开通记录" />}
        batch={(picked) => <BatchBar picked={picked} onDialog={setDialog} />}
        empty={{ ...EMPTY, action: <FirstSteps open={add} /> }}
        {...(can(storageEntitlements.get.access) && { onOpen: setShown })}
      />
      <EntitlementDrawer rows={list.table.rows} row={shown} onRow={setShown} />
      {isOpening && <OpenEntitlementDrawer onClose={() => setOpening(false)} />}
      {isImporting && <GrantFileDialog onClose={() => setImporting(false)} />}
      {dialog && <ActionDialog {...dialog} onClose={() => setDialog(undefined)} />}
    </>
  )
}

interface ActionsProps {
  readonly row: EntitlementRow
  onShow(row: EntitlementRow): void
  onDialog(dialog: Dialog): void
}

const Actions = ({ row, onShow, onDialog }: ActionsProps) => (
  <RowActions
    items={[
      { label: '详情', to: storageEntitlements.get, onClick: () => onShow(row) },
      ...KINDS.map(
        (kind) =>
          ALLOWED[kind].includes(row.state) && {
            label: LABELS[kind],
            to: storageEntitlements[kind],
            ...(kind === 'cancel' && { danger: true as const }),
            onClick: () => onDialog({ kind, rows: [row] }),
          },
      ),
    ]}
  />
)

function ActionDialog({ kind, rows, onDone, onClose }: Dialog & { onClose(): void }) {
  const shared = { rows, onClose, ...(onDone && { onDone }) }
  if (kind === 'renew') return <RenewDialog {...shared} />
  if (kind === 'transfer') return <TransferDialog {...shared} />
  return <StepDialog step={kind} {...shared} />
}

function EntitlementSearch(search: SearchProps) {
  const types = useRecordTypes().options
  const isMany = useHasManyTenants()
  return (
    <SearchForm {...search}>
      <Filter of={QUERY} name="sn" />
      <Filter of={QUERY} name="entNo" />
      {isMany && (
        <Filter of={QUERY} name="tenantId">
          <TenantPicker />
        </Filter>
      )}
      <Filter of={QUERY} name="packageId">
        <PackagePicker />
      </Filter>
      <SelectFilter of={QUERY} name="state" />
      <SelectFilter of={QUERY} name="source" />
      <SelectFilter of={QUERY} name="serviceState" />
      <SelectFilter of={QUERY} name="recordType" options={types} />
      <DateRangeFilter label="到期时间" begin="endBegin" end="endEnd" />
      <DateRangeFilter label="开通时间" />
    </SearchForm>
  )
}

const OpenButton = ({ onOpen }: { onOpen(): void }) => (
  <Allowed to={storageEntitlements.open}>
    <Button type="primary" icon={<PlusOutlined />} onClick={onOpen}>
      开通
    </Button>
  </Allowed>
)

/** Actions on selected entitlements; the report names those that do not permit the action. */
function BatchBar({ picked, onDialog }: { picked: Picked<EntitlementRow>; onDialog(dialog: Dialog): void }) {
  return KINDS.map((kind) => (
    <Allowed key={kind} to={storageEntitlements[kind]}>
      <Button
        size="small"
        danger={kind === 'cancel'}
        onClick={() => onDialog({ kind, rows: picked.rows, onDone: picked.clear })}
      >
        {LABELS[kind]}
      </Button>
    </Allowed>
  ))
}

/** Filters that the statistics set and that have no field in the search form. */
const RANGES = [
  ['flowBegin', 'flowEnd'],
  ['queueEndBegin', 'queueEndEnd'],
] as const

/** Shows the active filters that came from the statistics and offers to clear them. */
function ActiveFilterNote({ initial, onClear }: { initial: object; onClear(): void }) {
  const values = initial as Readonly<Record<string, string | undefined>>
  const words = wordsOf(values)
  if (words.length === 0) return null
  return <FilterNote words={words} onClear={onClear} />
}

function wordsOf(values: Readonly<Record<string, string | undefined>>) {
  const labelled = (['flow', 'videos'] as const).flatMap((key) => {
    const value = values[key]
    if (value === undefined) return []
    const { title, labels } = about(QUERY, key)
    return [`${title}：${labels?.[Number(value)] ?? value}`]
  })
  const ranges = RANGES.flatMap(([begin, end]) => {
    const [from, to] = [values[begin], values[end]]
    if (!from && !to) return []
    return [`${about(QUERY, begin).title}：${from === to ? from : `${from ?? ''} 至 ${to ?? ''}`}`]
  })
  return [...labelled, ...ranges]
}
