import { ACCOUNT_STATUS, AccountRow } from '@oms/contract/account.ts'
import { accounts } from '@oms/contract/account-list.ts'
import { Tag } from 'antd'
import { useNavigate } from 'react-router'
import { Link } from '#kernel/router.tsx'
import { useCan } from '#kernel/session.tsx'
import { BatchAction } from '#kit/batch-action.tsx'
import { columnsOf } from '#kit/columns.tsx'
import { DataTable } from '#kit/data-table.tsx'
import { Named } from '#kit/ellipsis.tsx'
import { ExportButton } from '#kit/export-button.tsx'
import { Filter, SelectFilter } from '#kit/filter.tsx'
import { Page } from '#kit/page.tsx'
import { RowActions } from '#kit/row-actions.tsx'
import { SearchForm } from '#kit/search-form.tsx'
import { time } from '#kit/time.tsx'
import { useList } from '#kit/use-list.ts'
import { AccountStatus } from './account-status.tsx'
import { TenantSelect } from './tenant-select.tsx'
import { type Account, nameOf, useAccountActions } from './use-account-actions.tsx'

const { col, actions } = columnsOf(AccountRow)
const QUERY = accounts.list.input
const STATUS = Object.entries(ACCOUNT_STATUS).map(([value, label]) => ({ value, label }))
const overviewOf = ({ uid }: Pick<Account, 'uid'>) => `/userManage/index?uid=${uid}`

const COLUMNS = [
  col('account', (account, row) => <AccountLink row={row} text={account} />, { width: 150, sort: true }),
  col('realname', { width: 110 }),
  col('nickname', { width: 110, hidden: true }),
  col('tenantName', { width: 150 }),
  col('roleNames', { width: 160 }),
  col('mobileNo', { width: 130 }),
  col('email', { width: 190, hidden: true }),
  col('status', (_, row) => <AccountStatus row={row} />, { width: 90 }),
  col('mfaEnabled', { width: 100, hidden: true }),
  col('lastLoginTime', time, { width: 170, sort: true }),
  col('lastLoginIp', { width: 140, hidden: true }),
  col('loginCount', { width: 100, align: 'right', hidden: true }),
  col('createTime', time, { width: 170, sort: true, hidden: true }),
]

/** Console accounts of every tenant one may see. */
export default function AccountListPage() {
  const list = useList(accounts.list)
  const navigate = useNavigate()
  const can = useCan()
  const { actionsOf, dialog } = useAccountActions()
  const open = (row: Account) => void navigate(overviewOf(row))
  const rowActions = (row: Account) => (
    <RowActions
      shown={2}
      items={[{ label: '概况', to: accounts.detail, onClick: () => open(row) }, ...actionsOf(row)]}
    />
  )
  return (
    <Page>
      <SearchForm {...list.search}>
        <Filter of={QUERY} name="account" />
        <Filter of={QUERY} name="realname" />
        <Filter of={QUERY} name="tenantId">
          <TenantSelect />
        </Filter>
        <SelectFilter of={QUERY} name="status" options={STATUS} />
        <SelectFilter of={QUERY} name="locked" />
        <Filter of={QUERY} name="mobileNo" />
      </SearchForm>
      <DataTable
        {...list.table}
        rowKey="uid"
        columns={[...COLUMNS, actions(rowActions, 130)]}
        tools={<ExportButton to={accounts.export} query={list.query} name="账号" />}
        batch={(picked) => (
          <>
            <BatchAction label="启用" to={accounts.enable} input={idOf} picked={picked} nameOf={nameOf} />
            <BatchAction label="停用" to={accounts.disable} input={idOf} picked={picked} nameOf={nameOf} danger />
          </>
        )}
        empty={{ text: '还没有账号', hint: '各客户的登录账号都在这里，由客户的管理员或注册申请加入。' }}
        {...(can(accounts.detail.access) && { onOpen: open })}
      />
      {dialog}
    </Page>
  )
}

const idOf = ({ uid }: Pick<Account, 'uid' | 'realname' | 'account'>) => ({ id: uid })

function AccountLink({ row, text }: { row: Account; text: string }) {
  const name = useCan()(accounts.detail.access) ? <Link to={overviewOf(row)}>{text}</Link> : text
  return (
    <Named name={text} shown={name}>
      {row.locked && <Tag color="error">已锁定</Tag>}
    </Named>
  )
}
