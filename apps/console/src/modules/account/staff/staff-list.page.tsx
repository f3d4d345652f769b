import { ImportOutlined, PlusOutlined } from '@ant-design/icons'
import { StaffRow, staff } from '@oms/contract/account/staff.ts'
import { Button, Tag } from 'antd'
import { useState } from 'react'
import { lazyAfterRender } from '#core/loading/deferred.tsx'
import { Allowed, useSession } from '#core/auth/session.tsx'
import { BatchAction } from '#kit/list/batch-action.tsx'
import { createColumns } from '#kit/table/columns.tsx'
import { DataTable, type Picked } from '#kit/table/data-table.tsx'
import { NameWithTags } from '#kit/record/ellipsis.tsx'
import { EnableSwitch } from '#kit/list/enable-switch.tsx'
import { ExportButton } from '#kit/list/export-button.tsx'
import { Filter, SelectFilter } from '#kit/list/filter.tsx'
import { DateRangeFilter } from '#kit/list/filter-date.tsx'
import { Page } from '#kit/record/page.tsx'
import { StatusBatch } from '#kit/list/record-actions.tsx'
import { type RowAction, RowActions } from '#kit/list/row-actions.tsx'
import { SearchForm, type SearchProps } from '#kit/list/search-form.tsx'
import { time } from '#kit/record/time.tsx'
import { useList } from '#kit/list/use-list.ts'
import { Gender, useRoleOptions, formatStaffName, type Staff, useOneTimeSecret, useStaffActions } from './staff.tsx'
import type { BuiltInView } from '#kit/list/saved-views-state.ts'

const AssignRoleForm = lazyAfterRender(() => import('./staff-dialogs.tsx'), 'AssignRoleForm')
const StaffDrawer = lazyAfterRender(() => import('./staff-dialogs.tsx'), 'StaffDrawer', {
  when: ({ row }) => row !== undefined,
})
const StaffAddForm = lazyAfterRender(() => import('./staff-dialogs.tsx'), 'StaffAddForm')
const StaffEditForm = lazyAfterRender(() => import('./staff-dialogs.tsx'), 'StaffEditForm')
const StaffImport = lazyAfterRender(() => import('./staff-dialogs.tsx'), 'StaffImport')

const { col, actions } = createColumns(StaffRow)
const QUERY = staff.list.input
const COLUMNS = [
  col('account', (account, { locked }) => <Account name={account} locked={locked} />, { width: 130, sort: true }),
  col('realname', { width: 100, sort: true }),
  col('nickname', { width: 110, hidden: true }),
  col('gender', (gender) => <Gender gender={gender} />, { width: 80, hidden: true }),
  col('roleNames', (names) => (names.length === 0 ? <Tag color="warning">未分配角色</Tag> : names.join('、')), {
    width: 135,
  }),
  col('mobileNo', { width: 115 }),
  col('email', { width: 190, hidden: true }),
  col('status', (_, row) => <StaffStatus row={row} />, { width: 90 }),
  col('mfaEnabled', { width: 100, hidden: true }),
  col('lastLoginTime', time, { width: 152, sort: true }),
  col('lastLoginIp', { width: 150, hidden: true }),
  col('expireTime', time, { width: 180, hidden: true }),
  col('createTime', time, { width: 152, sort: true }),
  col('remark', { width: 180, hidden: true }),
]

const Account = ({ name, locked }: { name: string; locked: boolean }) => (
  <NameWithTags name={name}>{locked && <Tag color="error">已锁定</Tag>}</NameWithTags>
)

/** The drawer or form that is open. */
type OpenLayer = { readonly add?: true; readonly import?: true; readonly edit?: Staff; readonly roles?: Staff }

const VIEWS: readonly BuiltInView[] = [
  { name: '未分配角色', filters: { roleless: '1' } },
  { name: '已锁定', filters: { locked: '1' } },
  { name: '已停用', filters: { status: '0' } },
]

