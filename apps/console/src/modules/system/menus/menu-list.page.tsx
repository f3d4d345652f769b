import { MENU_TYPE, MenuRow, menu, MENU_SCREEN } from '@oms/contract/system/menu.ts'
import { Tag, Button, InputNumber } from 'antd'
import { useMemo, useState } from 'react'
import { PlusOutlined } from '@ant-design/icons'
import { lazyAfterRender } from '#core/loading/deferred.tsx'
import { createColumns } from '#kit/table/columns.tsx'
import { CopyText } from '#kit/record/copy-text.tsx'
import { DataTable } from '#kit/table/data-table.tsx'
import { Filter, SelectFilter } from '#kit/list/filter.tsx'
import { Page } from '#kit/record/page.tsx'
import { RowActions, type RowAction } from '#kit/list/row-actions.tsx'
import { SearchForm } from '#kit/list/search-form.tsx'
import { useRows } from '#kit/list/use-rows.ts'
import { call } from '#core/api/client.ts'
import { useWrite } from '#core/api/query.ts'
import { useMayCall, Allowed } from '#core/auth/session.tsx'
import { selectAcceptedFields } from '#kit/form/form-values.ts'
import { NO_STATUS_PERMISSION, StatusSwitch } from '#kit/list/status-switch.tsx'
import { useUnsaved } from '#core/routing/tab.tsx'
import type { MenuDialogState } from './menu-dialogs.tsx'
import { MenuIcon, listBranchIds, flattenMenus, type MenuNode, removeEmptyChildren, type Menu } from './menu.tsx'

const MenuDrawer = lazyAfterRender(() => import('./menu-dialogs.tsx'), 'MenuDrawer', {
  when: ({ row }) => row !== undefined,
})
const MenuDialog = lazyAfterRender(() => import('./menu-dialogs.tsx'), 'MenuDialog')

const { col, actions } = createColumns(MenuRow)
const TYPE_COLORS = { M: 'blue', C: 'green', F: 'default' } as const

const MenuSearch = (search: ReturnType<typeof useRows>['search']) => (
  <SearchForm {...search}>
    <Filter of={MenuRow} name="name" />
    <SelectFilter of={menu.list.input} name="status" />
  </SearchForm>
)

/** Shows all menus as a tree: directories, pages and buttons. */
export default function MenuListPage() {
  const list = useRows(menu.list)
  const tree = useMemo(() => removeEmptyChildren(list.table.rows), [list.table.rows])
  const branches = useMemo(() => listBranchIds(tree), [tree])
  const expanded = useExpandedMenus(branches, list.table.filtered)
  const order = useMenuOrder(tree)
  const [shown, setShown] = useState<MenuDialogState>()
  const [opened, setOpened] = useState<MenuNode>()
  const actionsOf = useMenuActions(setShown, setOpened)
  const sortCell = (_: number, row: MenuNode) => <SortInput menu={row} order={order} />
  return (
    <Page>
      <MenuSearch {...list.search} />
      <DataTable<MenuNode>
        {...list.table}
        rows={tree}
        rowKey="id"
        expandable={expanded.expandable}
        columns={[
          ...COLUMNS,
          col('sort', sortCell as never, { width: 100 }) as never,
          actions((row) => <RowActions items={actionsOf(row)} />, 130) as never,
        ]}
        actions={<MenuToolbar order={order} expanded={expanded} onShow={setShown} />}
        empty={{ text: '没有菜单' }}
        onOpen={setOpened}
      />
      <MenuDrawer rows={flattenMenus(tree)} row={opened} onRow={setOpened} />
      {shown && <MenuDialog shown={shown} tree={tree} onClose={() => setShown(undefined)} />}
    </Page>
  )
}

const COLUMNS = [
  col(
    'name',
    (name, row) => <MenuName name={name} icon={row.type === 'F' ? '' : row.icon} own={row.isBuiltin === 0} />,
    {
      width: 260,
    },
  ) as never,
  col('type', (type) => <Tag color={TYPE_COLORS[type]}>{MENU_TYPE[type]}</Tag>, { width: 80 }),
  col('status', (_, row) => <MenuStatus row={row} />, { width: 150 }),
  col('url', { width: 190 }),
  col('perms', (perms) => (perms ? <CopyText text={perms} /> : <span className="kit-none">-</span>), { width: 240 }),
]

function MenuName({ name, icon, own }: { name: string; icon: string; own: boolean }) {
  return (
    <span className="kit-number">
      {icon && <MenuIcon name={icon} />} {name} {own && <Tag variant="outlined">自建</Tag>}
    </span>
  )
}

