import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import type { menu } from '@oms/contract/system/menu.ts'
import { sql } from 'drizzle-orm'
import type { Ctx } from '#core/http/context.ts'
import { assertPlatform } from '#core/auth/grants.ts'
import { lockMenus } from '#core/auth/menus.ts'
import { notFound } from '#core/http/api-error.ts'
import { readMenus, publishMenuChange } from './menu-rows.ts'

const MOST_HISTORIES = 50

/** Saves the sort numbers of several menus. Saves none when one of the menus does not exist. */
export async function sortMenus(ctx: Ctx, { list }: ParsedOf<typeof menu.sort>) {
  const { db, user } = ctx
  assertPlatform(user)
  await lockMenus(db)
  const byId = new Map((await readMenus(db)).map((row) => [row.id, row]))
  const moved = [...new Map(list.map((each) => [each.id, each])).values()].filter(({ id, sort }) => {
    const stored = byId.get(id)
    if (!stored) throw notFound('菜单')
    return stored.sort !== sort
  })
  if (moved.length === 0) return { changed: 0 }
  const before = moved.map(({ id }) => byId.get(id)!)
  await db.execute(sql`
    update menus m set sort = (v ->> 'sort')::int, rev = m.rev + 1,
      update_by = ${user.uid}, update_time = now()
    from jsonb_array_elements(${JSON.stringify(moved)}::jsonb) as v where m.id = (v ->> 'id')::int`)
  ctx.audit({
    bizType: 'menu',
    // Adds the change to the history of each menu. A reordering of hundreds of menus is one log entry without
    // histories.
    ...(before.length <= MOST_HISTORIES && { bizIds: before.map(({ id }) => id) }),
    action: `调整了${moved.length}个菜单的排序：${before
      .slice(0, 10)
      .map(({ name }) => name)
      .join('、')}`,
    diff: before.slice(0, 50).map(({ id, name, sort: from }, at) => ({
      field: String(id),
      title: name,
      from,
      to: moved[at]?.sort,
    })),
  })
  await publishMenuChange(ctx)
  return { changed: moved.length }
}