/** Lists the accounts of the current tenant. */
export default function StaffListPage() {
  const list = useList(staff.list)
  const secret = useOneTimeSecret()
  const self = useSession()?.uid
  const [shown, setShown] = useState<Staff>()
  const [open, setOpen] = useState<OpenLayer>({})
  const close = () => setOpen({})
  const rowActions = useRowActions(secret, setShown, setOpen)
  const buttons = <Buttons onAdd={() => setOpen({ add: true })} onImport={() => setOpen({ import: true })} />
  return (
    <Page>
      <StaffSearch {...list.search} />
      <DataTable
        {...list.table}
        views={VIEWS}
        rowKey="uid"
        columns={[...COLUMNS, actions(rowActions, 130)]}
        actions={buttons}
        tools={<ExportButton to={staff.export} query={list.query} name="用户" />}
        findSelectionBlock={({ uid, changeRefusal }) =>
          uid === self ? '不能停用或删除自己的账号' : (changeRefusal ?? undefined)
        }
        batch={(picked) => <Batch picked={picked} />}
        empty={{
          text: '还没有用户',
          hint: '为每位用户建立登录账号并分配角色，人数较多时可以批量导入。',
          action: buttons,
        }}
        onOpen={setShown}
      />
      <StaffDrawer rows={list.table.rows} row={shown} onRow={setShown} />
      {open.add && <StaffAddForm onClose={close} onMade={secret.showPassword} />}
      {open.edit && <StaffEditForm row={open.edit} onClose={close} />}
      {open.roles && <AssignRoleForm row={open.roles} onClose={close} />}
      {open.import && <StaffImport onClose={close} />}
      {secret.dialog}
    </Page>
  )
}

/** Returns a function that renders the actions on an account. */
function useRowActions(
  secret: ReturnType<typeof useOneTimeSecret>,
  onShow: (row: Staff) => void,
  onOpen: (layer: OpenLayer) => void,
) {
  const actionsOf = useStaffActions(secret)
  const self = useSession()?.uid
  return (row: Staff) => (
    <RowActions
      items={[
        { label: '详情', onClick: () => onShow(row) },
        ...(row.uid === self ? [] : editActions(row, onOpen)),
        ...actionsOf(row),
      ]}
    />
  )
}

function editActions(row: Staff, onOpen: (layer: OpenLayer) => void): RowAction[] {
  const reason = row.changeRefusal ?? undefined
  return [
    { label: '编辑', to: staff.update, reason, onClick: () => onOpen({ edit: row }) },
    { label: '分配角色', to: staff.assignRole, reason, onClick: () => onOpen({ roles: row }) },
  ]
}

function StaffSearch(search: SearchProps) {
  const roles = useRoleOptions().map(({ value, label }) => ({ value, label }))
  return (
    <SearchForm {...search}>
      <Filter of={QUERY} name="account" />
      <Filter of={QUERY} name="realname" />
      <Filter of={QUERY} name="mobileNo" />
      <SelectFilter of={QUERY} name="status" />
      <SelectFilter of={QUERY} name="roleId" options={roles} />
      <SelectFilter of={QUERY} name="roleless" />
      <SelectFilter of={QUERY} name="locked" />
      <DateRangeFilter label="创建时间" />
    </SearchForm>
  )
}

function StaffStatus({ row }: { row: Staff }) {
  const self = useSession()?.uid
  return (
    <EnableSwitch
      calls={staff}
      id={row.uid}
      on={row.status === 1}
      name={formatStaffName(row)}
      reason={row.uid === self ? '不能停用自己的账号' : (row.changeRefusal ?? undefined)}
      warning="停用后该账号立即退出登录，且不能再登录。"
    />
  )
}

function Buttons({ onAdd, onImport }: { onAdd(): void; onImport(): void }) {
  return (
    <>
      <Allowed to={staff.create}>
        <Button type="primary" icon={<PlusOutlined />} onClick={onAdd}>
          新增用户
        </Button>
      </Allowed>
      <Allowed to={staff.import}>
        <Button icon={<ImportOutlined />} onClick={onImport}>
          导入
        </Button>
      </Allowed>
    </>
  )
}

function Batch({ picked }: { picked: Picked<Staff> }) {
  const each = { picked, nameOf: (row: Staff) => formatStaffName(row) }
  const input = ({ uid }: Staff) => ({ id: uid })
  return (
    <>
      <StatusBatch calls={staff} input={input} {...each} disableEffect="停用后这些账号立即退出登录，且不能再登录。" />
      <BatchAction
        label="删除"
        to={staff.remove}
        input={({ uid }) => ({ ids: [uid] })}
        {...each}
        danger
        effect="这些账号立即退出登录，且不能恢复。"
      />
    </>
  )
}
