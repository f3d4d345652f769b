import { RoleAccount, role } from '@oms/contract/account/role.ts'
import { Drawer, Tabs } from 'antd'
import { useState } from 'react'
import type * as z from 'zod'
import { useWrite } from '#core/api/query.ts'
import { useCan } from '#core/auth/session.tsx'
import { createColumns } from '#kit/table/columns.tsx'
import { DataTable, type Picked } from '#kit/table/data-table.tsx'
import { Filter } from '#kit/list/filter.tsx'
import { BatchCallButton } from '#kit/list/batch-call-button.tsx'
import { RowActions } from '#kit/list/row-actions.tsx'
import { SearchForm, type SearchProps } from '#kit/list/search-form.tsx'
import { useInnerList } from '#kit/list/use-list.ts'
import { EnabledTag } from '#kit/record/enabled-tag.tsx'
import type { Role } from './use-role-actions.ts'

type Account = z.output<typeof RoleAccount>
const { col, actions } = createColumns(RoleAccount)
const COLUMNS = [
  col('account', { width: 140 }),
  col('realname', { width: 120 }),
  col('mobileNo', { width: 140 }),
  col('status', (status) => <EnabledTag on={status === 1} />, { width: 80 }),
]

/** Manages the members of a role in two lists: accounts with the role and accounts without the role. */
export function RoleMembers({ role: row, onClose }: { role: Role; onClose(): void }) {
  const [side, setSide] = useState<'in' | 'out'>('in')
  const mayAssign = useCan()(role.addUserRole.access)
  const tabs = [
    { key: 'in', label: '已有用户', children: <Members role={row} inside /> },
    ...(mayAssign ? [{ key: 'out', label: '添加用户', children: <Members role={row} inside={false} /> }] : []),
  ]
  return (
    <Drawer open size="min(860px, 100vw)" title={`「${row.roleName}」的用户`} onClose={onClose}>
      <Tabs activeKey={side} onChange={(key) => setSide(key as 'in' | 'out')} items={tabs} destroyOnHidden />
    </Drawer>
  )
}

const MemberSearch = (search: SearchProps) => (
  <SearchForm {...search}>
    <Filter of={RoleAccount} name="account" />
    <Filter of={RoleAccount} name="realname" />
    <Filter of={RoleAccount} name="mobileNo" />
  </SearchForm>
)

interface BatchProps {
  readonly roleName: string
  readonly inside: boolean
  readonly picked: Picked<Account>
  onChange(accounts: readonly Account[]): Promise<unknown>
}

const MembersBatch = ({ roleName, inside, picked, onChange }: BatchProps) => (
  <BatchCallButton
    label={inside ? '移除所选用户' : '添加所选用户'}
    to={role.addUserRole}
    picked={picked}
    onCall={onChange}
    confirm={
      inside
        ? {
            title: `移除 ${picked.rows.length} 个用户？`,
            content: `这些用户立即失去角色「${roleName}」的权限。`,
            okText: '移除',
            danger: true,
          }
        : undefined
    }
  />
)

function Members({ role: { id, roleName }, inside }: { role: Role; inside: boolean }) {
  const list = useInnerList(inside ? role.accountInRole : role.accountNotInRole, { id })
  const move = useWrite(inside ? role.removeUserRole : role.addUserRole)
  const verb = inside ? '移除' : '添加'
  const change = (accounts: readonly Account[]) =>
    move.mutateAsync({ roleId: id, uids: accounts.map(({ uid }) => uid) })
  const rowActions = (account: Account) => (
    <RowActions
      items={[
        {
          label: verb,
          to: role.addUserRole,
          reason: account.changeRefusal ?? undefined,
          ...(inside && {
            danger: true,
            confirm: `把「${account.account}」移出角色「${roleName}」？立即失去该角色的权限。`,
          }),
          onClick: () => change([account]).catch(() => {}),
        },
      ]}
    />
  )
  return (
    <>
      <MemberSearch {...list.search} />
      <DataTable
        {...list.table}
        rowKey="uid"
        name={inside ? 'members' : 'others'}
        columns={[...COLUMNS, actions(rowActions, 90, [role.addUserRole])]}
        findSelectionBlock={({ changeRefusal }) => changeRefusal ?? undefined}
        batch={(picked) => <MembersBatch roleName={roleName} inside={inside} picked={picked} onChange={change} />}
        empty={{ text: inside ? '该角色还没有用户' : '没有可添加的用户' }}
      />
    </>
  )
}
