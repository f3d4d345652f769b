import { BellOutlined, ExportOutlined, ImportOutlined, SendOutlined } from '@ant-design/icons'
import { licenseCerts } from '@oms/contract/license/license.ts'
import { LicenseRow, LicenseQuery } from '@oms/contract/license/license-rows.ts'
import { Button, Tabs } from 'antd'
import { useState } from 'react'
import { lazyAfterRender } from '#core/loading/deferred.tsx'
import { Allowed, useCan, usePermissions } from '#core/auth/session.tsx'
import { useView } from '#core/routing/view.ts'
import { createColumns, renderPlainCell } from '#kit/table/columns.tsx'
import { DataTable, type Picked } from '#kit/table/data-table.tsx'
import { Page } from '#kit/record/page.tsx'
import { RowActions, type RowAction } from '#kit/list/row-actions.tsx'
import { time } from '#kit/record/time.tsx'
import { useList } from '#kit/list/use-list.ts'
import { Filter, SelectFilter } from '#kit/list/filter.tsx'
import { DateRangeFilter } from '#kit/list/filter-date.tsx'
import { SearchForm, type SearchProps } from '#kit/list/search-form.tsx'
import { DeviceModelPicker } from '#kit/pickers/model-picker.tsx'
import { TenantPicker, useHasManyTenants } from '#kit/pickers/tenant-picker.tsx'
import {
  StateTag,
  UidCell,
  VendorName,
  useLicenseStateLabels,
  useVendorLabels,
  LICENSE_STEP_DIALOGS,
  type StepName,
  BatchPicker,
} from './license.tsx'
import { SHARED_DATA_MESSAGE } from '@oms/contract/core/shared-data.ts'
import { type LicenseStep, findStateAfter } from '@oms/contract/license/license-state.ts'
import type { BuiltInView } from '#kit/list/saved-views-state.ts'
import { formatDayBeforeToday } from '#core/text/format.ts'

const LicenseBatches = lazyAfterRender(() => import('./license-drawer.tsx'), 'LicenseBatches')
const LicenseDrawer = lazyAfterRender(() => import('./license-drawer.tsx'), 'LicenseDrawer', {
  when: ({ row }) => row !== undefined,
})
const LicenseImport = lazyAfterRender(() => import('./license-import.tsx'), 'LicenseImport')
const AllotWizard = lazyAfterRender(() => import('./allot-wizard.tsx'), 'AllotWizard')
const ExportDialog = lazyAfterRender(() => import('./license-dialogs.tsx'), 'ExportDialog')
const ThresholdDialog = lazyAfterRender(() => import('./license-dialogs.tsx'), 'ThresholdDialog')

const { col, actions } = createColumns(LicenseRow)
const COLUMNS = [
  col('uid', (uid) => <UidCell uid={uid} />, { width: 190, sort: true }),
  col('state', (state) => <StateTag state={state} />, { width: 84 }),
  col('tenantName', (name, { state }) => renderPlainCell(name || (state === 0 ? '未分配' : '')), { width: 115 }),
  col('expireTime', time, { width: 152 }),
  col('sn', { width: 126 }),
  col('vendor', (vendor) => <VendorName vendor={vendor} />, { width: 80, hidden: true }),
  col('typeCode', { width: 90 }),
  col('batchNo', { width: 113 }),
  col('importTime', time, { width: 170, sort: true, hidden: true }),
  col('activateTime', time, { width: 170, hidden: true }),
  col('modelName', { width: 120, hidden: true }),
  col('hasKey', (has) => renderPlainCell(has ? '有' : '无'), { width: 80, hidden: true }),
  col('allotTime', time, { width: 170, hidden: true }),
  col('bindTime', time, { width: 170, hidden: true }),
  col('lastOnlineTime', time, { width: 170, hidden: true }),
  col('operName', { width: 110, hidden: true }),
  col('remark', { width: 160, hidden: true }),
]

