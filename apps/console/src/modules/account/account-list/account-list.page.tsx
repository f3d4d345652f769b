import { ACCOUNT_STATUS, AccountRow } from '@oms/contract/account/account-fields.ts'
import { accounts } from '@oms/contract/account/account-list.ts'
import { Tag } from 'antd'
import { useNavigate } from 'react-router'
import { Link } from '#core/routing/router.tsx'
import { useCan } from '#core/auth/session.tsx'
import { createColumns } from '#kit/table/columns.tsx'
import { DataTable } from '#kit/table/data-table.tsx'
import { NameWithTags } from '#kit/record/ellipsis.tsx'
import { ExportButton } from '#kit/list/export-button.tsx'
import { Filter, SelectFilter } from '#kit/list/filter.tsx'
import { DateRangeFilter } from '#kit/list/filter-date.tsx'
import { Page } from '#kit/record/page.tsx'
import { StatusBatch } from '#kit/list/record-actions.tsx'
import { RowActions } from '#kit/list/row-actions.tsx'
import { SearchForm, type SearchProps } from '#kit/list/search-form.tsx'
import { time } from '#kit/record/time.tsx'
import { useList } from '#kit/list/use-list.ts'
import { AccountStatus, type Account, formatAccountName, ACCOUNT_ACTION_CALLS, useAccountActions } from './account.tsx'
import { TenantPicker } from '#kit/pickers/tenant-picker.tsx'
import type { BuiltInView } from '#kit/list/saved-views-state.ts'

/** Calls of the row actions. */
const CALLS = [accounts.detail, ...ACCOUNT_ACTION_CALLS]
const { col, actions } = createColumns(AccountRow)
const QUERY = accounts.list.input
const STATUS = Object.entries(ACCOUNT_STATUS).map(([value, label]) => ({ value, label }))
const overviewOf = ({ uid }: Pick<Account, 'uid'>) => `/userManage/index?uid=${uid}`

const COLUMNS = [
  col('account', (account, row) => <AccountLink row={row} text={account} />, { width: 130, sort: true }),
  col('realname', { width: 90 }),
  col('nickname', { width: 110, hidden: true }),
  col('tenantName', { width: 130 }),
  col('roleNames', (names) => (names.length === 0 ? <Tag color="warning">未分配角色</Tag> : names.join('、')), {
    width: 160,
  }),
  col('mobileNo', { width: 122 }),
  col('email', { width: 190, hidden: true }),
  col('status', (_, row) => <AccountStatus row={row} />, { width: 90 }),
  col('mfaEnabled', { width: 100, hidden: true }),
  col('lastLoginTime', time, { width: 152, sort: true }),
  col('lastLoginIp', { width: 150, hidden: true }),
  col('loginCount', { width: 100, align: 'right', hidden: true }),
  col('createTime', time, { width: 170, sort: true, hidden: true }),
]

const VIEWS: readonly BuiltInView[] = [
  { name: '已锁定', filters: { locked: '1' } },
  { name: '已停用', filters: { status: '0' } },
]

/** Lists the console accounts of all visible tenants. */
export default function AccountListPage() {
  const list = useList(accounts.list)
  const navigate = useNavigate()
  const can = useCan()
  const { actionsOf, dialog } = useAccountActions()
  const open = (row: Account) => void navigate(overviewOf(row))
  const rowActions = (row: Account) => (
    <RowActions items={[{ label: '概况', to: accounts.detail, onClick: () => open(row) }, ...actionsOf(row)]} />
  )
  return (
    <Page>
      <AccountSearch {...list.search} />
      <DataTable
        {...list.table}
        views={VIEWS}
        rowKey="uid"
        columns={[...COLUMNS, actions(rowActions, 130, CALLS)]}
        tools={<ExportButton to={accounts.export} query={list.query} name="账号" />}
        findSelectionBlock={({ changeRefusal }) => changeRefusal ?? undefined}
        batch={(picked) => (
          <StatusBatch
            calls={accounts}
            input={idOf}
            picked={picked}
            nameOf={formatAccountName}
            disableEffect="停用后这些账号立即退出登录，且不能再登录。"
          />
        )}
        empty={{ text: '还没有账号', hint: '各客户的登录账号都在这里，由客户的管理员或注册申请加入。' }}
        {...(can(accounts.detail.access) && { onOpen: open })}
      />
      {dialog}
    </Page>
  )
}

const AccountSearch = (search: SearchProps) => (
  <SearchForm {...search}>
    <Filter of={QUERY} name="account" />
    <Filter of={QUERY} name="realname" />
    <Filter of={QUERY} name="tenantId">
      <TenantPicker placeholder="请选择所属客户" />
    </Filter>
    <SelectFilter of={QUERY} name="status" options={STATUS} />
    <SelectFilter of={QUERY} name="locked" />
    <Filter of={QUERY} name="mobileNo" />
    <DateRangeFilter label="最近登录" begin="loginBegin" end="loginEnd" />
  </SearchForm>
)

const idOf = ({ uid }: Pick<Account, 'uid' | 'realname' | 'account'>) => ({ id: uid })

function AccountLink({ row, text }: { row: Account; text: string }) {
  const name = useCan()(accounts.detail.access) ? <Link to={overviewOf(row)}>{text}</Link> : text
  return (
    <NameWithTags name={text} shown={name}>
      {row.locked && <Tag color="error">已锁定</Tag>}
    </NameWithTags>
  )
}
