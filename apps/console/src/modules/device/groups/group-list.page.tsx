import { ApiOutlined, DownOutlined, PlusOutlined, RightOutlined } from '@ant-design/icons'
import { deviceGroups, GroupCount, GroupRow } from '@oms/contract/device/device-group.ts'
import { Button, Tag } from 'antd'
import { useMemo, useState } from 'react'
import { lazyAfterRender } from '#core/loading/deferred.tsx'
import { useRead, useWrite } from '#core/api/query.ts'
import { Link } from '#core/routing/router.tsx'
import { Allowed, useCan } from '#core/auth/session.tsx'
import { type Column, createColumns } from '#kit/table/columns.tsx'
import { DataTable } from '#kit/table/data-table.tsx'
import { Filter, SelectFilter } from '#kit/list/filter.tsx'
import { Page } from '#kit/record/page.tsx'
import { RowActions } from '#kit/list/row-actions.tsx'
import { SearchForm, type SearchProps } from '#kit/list/search-form.tsx'
import { time } from '#kit/record/time.tsx'
import { useIsPhoneWidth } from '#kit/table/use-media.ts'
import { useRows } from '#kit/list/use-rows.ts'
import { TenantPicker, useHasManyTenants } from '#kit/pickers/tenant-picker.tsx'
import { call } from '#core/api/client.ts'
import { NO_STATUS_PERMISSION, StatusSwitch } from '#kit/list/status-switch.tsx'
import { listBranchIds, flattenTree, type GroupNode, buildGroupTree, type Group, toGroupInput } from './group-tree.ts'
import './device-group.css'

const GroupAddForm = lazyAfterRender(() => import('./group-form.tsx'), 'GroupAddForm')
const GroupEditForm = lazyAfterRender(() => import('./group-form.tsx'), 'GroupEditForm')
const GroupDevices = lazyAfterRender(() => import('./group-devices.tsx'), 'GroupDevices')

type Shown =
  | { readonly what: 'add'; readonly parentId?: number }
  | { readonly what: 'edit' | 'devices'; readonly group: GroupNode }

const QUERY = deviceGroups.list.input
/** Calls of the row actions. */
const CALLS = [deviceGroups.devices, deviceGroups.update, deviceGroups.create, deviceGroups.remove]
const { col, actions } = createColumns(GroupRow)
const counted = createColumns(GroupCount)
const number = (count: number | undefined) => (count === undefined ? '…' : count.toLocaleString())
const COLUMNS = [
  col('groupName', { width: 260 }),
  col('kind', (kind) => <Tag color={kind === 2 ? 'purple' : 'blue'}>{kind === 2 ? '动态' : '静态'}</Tag>, {
    width: 90,
  }),
  counted.col('deviceCount', number, { width: 110, align: 'right' }),
  counted.col('onlineCount', number, { width: 100, align: 'right' }),
  col('status', (_, row) => <GroupStatus row={row} />, { width: 90 }),
  col('description', { width: 180 }),
  col('updateTime', time, { width: 170 }),
] as unknown as Column<GroupNode>[]

/** Device groups of a tenant as a tree. */
export default function GroupListPage() {
  const list = useRows(deviceGroups.list)
  const tenantId = (list.search.initial as { tenantId?: string }).tenantId
  const scope = tenantId ? { tenantId: Number(tenantId) } : {}
  const counts = useRead(deviceGroups.counts, scope, { quiet: true })
  const tree = useMemo(() => buildGroupTree(list.table.rows, counts.data?.list), [list.table.rows, counts.data])
  const [closed, setClosed] = useState<readonly number[]>([])
  const shape = useShape(tree, closed, setClosed)
  const [shown, setShown] = useState<Shown>()
  const rowActions = useGroupActions(setShown)
  const close = () => setShown(undefined)
  const add = <AddButton onAdd={() => setShown({ what: 'add' })} />
  return (
    <Page>
      <Search {...list.search} />
      <DataTable<GroupNode>
        {...list.table}
        {...shape}
        rowKey="id"
        columns={[...shape.columns, actions(((row: GroupNode) => rowActions(row)) as never, 130, CALLS) as never]}
        actions={
          <>
            {add}
            <AccessLink tenantId={tenantId} />
          </>
        }
        empty={{
          text: '还没有设备分组',
          hint: '按用途、地区或规则把设备归为一组，发布升级时可以按组选择。',
          action: add,
        }}
        onOpen={(group) => setShown({ what: 'devices', group })}
      />
      {shown?.what === 'add' && <GroupAddForm {...scope} tree={tree} parentId={shown.parentId} onClose={close} />}
      {shown?.what === 'edit' && <GroupEditForm {...scope} tree={tree} id={shown.group.id} onClose={close} />}
      {shown?.what === 'devices' && <GroupDevices group={shown.group} onClose={close} />}
    </Page>
  )
}