/** P2P certificates and their delivery batches. */
export default function LicenseListPage() {
  const [view, setView] = useView('certs')
  const items = [
    { key: 'certs', label: '证书' },
    { key: 'batches', label: '批次' },
  ]
  return (
    <Page tabs={<Tabs activeKey={view} onChange={setView} items={items} />}>
      {view === 'batches' ? <LicenseBatches /> : <Certificates />}
    </Page>
  )
}

interface Open {
  readonly import?: true
  readonly allot?: true
  readonly export?: true
  readonly threshold?: true
  readonly row?: LicenseRow
}

const VIEWS: readonly BuiltInView[] = [
  {
    name: '30 天内到期',
    filters: () => ({
      state: '3',
      expireBegin: formatDayBeforeToday(),
      expireEnd: formatDayBeforeToday(-30),
    }),
  },
  { name: '已过期', filters: { state: '5' } },
]

function Certificates() {
  const list = useList(licenseCerts.list)
  const can = useCan()
  const [open, setOpen] = useState<Open>({})
  const [dialog, setDialog] = useState<Dialog>()
  const actionsOf = useLicenseActions(setDialog)
  const findBlock = useFindStockBlock()
  const close = () => setOpen({})
  const onOpen = (row: LicenseRow) => setOpen({ row })
  const rowActions = (row: LicenseRow) => (
    <RowActions items={[{ label: '详情', to: licenseCerts.get, onClick: () => onOpen(row) }, ...actionsOf(row)]} />
  )
  const buttons = <Buttons onOpen={setOpen} />
  return (
    <>
      <LicenseSearch {...list.search} />
      <DataTable
        {...list.table}
        views={VIEWS}
        rowKey="id"
        columns={[...COLUMNS, actions(rowActions, 130, [licenseCerts.get, ...LICENSE_ACTION_CALLS])]}
        actions={buttons}
        tools={<ExportAll onOpen={() => setOpen({ export: true })} />}
        findSelectionBlock={findBlock}
        batch={(picked) => <LicenseBatchBar picked={picked} onDialog={setDialog} />}
        empty={{ text: '还没有证书', hint: '先导入证书文件，再分配给客户，由设备激活使用。', action: buttons }}
        {...(can(licenseCerts.get.access) && { onOpen })}
      />
      <LicenseDrawer rows={list.table.rows} row={open.row} onRow={(row) => setOpen(row ? { row } : {})} />
      {open.import && <LicenseImport onClose={close} />}
      {open.allot && <AllotWizard onClose={close} />}
      {open.export && <ExportDialog query={list.query} onClose={close} />}
      {open.threshold && <ThresholdDialog onClose={close} />}
      {dialog && <LicenseDialog dialog={dialog} onClose={() => setDialog(undefined)} />}
    </>
  )
}

const ExportAll = ({ onOpen }: { onOpen(): void }) => (
  <Allowed to={licenseCerts.export}>
    <Button icon={<ExportOutlined />} onClick={onOpen}>
      导出
    </Button>
  </Allowed>
)

function Buttons({ onOpen }: { onOpen(open: Open): void }) {
  return (
    <>
      <Allowed to={licenseCerts.import}>
        <Button type="primary" icon={<ImportOutlined />} onClick={() => onOpen({ import: true })}>
          导入证书
        </Button>
      </Allowed>
      <Allowed to={licenseCerts.allot}>
        <Button icon={<SendOutlined />} onClick={() => onOpen({ allot: true })}>
          分配
        </Button>
      </Allowed>
      <Allowed to={licenseCerts.thresholds}>
        <Button icon={<BellOutlined />} onClick={() => onOpen({ threshold: true })}>
          库存预警
        </Button>
      </Allowed>
    </>
  )
}

/** Batch actions on selected certificates. */
function LicenseBatchBar({ picked, onDialog }: { picked: Picked<LicenseRow>; onDialog(dialog: Dialog): void }) {
  const can = useCan()
  const steps = (Object.keys(LICENSE_STEP_DIALOGS) as StepName[]).filter((kind) =>
    can(LICENSE_STEP_DIALOGS[kind].to.access),
  )
  return (
    <>
      {steps.map((kind) => (
        <Button
          key={kind}
          size="small"
          danger={kind === 'scrap'}
          onClick={() => onDialog({ kind, rows: picked.rows, onDone: picked.clear })}
        >
          {LICENSE_STEP_DIALOGS[kind].label}
        </Button>
      ))}
    </>
  )
}

