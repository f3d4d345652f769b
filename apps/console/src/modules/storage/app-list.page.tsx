import { ImportOutlined, PlusOutlined } from '@ant-design/icons'
import { AppAccountRow, appAccount } from '@oms/contract/storage/app-account.ts'
import { Button } from 'antd'
import { useState } from 'react'
import type * as z from 'zod'
import { lazyAfterRender } from '#core/loading/deferred.tsx'
import { useWrite } from '#core/api/query.ts'
import { Allowed, useCan } from '#core/auth/session.tsx'
import { createColumns } from '#kit/table/columns.tsx'
import { DataTable } from '#kit/table/data-table.tsx'
import { ExportButton } from '#kit/list/export-button.tsx'
import { Filter, SelectFilter } from '#kit/list/filter.tsx'
import { DateRangeFilter } from '#kit/list/filter-date.tsx'
import { Page } from '#kit/record/page.tsx'
import { StatusBatch } from '#kit/list/record-actions.tsx'
import { RowActions } from '#kit/list/row-actions.tsx'
import { SearchForm, type SearchProps } from '#kit/list/search-form.tsx'
import { NO_STATUS_PERMISSION, StatusSwitch } from '#kit/list/status-switch.tsx'
import { minutes, time } from '#kit/record/time.tsx'
import { useList } from '#kit/list/use-list.ts'
import { TenantPicker } from '#kit/pickers/tenant-picker.tsx'
import { State } from '#kit/record/state.tsx'
import type { BuiltInView } from '#kit/list/saved-views-state.ts'

const AppDrawer = lazyAfterRender(() => import('./app-dialogs.tsx'), 'AppDrawer', {
  when: ({ row }) => row !== undefined,
})
const AppAddForm = lazyAfterRender(() => import('./app-dialogs.tsx'), 'AppAddForm')
const ImportModal = lazyAfterRender(() => import('#kit/jobs/import-modal.tsx'), 'ImportModal')

export type AppAccount = z.output<typeof AppAccountRow>
const QUERY = appAccount.list.input
const CLOUD_COLORS = { 0: 'default', 1: 'success', 2: 'warning' } as const

const { col, actions } = createColumns(AppAccountRow)
const COLUMNS = [
  col('uid', { width: 100, hidden: true }),
  col('account', { width: 145 }),
  col('nickname', { width: 110 }),
  col('mobileNo', { width: 125 }),
  col('status', (_, row) => <AppStatus row={row} />, { width: 90 }),
  col('email', { width: 190, hidden: true }),
  col('tenantName', { width: 198 }),
  col('region', { width: 130, hidden: true }),
  col('deviceCount', { width: 90, align: 'right' }),
  col('cloudState', (state) => <Cloud state={state} />, { width: 100, hidden: true }),
  col('registerSource', { width: 100, hidden: true }),
  col('registerTime', time, { width: 165, sort: true }),
  col('lastActiveTime', minutes, { width: 130, sort: true }),
  col('remark', { width: 160, hidden: true }),
]

function Cloud({ state }: { state: number }) {
  const name = { 0: '未开通', 1: '使用中', 2: '已过期' }[state] ?? String(state)
  return <State color={CLOUD_COLORS[state as keyof typeof CLOUD_COLORS]}>{name}</State>
}

const idOf = ({ uid }: AppAccount) => ({ id: uid })
export const formatAppAccountName = ({ nickname, account }: Pick<AppAccount, 'nickname' | 'account'>) =>
  nickname ? `${nickname}（${account}）` : account
const BATCH = {
  input: idOf,
  nameOf: formatAppAccountName,
  disableEffect: '停用后这些用户不能再使用App，绑定的设备不受影响。',
}

const VIEWS: readonly BuiltInView[] = [
  { name: '云存储使用中', filters: { cloudState: '1' } },
  { name: '已停用', filters: { status: '0' } },
]

/** Lists the App accounts of the tenants. */
export default function AppListPage() {
  const list = useList(appAccount.list)
  const [shown, setShown] = useState<AppAccount>()
  const [open, setOpen] = useState<'add' | 'import'>()
  const can = useCan()
  const buttons = <Buttons onOpen={setOpen} />
  const rowActions = (row: AppAccount) => (
    <RowActions items={[{ label: '详情', to: appAccount.get, onClick: () => setShown(row) }]} />
  )
  return (
    <Page>
      <AppSearch {...list.search} />
      <DataTable
        {...list.table}
        views={VIEWS}
        rowKey="uid"
        columns={[...COLUMNS, actions(rowActions, 80, [appAccount.get])]}
        actions={buttons}
        tools={<ExportButton to={appAccount.export} query={list.query} name="App账号" />}
        batch={(picked) => <StatusBatch calls={appAccount} picked={picked} {...BATCH} />}
        empty={{ text: '还没有App账号', hint: '终端用户可以由App后台注册，也可以在这里新增或导入。', action: buttons }}
        {...(can(appAccount.get.access) && { onOpen: setShown })}
      />
      <AppDrawer rows={list.table.rows} row={shown} onRow={setShown} />
      {open === 'add' && <AppAddForm onClose={() => setOpen(undefined)} />}
      {open === 'import' && (
        <ImportModal
          title="导入App账号"
          to={appAccount.import}
          template={appAccount.template}
          onClose={() => setOpen(undefined)}
        />
      )}
    </Page>
  )
}

const AppSearch = (search: SearchProps) => (
  <SearchForm {...search}>
    <Filter of={QUERY} name="account" />
    <Filter of={QUERY} name="nickname" />
    <Filter of={QUERY} name="mobileNo" />
    <Filter of={QUERY} name="tenantId">
      <TenantPicker />
    </Filter>
    <SelectFilter of={QUERY} name="status" />
    <SelectFilter of={QUERY} name="cloudState" />
    <SelectFilter of={QUERY} name="registerSource" />
    <Filter of={QUERY} name="region" />
    <Filter of={QUERY} name="email" />
    <DateRangeFilter label="注册时间" />
    <DateRangeFilter label="最近活动" begin="activeBegin" end="activeEnd" />
  </SearchForm>
)

function Buttons({ onOpen }: { onOpen(what: 'add' | 'import'): void }) {
  return (
    <>
      <Allowed to={appAccount.create}>
        <Button type="primary" icon={<PlusOutlined />} onClick={() => onOpen('add')}>
          新增账号
        </Button>
      </Allowed>
      <Allowed to={appAccount.import}>
        <Button icon={<ImportOutlined />} onClick={() => onOpen('import')}>
          导入
        </Button>
      </Allowed>
    </>
  )
}

function AppStatus({ row }: { row: AppAccount }) {
  const enable = useWrite(appAccount.enable)
  const disable = useWrite(appAccount.disable)
  const can = useCan()
  return (
    <StatusSwitch
      on={row.status === 1}
      name={formatAppAccountName(row)}
      reason={can(appAccount.enable.access) ? undefined : NO_STATUS_PERMISSION}
      warning="停用后该用户不能再使用App，绑定的设备不受影响。"
      onChange={(on) => (on ? enable : disable).mutateAsync({ id: row.uid })}
    />
  )
}
