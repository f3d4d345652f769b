import { menu } from '@oms/contract/system/menu.ts'
import { implement } from '#core/http/implement.ts'
import { getMenu, listMenus } from './menu-list.ts'
import { createStandardButtons, createMenu, removeMenu, updateMenu } from './menu-save.ts'
import { sortMenus } from './menu-sort.ts'

export const menuModule = implement(menu, {
  list: listMenus,
  get: getMenu,
  create: createMenu,
  update: updateMenu,
  sort: sortMenus,
  buttons: createStandardButtons,
  remove: removeMenu,
})
