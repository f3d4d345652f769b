import { PlusOutlined } from '@ant-design/icons'
import { RoleRow, role } from '@oms/contract/account/role.ts'
import { Button, Tag } from 'antd'
import { useState } from 'react'
import { lazyAfterRender } from '#core/loading/deferred.tsx'
import { Allowed } from '#core/auth/session.tsx'
import { BatchAction } from '#kit/list/batch-action.tsx'
import { createColumns } from '#kit/table/columns.tsx'
import { DataTable, type Picked } from '#kit/table/data-table.tsx'
import { NameWithTags } from '#kit/record/ellipsis.tsx'
import { ExportButton } from '#kit/list/export-button.tsx'
import { Filter, SelectFilter } from '#kit/list/filter.tsx'
import { DateRangeFilter } from '#kit/list/filter-date.tsx'
import { Page } from '#kit/record/page.tsx'
import { StatusBatch } from '#kit/list/record-actions.tsx'
import { RowActions, type RowAction } from '#kit/list/row-actions.tsx'
import { SearchForm, type SearchProps } from '#kit/list/search-form.tsx'
import { time } from '#kit/record/time.tsx'
import { useList } from '#kit/list/use-list.ts'
import { TenantPicker, useHasManyTenants } from '#kit/pickers/tenant-picker.tsx'
import { EnableSwitch } from '#kit/list/enable-switch.tsx'
import type { RoleDialogState } from './role-dialogs.tsx'
import type * as z from 'zod'
import { useWrite } from '#core/api/query.ts'

/** Enables or disables a role; built-in roles stay enabled. */
const RoleStatus = ({ role: { id, roleName, status, userCount, isBuiltin, changeRefusal } }: { role: Role }) => (
  <EnableSwitch
    calls={role}
    id={id}
    on={status === 1}
    name={roleName}
    reason={isBuiltin === 1 ? '内置角色不能停用' : (changeRefusal ?? undefined)}
    warning={userCount > 0 ? `停用后，${userCount} 个用户立即失去该角色的权限。` : '停用后，该角色不再生效。'}
  />
)

const RoleDialog = lazyAfterRender(() => import('./role-dialogs.tsx'), 'RoleDialog')
const RoleDrawer = lazyAfterRender(() => import('./role-dialogs.tsx'), 'RoleDrawer', {
  when: ({ row }) => row !== undefined,
})

const { col, actions } = createColumns(RoleRow)
const COLUMNS = [
  col('roleName', (name, { isBuiltin }) => <RoleName name={name} builtin={isBuiltin === 1} />, { width: 152 }),
  col('roleCode', { width: 135 }),
  col('tenantName', { width: 150, hidden: true }),
  col('dataScope', { width: 105 }),
  col('menuCount', (count, { isBuiltin }) => (isBuiltin === 1 ? '全部' : count), { width: 80, align: 'right' }),
  col('userCount', { width: 80, align: 'right' }),
  col('roleSort', { width: 80, align: 'right', sort: true }),
  col('status', (_, row) => <RoleStatus role={row} />, { width: 90 }),
  col('homeUrl', { width: 160, hidden: true }),
  col('remark', { width: 180, hidden: true }),
  col('createTime', time, { width: 152, sort: true }),
  col('updateTime', time, { width: 180, hidden: true }),
]

