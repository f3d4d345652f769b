import { MENU_TYPE, MenuRow } from '@oms/contract/system/menu.ts'
import { CopyText } from '#kit/record/copy-text.tsx'
import type { RecordNavigation } from '#kit/record/detail-drawer.tsx'
import { Descriptions, createDescriptions } from '#kit/record/descriptions.tsx'
import { RecordDrawer } from '#kit/record/record-drawer.tsx'
import { time } from '#kit/record/time.tsx'
import type { MenuNode } from './menu-nodes.ts'

const { item, wide } = createDescriptions(MenuRow)
const yesNo = (value: number) => (value === 1 ? '是' : '否')
const KIND = item('type', (type) => MENU_TYPE[type])
const STATE = [item('status'), item('sort'), item('isBuiltin', yesNo), item('updateTime', time), wide('remark')]
const PERMS = wide('perms', (perms) => perms && <CopyText text={perms} />)
/** Detail fields of a menu. Buttons have no URL, so the URL fields are hidden for buttons. */
const ITEMS = {
  M: [KIND, item('url'), item('icon'), item('visible'), ...STATE],
  C: [
    KIND,
    item('url'),
    PERMS,
    item('icon'),
    item('visible'),
    item('isFrame'),
    item('keepAlive', yesNo),
    item('affix', yesNo),
    item('query'),
    item('activeMenu'),
    item('routeName'),
    ...STATE,
  ],
  F: [KIND, PERMS, ...STATE],
}

/** Shows one menu in a drawer: its fields and its operation history. */
export const MenuDrawer = (props: RecordNavigation<MenuNode>) => (
  <RecordDrawer {...props} rowKey="id" bizType="menu" title={({ name }) => `菜单「${name}」`}>
    {(row) => <Descriptions row={row} items={ITEMS[row.type]} />}
  </RecordDrawer>
)
