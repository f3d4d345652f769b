import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import type { menu } from '@oms/contract/menu/menu.ts'
import { sql } from 'drizzle-orm'
import type { Ctx } from '#core/http/context.ts'
import { assertPlatform } from '#core/auth/grants.ts'
import { lockMenus } from '#core/auth/menu-tree.ts'
import { notFound } from '#core/http/api-error.ts'
import { assertMenuPosition, readMenus, publishMenuChange } from './menu-rows.ts'

const MOST_HISTORIES = 50

/** Saves positions and order of several menus. Saves none when one position is invalid. */
export async function sortMenus(ctx: Ctx, { list }: ParsedOf<typeof menu.sort>) {
  const { db, user } = ctx
  assertPlatform(user)
  await lockMenus(db)
  const byId = new Map((await readMenus(db)).map((row) => [row.id, row]))
  const moved = [...new Map(list.map((each) => [each.id, each])).values()].filter(({ id, parentId, sort: place }) => {
    const stored = byId.get(id)
    if (!stored) throw notFound('菜单')
    return stored.parentId !== parentId || stored.sort !== place
  })
  if (moved.length === 0) return { changed: 0 }
  const before = moved.map(({ id }) => byId.get(id)!)
  for (const { id, parentId, sort: place } of moved) byId.set(id, { ...byId.get(id)!, parentId, sort: place })
  for (const { id } of moved) assertMenuPosition(byId, byId.get(id)!)
  await db.execute(sql`
    update menus m set parent_id = (v ->> 'parentId')::int, sort = (v ->> 'sort')::int, rev = m.rev + 1,
      update_by = ${user.uid}, update_time = now()
    from jsonb_array_elements(${JSON.stringify(moved)}::jsonb) as v where m.id = (v ->> 'id')::int`)
  ctx.audit({
    bizType: 'menu',
    // Adds the move to the history of each menu. A reordering of hundreds of menus is one log entry without
    // histories.
    ...(before.length <= MOST_HISTORIES && { bizIds: before.map(({ id }) => id) }),
    action: `调整了${moved.length}个菜单的位置：${before
      .slice(0, 10)
      .map(({ name }) => name)
      .join('、')}`,
    diff: before.slice(0, 50).map(({ id, name, sort: from }) => ({
      field: String(id),
      title: name,
      from,
      to: byId.get(id)?.sort,
    })),
  })
  await publishMenuChange(ctx)
  return { changed: moved.length }
}
