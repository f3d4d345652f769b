import { PlusOutlined } from '@ant-design/icons'
import { GrantQuery, GrantRow, licenseGrants, OWN_GRANT_MESSAGE } from '@oms/contract/license/license-grant.ts'
import { Button } from 'antd'
import { useState } from 'react'
import { lazyAfterRender } from '#core/loading/deferred.tsx'
import { Allowed, useCan } from '#core/auth/session.tsx'
import { createColumns } from '#kit/table/columns.tsx'
import { DataTable } from '#kit/table/data-table.tsx'
import { ExportButton } from '#kit/list/export-button.tsx'
import { Filter, SelectFilter } from '#kit/list/filter.tsx'
import { DateRangeFilter } from '#kit/list/filter-date.tsx'
import { Page } from '#kit/record/page.tsx'
import { RowActions } from '#kit/list/row-actions.tsx'
import { SearchForm, type SearchProps } from '#kit/list/search-form.tsx'
import { time } from '#kit/record/time.tsx'
import { useList } from '#kit/list/use-list.ts'
import { GrantTag, GrantQuota } from './license.tsx'
import { TenantPicker, useHasManyTenants } from '#kit/pickers/tenant-picker.tsx'
import type { BuiltInView } from '#kit/list/saved-views-state.ts'
import { formatDayBeforeToday } from '#core/text/format.ts'

const GrantForm = lazyAfterRender(() => import('./grant-dialogs.tsx'), 'GrantForm')
const GrantDialog = lazyAfterRender(() => import('./grant-dialogs.tsx'), 'GrantDialog')
const GrantDrawer = lazyAfterRender(() => import('./grant-dialogs.tsx'), 'GrantDrawer', {
  when: ({ row }) => row !== undefined,
})

/** Calls of the row actions. */
const CALLS = [
  licenseGrants.get,
  licenseGrants.audit,
  licenseGrants.addQuota,
  licenseGrants.renew,
  licenseGrants.revoke,
]
const { col, actions } = createColumns(GrantRow)
const COLUMNS = [
  col('grantNo', { width: 145 }),
  col('tenantName', { width: 198 }),
  col('typeCode', { width: 95 }),
  col('status', (status) => <GrantTag status={status} />, { width: 90 }),
  { ...col('used', (_, row) => <GrantQuota row={row} />, { width: 165 }), title: '已用 / 授权数量' },
  col('remaining', { width: 90, align: 'right', hidden: true }),
  col('validFrom', { width: 110, hidden: true }),
  col('validTo', { width: 110, sort: true }),
  col('applyName', { width: 100, hidden: true }),
  col('auditName', { width: 100, hidden: true }),
  col('createTime', time, { width: 165, sort: true }),
  col('modelName', { width: 120, hidden: true }),
  col('contractNo', { width: 130, hidden: true }),
  col('auditTime', time, { width: 170, hidden: true }),
  col('auditRemark', { width: 160, hidden: true }),
  col('remark', { width: 160, hidden: true }),
]

interface Open {
  readonly add?: true
  readonly row?: GrantRow
  readonly dialog?: { readonly kind: 'audit' | 'renew' | 'addQuota' | 'revoke'; readonly row: GrantRow }
}

function GrantSearch(search: SearchProps) {
  const many = useHasManyTenants()
  const of = GrantQuery
  return (
    <SearchForm {...search}>
      {many && (
        <Filter of={of} name="tenantId">
          <TenantPicker />
        </Filter>
      )}
      <SelectFilter of={of} name="status" />
      <Filter of={of} name="typeCode" />
      <Filter of={of} name="grantNo" />
      <Filter of={of} name="contractNo" />
      <DateRangeFilter label="失效日期" begin="expireBegin" end="expireEnd" />
      <DateRangeFilter label="申请时间" />
    </SearchForm>
  )
}

function GrantActions({ row, onOpen }: { row: GrantRow; onOpen(open: Open): void }) {
  const isOpen = row.status === 0
  const isIssued = row.status >= 1 && row.status <= 3
  const show = (kind: 'audit' | 'renew' | 'addQuota' | 'revoke') => () => onOpen({ dialog: { kind, row } })
  return (
    <RowActions
      items={[
        { label: '详情', to: licenseGrants.get, onClick: () => onOpen({ row }) },
        isOpen && {
          label: '审批',
          to: licenseGrants.audit,
          reason: row.isMine ? OWN_GRANT_MESSAGE : undefined,
          onClick: show('audit'),
        },
        isIssued && { label: '增加额度', to: licenseGrants.addQuota, onClick: show('addQuota') },
        isIssued && { label: '续期', to: licenseGrants.renew, onClick: show('renew') },
        (isOpen || isIssued) && {
          label: isOpen ? '撤回申请' : '撤销',
          to: licenseGrants.revoke,
          danger: true,
          onClick: show('revoke'),
        },
      ]}
    />
  )
}

const VIEWS: readonly BuiltInView[] = [
  { name: '待审批', filters: { status: '0' } },
  {
    name: '30 天内到期',
    filters: () => ({
      status: '1',
      expireBegin: formatDayBeforeToday(),
      expireEnd: formatDayBeforeToday(-30),
    }),
  },
  { name: '已用尽', filters: { status: '2' } },
]

/** Licence grants of tenants: application, approval by another account, usage and ledger. */
export default function GrantListPage() {
  const list = useList(licenseGrants.list)
  const can = useCan()
  const [open, setOpen] = useState<Open>({})
  const close = () => setOpen({})
  const rowActions = (row: GrantRow) => <GrantActions row={row} onOpen={setOpen} />
  const add = (
    <Allowed to={licenseGrants.create}>
      <Button type="primary" icon={<PlusOutlined />} onClick={() => setOpen({ add: true })}>
        申请授权
      </Button>
    </Allowed>
  )
  return (
    <Page>
      <GrantSearch {...list.search} />
      <DataTable
        {...list.table}
        views={VIEWS}
        rowKey="id"
        columns={[...COLUMNS, actions(rowActions, 130, CALLS)]}
        actions={add}
        tools={<ExportButton to={licenseGrants.export} query={list.query} name="授权" />}
        empty={{ text: '还没有授权', hint: '授权规定客户可以使用的数量与期限，由另一人审批后生效。', action: add }}
        {...(can(licenseGrants.get.access) && { onOpen: (row: GrantRow) => setOpen({ row }) })}
      />
      <GrantDrawer rows={list.table.rows} row={open.row} onRow={(row) => setOpen(row ? { row } : {})} />
      {open.add && <GrantForm onClose={close} />}
      {open.dialog && <GrantDialog {...open.dialog} onClose={close} />}
    </Page>
  )
}