/** Filters of the certificate list, most used first. */
function LicenseSearch(search: SearchProps) {
  const many = useHasManyTenants()
  const states = useLicenseStateLabels().options
  const vendors = useVendorLabels().options
  const of = LicenseQuery
  return (
    <SearchForm {...search}>
      <Filter of={of} name="uid" />
      <SelectFilter of={of} name="state" options={states} />
      {many && (
        <Filter of={of} name="tenantId">
          <TenantPicker />
        </Filter>
      )}
      <Filter of={of} name="batchId">
        <BatchPicker />
      </Filter>
      <SelectFilter of={of} name="vendor" options={vendors} />
      <Filter of={of} name="typeCode" />
      <Filter of={of} name="sn" />
      <Filter of={of} name="modelId">
        <DeviceModelPicker />
      </Filter>
      <DateRangeFilter label="入库时间" />
      <DateRangeFilter label="分配时间" begin="allotBegin" end="allotEnd" />
      <DateRangeFilter label="激活时间" begin="activateBegin" end="activateEnd" />
      <SelectFilter of={of} name="usable" />
      <DateRangeFilter label="到期时间" begin="expireBegin" end="expireEnd" />
    </SearchForm>
  )
}

const StepDialog = lazyAfterRender(() => import('./license-dialogs.tsx'), 'StepDialog')
const BindDialog = lazyAfterRender(() => import('./license-dialogs.tsx'), 'BindDialog')
const RevealKeyDialog = lazyAfterRender(() => import('./license-dialogs.tsx'), 'RevealKeyDialog')

type Dialog =
  | { readonly kind: StepName; readonly rows: readonly LicenseRow[]; readonly onDone?: () => void }
  | { readonly kind: 'bind' | 'reveal'; readonly row: LicenseRow }

function LicenseDialog({ onClose, dialog }: { dialog: Dialog; onClose(): void }) {
  if ('row' in dialog) {
    const Single = dialog.kind === 'bind' ? BindDialog : RevealKeyDialog
    return <Single row={dialog.row} onClose={onClose} />
  }
  const { kind, rows, onDone } = dialog
  return <StepDialog step={kind} rows={rows} onClose={onClose} {...(onDone && { onDone })} />
}

/**
 * Returns a function that returns why the account may not change a certificate. All tenants share the certificates in
 * stock.
 */
function useFindStockBlock() {
  const { seesAllTenants } = usePermissions()
  return ({ tenantId }: Pick<LicenseRow, 'tenantId'>) =>
    tenantId === null && !seesAllTenants ? SHARED_DATA_MESSAGE : undefined
}

/** Calls of the actions on a certificate. */
const LICENSE_ACTION_CALLS = [
  licenseCerts.bind,
  licenseCerts.reveal,
  ...Object.values(LICENSE_STEP_DIALOGS).map(({ to }) => to),
]

/** Returns the actions that a certificate's state allows. */
function useLicenseActions(onDialog: (dialog: Dialog) => void) {
  const findBlock = useFindStockBlock()
  return (row: LicenseRow): readonly (RowAction | false)[] => {
    const reason = findBlock(row)
    const may = (step: LicenseStep) => findStateAfter(step, row.state) !== undefined
    const step = (kind: StepName): RowAction | false =>
      may(kind) && {
        label: LICENSE_STEP_DIALOGS[kind].label,
        to: LICENSE_STEP_DIALOGS[kind].to,
        reason,
        ...(kind === 'scrap' && { danger: true as const }),
        onClick: () => onDialog({ kind, rows: [row] }),
      }
    return [
      may('bind') && { label: '绑定设备', to: licenseCerts.bind, onClick: () => onDialog({ kind: 'bind', row }) },
      step('unbind'),
      step('suspend'),
      step('resume'),
      step('recall'),
      { label: '查看明文', to: licenseCerts.reveal, reason, onClick: () => onDialog({ kind: 'reveal', row }) },
      step('scrap'),
    ]
  }
}
