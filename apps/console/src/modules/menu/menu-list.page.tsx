import { MENU_TYPE, MenuRow, menu } from '@oms/contract/menu/menu.ts'
import { Tag } from 'antd'
import { useMemo, useState } from 'react'
import { lazyAfterRender } from '#core/loading/deferred.tsx'
import { createColumns } from '#kit/table/columns.tsx'
import { CopyText } from '#kit/record/copy-text.tsx'
import { DataTable } from '#kit/table/data-table.tsx'
import { Filter, SelectFilter } from '#kit/list/filter.tsx'
import { Page } from '#kit/record/page.tsx'
import { RowActions } from '#kit/list/row-actions.tsx'
import { SearchForm } from '#kit/list/search-form.tsx'
import { useRows } from '#kit/list/use-rows.ts'
import type { MenuDialogState } from './menu-dialog.tsx'
import { MenuIcon } from './menu-icon.tsx'
import { MenuToolbar } from './menu-toolbar.tsx'
import { listBranchIds, flattenMenus, type MenuNode, removeEmptyChildren } from './menu-nodes.ts'
import { MenuStatus } from './menu-status.tsx'
import { SortInput } from './sort-input.tsx'
import { useExpandedMenus } from './use-expanded-menus.ts'
import { useMenuActions } from './use-menu-actions.ts'
import { useMenuOrder } from './use-menu-order.ts'
import './menu.css'

const MenuDrawer = lazyAfterRender(() => import('./menu-drawer.tsx'), 'MenuDrawer', {
  when: ({ row }) => row !== undefined,
})
const MenuDialog = lazyAfterRender(() => import('./menu-dialog.tsx'), 'MenuDialog')

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
          actions((row) => <RowActions items={actionsOf(row)} shown={2} />, 160) as never,
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
    <span className="menu-name">
      {icon && <MenuIcon name={icon} />} {name} {own && <Tag variant="outlined">自建</Tag>}
    </span>
  )
}
