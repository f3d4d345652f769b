import { RoleForm } from './role-form.tsx'
import type { Role } from './role-list.page.tsx'
import { role, RoleAccount, DATA_SCOPE, ROLE_STATUS, RoleDetail } from '@oms/contract/account/role.ts'
import { Alert, Drawer, Form, Tabs, Tag } from 'antd'
import type * as z from 'zod'
import { call } from '#core/api/client.ts'
import { useCan } from '#core/auth/session.tsx'
import { FormFooter } from '#kit/form/form-footer.tsx'
import { FreshRecord } from '#kit/form/fresh-record.tsx'
import { GrantTree } from '#kit/tree/grant-tree.tsx'
import { useFormDrawer } from '#kit/form/use-form-modal.ts'
import { useState } from 'react'
import { useWrite, useRead } from '#core/api/query.ts'
import { createColumns } from '#kit/table/columns.tsx'
import { DataTable, type Picked } from '#kit/table/data-table.tsx'
import { Filter } from '#kit/list/filter.tsx'
import { BatchCallButton } from '#kit/list/batch-call-button.tsx'
import { RowActions } from '#kit/list/row-actions.tsx'
import { SearchForm, type SearchProps } from '#kit/list/search-form.tsx'
import { useInnerList } from '#kit/list/use-list.ts'
import { EnabledTag } from '#kit/record/enabled-tag.tsx'
import type { RecordNavigation } from '#kit/record/detail-drawer.tsx'
import { Descriptions, createDescriptions } from '#kit/record/descriptions.tsx'
import { RecordDrawer } from '#kit/record/record-drawer.tsx'
import { TagList } from '#kit/record/tag-list.tsx'
import { time } from '#kit/record/time.tsx'
import { Waiting } from '#kit/feedback/waiting.tsx'
import { State } from '#kit/record/state.tsx'

/** The dialog that is open above the list. At most one dialog is open. */
export type RoleDialogState =
  | { readonly what: 'add' }
  | { readonly what: 'edit' | 'permission' | 'members'; readonly role: Role }

export function RoleDialog({ shown, onClose }: { shown: RoleDialogState; onClose(): void }) {
  switch (shown.what) {
    case 'add':
      return <RoleForm onClose={onClose} />
    case 'edit':
      return <RoleForm role={shown.role} onClose={onClose} />
    case 'permission':
      return <RolePermission role={shown.role} onClose={onClose} />
    default:
      return <RoleMembers role={shown.role} onClose={onClose} />
  }
}

type Tree = z.output<(typeof role.allPerm)['result']>
const SIZE = 'min(720px, 100vw)'

/** Edits the permissions of a role in a tree. */
export function RolePermission({ role: row, onClose }: { role: Role; onClose(): void }) {
  const can = useCan()
  const title = `「${row.roleName}」的权限`
  const mayChange = can(role.permission.access) && row.isBuiltin !== 1
  return (
    <FreshRecord
      of={row.id}
      read={() => call(role.allPerm, { id: row.id }, { quiet: true })}
      layer="drawer"
      title={title}
      onClose={onClose}
    >
      {(tree) =>
        mayChange ? (
          <Editor role={row} tree={tree} onClose={onClose} />
        ) : (
          <Drawer open size={SIZE} title={title} onClose={onClose}>
            <ReadOnly tree={tree} builtin={row.isBuiltin === 1} />
          </Drawer>
        )
      }
    </FreshRecord>
  )
}

function ReadOnly({ tree, builtin }: { tree: Tree; builtin: boolean }) {
  const why = builtin ? '超级管理员角色始终拥有全部权限，不能修改。' : '您可以查看，不能修改。'
  return (
    <>
      <Alert type="info" showIcon title={why} className="kit-note" />
      <GrantTree menus={lockNodes(tree.menus)} value={tree.checkedIds} height={560} label="角色权限" />
    </>
  )
}

const lockNodes = (nodes: Tree['menus']): Tree['menus'] =>
  nodes.map((node) => ({ ...node, grantable: false, children: lockNodes(node.children) }))

/** Returns the granted pages and buttons. The server also marks directories, but directories are not granted. */
const listGrantedIds = ({ menus, checkedIds }: Tree) => {
  const directories = new Set(directoriesOf(menus))
  return checkedIds.filter((id) => !directories.has(id))
}
const directoriesOf = (nodes: Tree['menus']): number[] =>
  nodes.flatMap(({ id, type, children }) => [...(type === 'M' ? [id] : []), ...directoriesOf(children)])

function Editor({ role: row, tree, onClose }: { role: Role; tree: Tree; onClose(): void }) {
  const initial = (from: Tree) => ({ roleId: row.id, menuIds: listGrantedIds(from), rev: from.rev })
  const { drawer, footer, form } = useFormDrawer(role.permission, {
    onClose,
    initial: initial(tree),
    latest: async () => initial(await call(role.allPerm, { id: row.id })),
  })
  const anyLocked = hasLocked(tree.menus)
  return (
    <Drawer {...drawer} title={`「${row.roleName}」的权限`} footer={<FormFooter {...footer} saveText="保存权限" />}>
      {row.userCount > 0 && <p className="kit-note">保存后立即对 {row.userCount} 个用户生效，无需重新登录。</p>}
      {anyLocked && (
        <Alert type="warning" showIcon title="灰色的权限您自己没有，不能授予或收回。" className="kit-note" />
      )}
      <Form {...form}>
        <Form.Item name="menuIds" noStyle>
          <GrantTree menus={tree.menus} height={560} label="角色权限" />
        </Form.Item>
      </Form>
    </Drawer>
  )
}

const hasLocked = (nodes: Tree['menus']): boolean =>
  nodes.some(({ type, grantable, children }) => (type !== 'M' && !grantable) || hasLocked(children))

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

const CHOSEN_TENANTS = 3
const { item, wide } = createDescriptions(RoleDetail)
const ITEMS = [
  item('roleName'),
  item('roleCode'),
  item('tenantName'),
  item('status', (status) => (
    <State color={status === 1 ? 'success' : 'default'}>{ROLE_STATUS[status as keyof typeof ROLE_STATUS]}</State>
  )),
  item('userCount'),
  item('menuCount', (count, { isBuiltin }) => (isBuiltin === 1 ? '全部' : count)),
  item('homeUrl'),
  item('roleSort'),
  item('createTime', time),
  item('updateTime', time),
  wide('dataScope', (scope, { scopeTenants }) => (
    <>
      {DATA_SCOPE[scope as keyof typeof DATA_SCOPE]}{' '}
      {scope === CHOSEN_TENANTS && (
        <TagList>
          {scopeTenants.map(({ id, name }) => (
            <Tag key={id}>{name}</Tag>
          ))}
        </TagList>
      )}
    </>
  )),
  wide('remark'),
]

/** Shows one role in a drawer: its fields and its operation history. */
export const RoleDrawer = (props: RecordNavigation<Role>) => (
  <RecordDrawer {...props} rowKey="id" bizType="role" title={({ roleName }) => `角色「${roleName}」`}>
    {({ id }) => <RoleFacts key={id} id={id} />}
  </RecordDrawer>
)

function RoleFacts({ id }: { id: number }) {
  const { data, error, refetch } = useRead(role.get, { id }, { quiet: true, keepPrevious: false })
  return data ? <Descriptions row={data} items={ITEMS} /> : <Waiting reads={[{ error, refetch }]} rows={3} />
}
