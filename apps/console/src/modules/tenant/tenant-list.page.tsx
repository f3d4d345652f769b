import { PlusOutlined } from '@ant-design/icons'
import { tenant } from '@oms/contract/tenant/tenant.ts'
import { TENANT_LEVEL, TenantRow } from '@oms/contract/tenant/tenant-info.ts'
import { Button } from 'antd'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { lazyAfterRender } from '#core/loading/deferred.tsx'
import { Link } from '#core/routing/router.tsx'
import { Allowed, useCan } from '#core/auth/session.tsx'
import { createColumns } from '#kit/table/columns.tsx'
import { CopyText } from '#kit/record/copy-text.tsx'
import { DataTable } from '#kit/table/data-table.tsx'
import { useDictLabels } from '#kit/pickers/dict-words.tsx'
import { Ellipsis } from '#kit/record/ellipsis.tsx'
import { ExportButton } from '#kit/list/export-button.tsx'
import { Filter, SelectFilter } from '#kit/list/filter.tsx'
import { DateRangeFilter } from '#kit/list/filter-date.tsx'
import { TreeFilter } from '#kit/list/filter-tree.tsx'
import { Page } from '#kit/record/page.tsx'
import { StatusBatch } from '#kit/list/record-actions.tsx'
import { RowActions } from '#kit/list/row-actions.tsx'
import { SearchForm, type SearchProps } from '#kit/list/search-form.tsx'
import { time } from '#kit/record/time.tsx'
import { useIndustryTree } from '#kit/pickers/use-industry-tree.ts'
import { useList } from '#kit/list/use-list.ts'
import {
  TenantExpiry,
  TenantLevel,
  LEVEL_DICT,
  TenantQuota,
  CompanySize,
  TenantStatus,
  type Tenant,
  TENANT_ACTION_CALLS,
  useTenantActions,
  useSceneChoices,
} from './tenant.tsx'
import type { BuiltInView } from '#kit/list/saved-views-state.ts'

const TenantAddForm = lazyAfterRender(() => import('./tenant-form.tsx'), 'TenantAddForm')
const AdministratorSecret = lazyAfterRender(() => import('./tenant-form.tsx'), 'AdministratorSecret')

/** Calls of the row actions. */
const CALLS = [tenant.overview, ...TENANT_ACTION_CALLS]
const { col, actions } = createColumns(TenantRow)
const QUERY = tenant.list.input
const overviewOf = ({ id }: Pick<Tenant, 'id'>) => `/tenantManage/tenant/overview/${id}`

// At a width of 1280 px, the columns up to the quotas fit beside the pinned row actions.
const COLUMNS = [
  col('name', (name, row) => <Name row={row} name={name} />, { width: 220, sort: true }),
  col('tenantNo', { width: 96 }),
  col('status', (_, row) => <TenantStatus row={row} />, { width: 80 }),
  col('expireTime', (_, row) => <TenantExpiry row={row} />, { width: 150, sort: true }),
  col('level', (level) => <TenantLevel level={level} />, { width: 100, sort: true }),
  col('accountUsed', (used, row) => <TenantQuota used={used} limit={row.accountCount} />, {
    width: 90,
    align: 'right',
  }),
  col('deviceUsed', (used, row) => <TenantQuota used={used} limit={row.deviceQuota} />, { width: 100, align: 'right' }),
  col('industryName', { width: 95 }),
  col('contactName', { width: 75 }),
  col('shortName', { width: 110, hidden: true }),
  col('contactPhone', { width: 130, hidden: true }),
  col('contactEmail', { width: 180, hidden: true }),
  col('companySize', (size) => <CompanySize size={size} />, { width: 110, hidden: true }),
  col('sceneNames', { width: 170, hidden: true }),
  col('joinCode', (code, { allowApply }) => (allowApply === 1 ? <CopyText text={code} /> : '已关闭'), {
    width: 130,
    hidden: true,
  }),
  col('createTime', time, { width: 165, sort: true, hidden: true }),
  col('remark', { width: 180, hidden: true }),
]