/** Tree table; on phones a list of cards. */
function useShape(
  tree: readonly GroupNode[],
  closed: readonly number[],
  onClosed: (closed: readonly number[]) => void,
) {
  const phone = useIsPhoneWidth()
  const branches = useMemo(() => listBranchIds(tree), [tree])
  if (!phone)
    return {
      rows: tree,
      columns: COLUMNS,
      expandable: {
        expandedRowKeys: branches.filter((id) => !closed.includes(id)),
        onExpandedRowsChange: (keys: readonly unknown[]) => onClosed(branches.filter((id) => !keys.includes(id))),
      },
    }
  const onTurn = (id: number) => onClosed(closed.includes(id) ? closed.filter((each) => each !== id) : [...closed, id])
  const title = COLUMNS.map((column) =>
    column.key === 'groupName'
      ? { ...column, render: (row: GroupNode) => <CardTitle row={row} closed={closed} onTurn={onTurn} /> }
      : column,
  )
  return { rows: flattenTree(tree, closed), columns: title }
}

/** Card title of a group, indented by level, with an expand button. */
function CardTitle({
  row,
  closed,
  onTurn,
}: {
  row: GroupNode & { depth?: number }
  closed: readonly number[]
  onTurn(id: number): void
}) {
  const open = !closed.includes(row.id)
  return (
    <span className="kit-row group-card-title" data-depth={row.depth}>
      {row.children && (
        <Button
          type="text"
          icon={open ? <DownOutlined aria-hidden /> : <RightOutlined aria-hidden />}
          aria-expanded={open}
          aria-label={`${row.groupName} 的下级分组`}
          onClick={() => onTurn(row.id)}
        />
      )}
      {row.groupName}
      {row.children && !open && <small className="kit-muted">{row.children.length} 个下级</small>}
    </span>
  )
}

function useGroupActions(onShow: (shown: Shown) => void) {
  const remove = useWrite(deviceGroups.remove)
  const canAdd = useCan()(deviceGroups.create.access)
  return (row: GroupNode) => (
    <RowActions
      items={[
        { label: '设备', to: deviceGroups.devices, onClick: () => onShow({ what: 'devices', group: row }) },
        { label: '编辑', to: deviceGroups.update, onClick: () => onShow({ what: 'edit', group: row }) },
        canAdd && { label: '新增下级', onClick: () => onShow({ what: 'add', parentId: row.id }) },
        {
          label: '删除',
          to: deviceGroups.remove,
          danger: true,
          reason: row.children === undefined ? undefined : '有下级分组，不能删除',
          confirm: `删除分组「${row.groupName}」？组内设备不会被删除，只是不再属于该分组。`,
          onClick: () => remove.mutateAsync({ id: row.id }),
        },
      ]}
    />
  )
}

function Search(search: SearchProps) {
  const many = useHasManyTenants()
  return (
    <SearchForm {...search}>
      <Filter of={QUERY} name="groupName" />
      <SelectFilter of={QUERY} name="kind" />
      <SelectFilter of={QUERY} name="status" />
      {many && (
        <Filter of={QUERY} name="tenantId">
          <TenantPicker placeholder="当前客户" />
        </Filter>
      )}
    </SearchForm>
  )
}

const AddButton = ({ onAdd }: { onAdd(): void }) => (
  <Allowed to={deviceGroups.create}>
    <Button type="primary" icon={<PlusOutlined />} onClick={onAdd}>
      新增分组
    </Button>
  </Allowed>
)

function AccessLink({ tenantId }: { tenantId: string | undefined }) {
  if (!useCan()('device:apkManage:access')) return null
  return (
    <Link to={`/device/apkManage/access${tenantId ? `?tenantId=${tenantId}` : ''}`} className="kit-row">
      <ApiOutlined aria-hidden /> 接入设置
    </Link>
  )
}

/** Enables or disables a group; the other fields are saved as they are stored. */
function GroupStatus({ row: { id, groupName, status } }: { row: Pick<Group, 'id' | 'groupName' | 'status'> }) {
  const { mutateAsync } = useWrite(deviceGroups.update)
  const can = useCan()
  const change = async (on: boolean) => {
    const stored = await call(deviceGroups.get, { id })
    await mutateAsync({ ...toGroupInput({ ...stored, status: on ? 1 : 0 }), id, rev: stored.rev })
  }
  return (
    <StatusSwitch
      on={status === 1}
      name={groupName}
      reason={can(deviceGroups.update.access) && can(deviceGroups.get.access) ? undefined : NO_STATUS_PERMISSION}
      warning="停用后发布升级时不能选择该分组，已选择该分组的发布不再匹配其中的设备。"
      onChange={change}
    />
  )
}
