import { MENU_TYPE, MenuRow } from '@oms/contract/menu.ts'
import { CopyText } from '#kit/copy-text.tsx'
import type { Beside } from '#kit/detail-drawer.tsx'
import { Details, detailsOf } from '#kit/details.tsx'
import { RecordDrawer } from '#kit/record-drawer.tsx'
import { time } from '#kit/time.tsx'
import type { MenuNode } from './menu-nodes.ts'

const { item, wide } = detailsOf(MenuRow)
const yes = (value: number) => (value === 1 ? '是' : '否')
const KIND = item('type', (type) => MENU_TYPE[type])
const STATE = [item('status'), item('sort'), item('isBuiltin', yes), item('updateTime', time), wide('remark')]
const PERMS = wide('perms', (perms) => perms && <CopyText text={perms} />)
/** A button has no address, and none of what goes with one. */
const ITEMS = {
  M: [KIND, item('url'), item('icon'), item('visible'), ...STATE],
  C: [
    KIND,
    item('url'),
    PERMS,
    item('icon'),
    item('visible'),
    item('isFrame'),
    item('keepAlive', yes),
    item('affix', yes),
    item('query'),
    item('activeMenu'),
    item('routeName'),
    ...STATE,
  ],
  F: [KIND, PERMS, ...STATE],
}

/** One menu beside the tree: all it is made of, and what was done to it. */
export const MenuDrawer = (props: Beside<MenuNode>) => (
  <RecordDrawer {...props} rowKey="id" bizType="menu" title={({ name }) => `菜单「${name}」`}>
    {(row) => <Details row={row} items={ITEMS[row.type]} />}
  </RecordDrawer>
)