/** Enables or disables a menu, and marks a menu that is hidden or inactive under a disabled parent. */
function MenuStatus({ row }: { row: Menu }) {
  const { id, name, status, visible, url } = row
  const { mutateAsync } = useWrite(menu.update)
  const mayCall = useMayCall()
  const change = async (on: boolean) => {
    const stored = await call(menu.get, { id })
    await mutateAsync({ ...selectAcceptedFields(menu.update, { ...stored }), status: on ? 1 : 0 } as never)
  }
  const reason = !(mayCall(menu.update) && mayCall(menu.get))
    ? NO_STATUS_PERMISSION
    : url === MENU_SCREEN
      ? '停用后将无法再管理菜单，不能停用'
      : undefined
  return (
    <span className="kit-row">
      <StatusSwitch
        on={status !== 0}
        name={name}
        reason={reason}
        warning="停用后，所有账号立即失去该菜单及其下级的权限。"
        onChange={change}
      />
      {status === 2 && <Tag color="orange">上级停用</Tag>}
      {visible === 0 && <Tag>隐藏</Tag>}
    </span>
  )
}

interface ToolbarProps {
  order: MenuOrder
  expanded: ExpandedMenus
  onShow(shown: MenuDialogState): void
}

/** Toolbar of the menu tree. Its buttons add a menu, expand all menus and save the changed order. */
function MenuToolbar({ order, expanded, onShow }: ToolbarProps) {
  return (
    <>
      <Allowed to={menu.create}>
        <Button type="primary" icon={<PlusOutlined />} onClick={() => onShow({ what: 'add' })}>
          新增菜单
        </Button>
      </Allowed>
      <Button onClick={expanded.toggleAll}>{expanded.all ? '全部收起' : '全部展开'}</Button>
      {order.changed > 0 && (
        <>
          <Button type="primary" ghost loading={order.saving} onClick={order.save}>
            保存排序（{order.changed}）
          </Button>
          <Button onClick={order.discard}>放弃</Button>
        </>
      )}
    </>
  )
}

/** Sort number of a menu. */
function SortInput({ menu, order }: { menu: MenuNode; order: MenuOrder }) {
  if (!order.allowed) return menu.sort
  return (
    <InputNumber
      size="small"
      min={0}
      max={99_999}
      precision={0}
      style={{ width: 84 }}
      aria-label={`${menu.name}的排序`}
      value={order.sortOf(menu)}
      onChange={(next) => next !== null && order.type(menu, next)}
    />
  )
}

/** Returns the expanded rows. While a filter is active every row is expanded, so that deep matches are visible. */
function useExpandedMenus(branches: readonly number[], filtered: boolean) {
  const [open, setOpen] = useState<readonly number[]>([])
  const keys = filtered ? branches : open
  return {
    expandable: {
      expandedRowKeys: [...keys],
      onExpandedRowsChange: (next: readonly React.Key[]) => setOpen(next.map(Number)),
    },
    all: keys.length > 0,
    toggleAll: () => setOpen(keys.length > 0 ? [] : branches),
  }
}
type ExpandedMenus = ReturnType<typeof useExpandedMenus>

/** Returns the row actions of a menu. */
function useMenuActions(onShow: (shown: MenuDialogState) => void, onOpen: (menu: MenuNode) => void) {
  const buttons = useWrite(menu.buttons)
  const remove = useWrite(menu.remove)
  return (row: MenuNode): readonly (RowAction | false)[] => [
    { label: '编辑', to: menu.update, onClick: () => onShow({ what: 'edit', id: row.id }) },
    canHaveChildren(row) && { label: '新增下级', to: menu.create, onClick: () => onShow({ what: 'add', parent: row }) },
    { label: '详情', onClick: () => onOpen(row) },
    row.type === 'C' &&
      row.perms.endsWith(':list') && {
        label: '生成标准按钮',
        to: menu.buttons,
        confirm: `为「${row.name}」补齐详情、新增、编辑、删除、导入、导出按钮？已有的不会重复。`,
        onClick: () => buttons.mutateAsync({ id: row.id }),
      },
    row.isBuiltin === 0 && {
      label: '删除',
      to: menu.remove,
      danger: true,
      reason: row.children === undefined ? undefined : '有下级菜单，不能删除',
      confirm: `删除菜单「${row.name}」？删除后不能恢复。`,
      onClick: () => remove.mutateAsync({ id: row.id }),
    },
  ]
}

/**
 * Returns true when the menu may have children. A button below a page without its own permission could not be granted.
 */
const canHaveChildren = ({ type, perms }: MenuNode) => type === 'M' || (type === 'C' && perms !== '')

/** Keeps the sort numbers that the user has typed. One call saves all of them. */
function useMenuOrder(tree: readonly MenuNode[]) {
  const mayCall = useMayCall()
  const save = useWrite(menu.sort)
  const [typed, setTyped] = useState<ReadonlyMap<number, number>>(new Map())
  const list = flattenMenus(tree).flatMap(({ id, sort: stored }) => {
    const sort = typed.get(id) ?? stored
    return sort === stored ? [] : [{ id, sort }]
  })
  useUnsaved(list.length > 0)
  const discard = () => setTyped(new Map())
  return {
    allowed: mayCall(menu.sort),
    changed: list.length,
    saving: save.isPending,
    sortOf: ({ id, sort }: MenuNode) => typed.get(id) ?? sort,
    type: ({ id }: MenuNode, sort: number) => setTyped(new Map(typed).set(id, sort)),
    save: () => save.mutate({ list }, { onSuccess: discard }),
    discard,
  }
}
type MenuOrder = ReturnType<typeof useMenuOrder>
