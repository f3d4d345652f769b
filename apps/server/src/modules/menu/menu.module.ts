import { menu } from '@oms/contract/menu/menu.ts'
import { implement } from '#core/http/implement.ts'
import { lint } from './menu-lint.service.ts'
import { get, list } from './menu-list.service.ts'
import { buttons, create, remove, update } from './menu-save.service.ts'
import { sort } from './menu-sort.service.ts'

export const menuModule = implement(menu, { list, lint, get, create, update, sort, buttons, remove })
