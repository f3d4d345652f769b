import { MENU_TYPE, MenuRow, menu } from '@oms/contract/menu.ts'
import { Tag } from 'antd'
import { useMemo, useState } from 'react'
import { later } from '#kernel/later.tsx'
import { columnsOf } from '#kit/columns.tsx'
import { CopyText } from '#kit/copy-text.tsx'
import { DataTable } from '#kit/data-table.tsx'
import { Filter, SelectFilter } from '#kit/filter.tsx'
import { Page } from '#kit/page.tsx'
import { RowActions } from '#kit/row-actions.tsx'
import { SearchForm } from '#kit/search-form.tsx'
import { useRows } from '#kit/use-rows.ts'
import type { Shown } from './menu-dialog.tsx'
import { MenuIcon } from './menu-icon.tsx'
import { MenuToolbar } from './menu-toolbar.tsx'
import { branchIds, type MenuNode, tidyTree } from './menu-nodes.ts'
import { SortInput } from './sort-input.tsx'
import { useExpandedMenus } from './use-expanded-menus.ts'
import { useMenuActions } from './use-menu-actions.ts'
import { useMenuOrder } from './use-menu-order.ts'
import './menu.css'

const MenuDialog = later(() => import('./menu-dialog.tsx'), 'MenuDialog')

const { col, actions } = columnsOf(MenuRow)
const TYPE_COLORS = { M: 'blue', C: 'green', F: 'default' } as const

/** All menus as a tree: directories, pages and buttons. */
export default function MenuListPage() {
  const list = useRows(menu.list)
  const tree = useMemo(() => tidyTree(list.table.rows), [list.table.rows])
  const branches = useMemo(() => branchIds(tree), [tree])
  const expanded = useExpandedMenus(branches, list.table.filtered)
  const order = useMenuOrder(tree)
  const [shown, setShown] = useState<Shown>()
  const actionsOf = useMenuActions(setShown)
  const sortCell = (_: number, row: MenuNode) => <SortInput menu={row} order={order} />
  return (
    <Page>
      <SearchForm {...list.search}>
        <Filter of={MenuRow} name="name" />
        <SelectFilter of={menu.list.input} name="status" />
      </SearchForm>
      <DataTable<MenuNode>
        {...list.table}
        rows={tree}
        rowKey="id"
        expandable={expanded.expandable}
        columns={[
          ...COLUMNS,
          col('sort', sortCell as never, { width: 100 }) as never,
          STATUS,
          actions((row) => <RowActions items={actionsOf(row)} shown={2} />, 160) as never,
        ]}
        actions={<MenuToolbar order={order} expanded={expanded} onShow={setShown} />}
        empty={{ text: '没有菜单' }}
      />
      {shown && <MenuDialog shown={shown} tree={tree} onShow={setShown} onClose={() => setShown(undefined)} />}
    </Page>
  )
}

const COLUMNS = [
  col(
    'name',
    (name, { icon, type, isBuiltin }) => <MenuName name={name} icon={type === 'F' ? '' : icon} own={isBuiltin === 0} />,
    {
      width: 240,
    },
  ),
  col('type', (type) => <Tag color={TYPE_COLORS[type]}>{MENU_TYPE[type]}</Tag>, { width: 80 }),
  col('url', { width: 190 }),
  col('perms', (perms) => (perms ? <CopyText text={perms} /> : <span className="kit-none">-</span>), { width: 240 }),
]
const STATUS = col('status', (status, { visible }) => <MenuState status={status} visible={visible} />, { width: 120 })

function MenuName({ name, icon, own }: { name: string; icon: string; own: boolean }) {
  return (
    <span className="menu-name">
      {icon && <MenuIcon name={icon} />} {name} {own && <Tag variant="outlined">自建</Tag>}
    </span>
  )
}

function MenuState({ status, visible }: { status: number; visible: number }) {
  return (
    <>
      {status === 1 && <Tag color="green">启用</Tag>}
      {status === 0 && <Tag color="red">停用</Tag>}
      {status === 2 && <Tag color="orange">上级停用</Tag>}
      {visible === 0 && <Tag>隐藏</Tag>}
    </>
  )
}