function Name({ row, name }: { row: Tenant; name: string }) {
  const can = useCan()
  return (
    <Ellipsis text={name}>{can(tenant.overview.access) ? <Link to={overviewOf(row)}>{name}</Link> : name}</Ellipsis>
  )
}

const NO_TENANTS = { text: '还没有客户', hint: '客户是使用设备与平台的企业，新增时会一并建立首位管理员。' }

const VIEWS: readonly BuiltInView[] = [
  { name: '30 天内到期', filters: { expiresWithin: '30' } },
  { name: '已过期', filters: { status: '3' } },
  { name: '已停用', filters: { status: '0' } },
]

/** Lists the tenants. */
export default function TenantListPage() {
  const list = useList(tenant.list)
  const navigate = useNavigate()
  const can = useCan()
  const { actionsOf, dialog } = useTenantActions()
  const [adding, setAdding] = useState(false)
  const [secret, setSecret] = useState<{ account: string; password: string }>()
  const add = <AddButton onAdd={() => setAdding(true)} />
  const open = (row: Tenant) => void navigate(overviewOf(row))
  const rowActions = (row: Tenant) => (
    <RowActions items={[{ label: '概况', to: tenant.overview, onClick: () => open(row) }, ...actionsOf(row)]} />
  )
  return (
    <Page>
      <TenantSearch {...list.search} />
      <DataTable
        {...list.table}
        views={VIEWS}
        rowKey="id"
        columns={[...COLUMNS, actions(rowActions, 130, CALLS)]}
        actions={add}
        tools={<ExportButton to={tenant.export} query={list.query} name="客户" />}
        batch={(picked) => (
          <StatusBatch
            calls={tenant}
            input={idOf}
            picked={picked}
            nameOf={nameOf}
            disableEffect="停用后这些客户的用户立即退出且不能登录，设备不受影响。"
          />
        )}
        empty={can(tenant.create.access) ? { ...NO_TENANTS, action: add } : { text: '没有可查看的客户' }}
        {...(can(tenant.overview.access) && { onOpen: open })}
      />
      {adding && <TenantAddForm onClose={() => setAdding(false)} onMade={setSecret} />}
      {dialog}
      {secret && <AdministratorSecret {...secret} onClose={() => setSecret(undefined)} />}
    </Page>
  )
}

function AddButton({ onAdd }: { onAdd(): void }) {
  return (
    <Allowed to={tenant.create}>
      <Button type="primary" icon={<PlusOutlined />} onClick={onAdd}>
        新增客户
      </Button>
    </Allowed>
  )
}

const idOf = ({ id }: Tenant) => ({ id })
const nameOf = ({ name }: Tenant) => name

function TenantSearch(search: SearchProps) {
  const industries = useIndustryTree()
  const levels = useDictLabels(LEVEL_DICT, TENANT_LEVEL).options
  const scenes = useSceneChoices().map(({ id, sceneName }) => ({ value: id, label: sceneName }))
  return (
    <SearchForm {...search}>
      <Filter of={QUERY} name="name" />
      <Filter of={QUERY} name="contactName" />
      <SelectFilter of={QUERY} name="status" />
      <SelectFilter of={QUERY} name="level" options={levels} />
      <TreeFilter of={QUERY} name="industryId" tree={industries} />
      <SelectFilter of={QUERY} name="sceneId" options={scenes} />
      <Filter of={QUERY} name="contactPhone" />
      <Filter of={QUERY} name="tenantNo" />
      <SelectFilter of={QUERY} name="expiresWithin" options={NEAR} />
      <DateRangeFilter label="创建时间" />
    </SearchForm>
  )
}

const NEAR = [7, 30, 90].map((days) => ({ value: days, label: `${days} 天内到期` }))