/** Lists the roles of the current tenant, or of the tenant chosen in the filter. */
export default function RoleListPage() {
  const list = useList(role.list)
  const [shown, setShown] = useState<RoleDialogState>()
  const [opened, setOpened] = useState<Role>()
  const actionsOf = useRoleActions(setShown, setOpened)
  return (
    <Page>
      <RoleSearch {...list.search} />
      <DataTable
        {...list.table}
        rowKey="id"
        columns={[...COLUMNS, actions((row) => <RowActions items={actionsOf(row)} />, 130, ROLE_ACTION_CALLS)]}
        actions={<AddButton onShow={setShown} />}
        tools={<ExportButton to={role.export} query={list.query} name="角色" />}
        findSelectionBlock={({ isBuiltin }) => (isBuiltin === 1 ? '内置角色不能停用或删除' : undefined)}
        batch={(picked) => <Batch picked={picked} />}
        empty={{
          text: '还没有角色',
          hint: '角色是一组权限，分配给用户后生效。',
          action: <AddButton onShow={setShown} />,
        }}
        onOpen={setOpened}
      />
      <RoleDrawer rows={list.table.rows} row={opened} onRow={setOpened} />
      {shown && <RoleDialog shown={shown} onClose={() => setShown(undefined)} />}
    </Page>
  )
}

function RoleSearch(search: SearchProps) {
  const manyTenants = useHasManyTenants()
  return (
    <SearchForm {...search}>
      <Filter of={RoleRow} name="roleName" />
      <Filter of={RoleRow} name="roleCode" />
      <SelectFilter of={RoleRow} name="status" />
      {manyTenants && (
        <Filter of={role.list.input} name="tenantId">
          <TenantPicker />
        </Filter>
      )}
      <DateRangeFilter label="创建时间" />
    </SearchForm>
  )
}

function Batch({ picked }: { picked: Picked<Role> }) {
  const each = { picked, input: idOf, nameOf }
  return (
    <>
      <StatusBatch calls={role} {...each} disableEffect={describeDisabling(picked.rows)} />
      <BatchAction label="删除" danger to={role.remove} {...each} effect="有用户的角色不能删除。删除后不能恢复。" />
    </>
  )
}

function describeDisabling(roles: readonly Role[]) {
  const users = roles.reduce((sum, { userCount }) => sum + userCount, 0)
  return users > 0 ? `停用后，共 ${users} 个用户立即失去这些角色的权限。` : '停用后，这些角色不再生效。'
}

const idOf = ({ id }: Role) => ({ id })
const nameOf = ({ roleName }: Role) => roleName

const RoleName = ({ name, builtin }: { name: string; builtin: boolean }) => (
  <NameWithTags name={name}>{builtin && <Tag color="gold">内置</Tag>}</NameWithTags>
)

const AddButton = ({ onShow }: { onShow(shown: RoleDialogState): void }) => (
  <Allowed to={role.create}>
    <Button type="primary" icon={<PlusOutlined />} onClick={() => onShow({ what: 'add' })}>
      新增角色
    </Button>
  </Allowed>
)

export type Role = z.output<typeof RoleRow>

/** Calls of the row actions of a role. */
const ROLE_ACTION_CALLS = [role.allPerm, role.accountInRole, role.get, role.update, role.remove]

/**
 * Returns the row actions of a role. The super role can be read and its members can be changed, but it cannot be
 * edited.
 */
function useRoleActions(onShow: (shown: RoleDialogState) => void, onOpen: (role: Role) => void) {
  const remove = useWrite(role.remove)
  return (row: Role): readonly (RowAction | false)[] => {
    const own = row.isBuiltin !== 1
    const reason = row.changeRefusal ?? undefined
    return [
      { label: '权限', to: role.allPerm, onClick: () => onShow({ what: 'permission', role: row }) },
      { label: '用户', to: role.accountInRole, onClick: () => onShow({ what: 'members', role: row }) },
      { label: '详情', to: role.get, onClick: () => onOpen(row) },
      own && { label: '编辑', to: role.update, reason, onClick: () => onShow({ what: 'edit', role: row }) },
      own && {
        label: '删除',
        to: role.remove,
        danger: true,
        reason: reason ?? (row.userCount > 0 ? `有 ${row.userCount} 个用户，不能删除` : undefined),
        confirm: `删除角色「${row.roleName}」？删除后不能恢复。`,
        onClick: () => remove.mutateAsync({ id: row.id }),
      },
    ]
  }
}
