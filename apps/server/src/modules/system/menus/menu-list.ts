import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import type { MenuTreeNode, menu } from '@oms/contract/system/menu.ts'
import type { Ctx } from '#core/http/context.ts'
import { assertPlatform } from '#core/auth/grants.ts'
import { type Menu, readMenu, readMenus } from './menu-rows.ts'

/** Returns the menu tree. With a filter, returns the matches and their ancestors. */
export async function listMenus({ db, user }: Ctx, { name, status }: ParsedOf<typeof menu.list>) {
  assertPlatform(user)
  const rows = await readMenus(db)
  const wanted = name?.toLowerCase()
  const matches = (row: Menu) =>
    (!wanted || row.name.toLowerCase().includes(wanted)) &&
    (status === undefined || (row.status === 1) === (status === 1))
  const below = Map.groupBy(rows, ({ parentId }) => parentId)
  const branch = (parentId: number): MenuTreeNode[] =>
    (below.get(parentId) ?? []).flatMap((row) => {
      const children = branch(row.id)
      return children.length > 0 || matches(row) ? [{ ...row, type: row.type as MenuTreeNode['type'], children }] : []
    })
  return { list: branch(0) }
}

export async function getMenu({ db, user }: Ctx, { id }: ParsedOf<typeof menu.get>) {
  assertPlatform(user)
  const found = await readMenu(db, id)
  return { ...found, type: found.type as MenuTreeNode['type'] }
}
