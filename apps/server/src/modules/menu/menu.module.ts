import { menu } from '@oms/contract/menu/menu.ts'
import { implement } from '#core/http/implement.ts'
import { getMenu, listMenus } from './menu-list.service.ts'
import { createStandardButtons, createMenu, removeMenu, updateMenu } from './menu-save.service.ts'
import { sortMenus } from './menu-sort.service.ts'

export const menuModule = implement(menu, {
  list: listMenus,
  get: getMenu,
  create: createMenu,
  update: updateMenu,
  sort: sortMenus,
  buttons: createStandardButtons,
  remove: removeMenu,
})
