import { sql } from 'drizzle-orm'
import type { Ctx, User } from '#kernel/context.ts'
import { refused } from '#kernel/problem.ts'

/** Types and models are those of the vendor; customers read them. */
export function assertPlatform({ isPlatform }: User) {
  if (!isPlatform) throw refused('设备类型和型号由平台统一维护')
}

/** Open lists of every customer show the change. */
export const announce = ({ kernel, db }: Ctx) =>
  kernel.events.publish(db, 'changed', { resource: 'device', tenantId: null })

/** `12台设备、3个固件版本`; empty when nothing is left. */
export const leftOver = (parts: readonly (readonly [count: number, words: string])[]) =>
  parts
    .filter(([count]) => count > 0)
    .map(([count, words]) => `${count}${words}`)
    .join('、')

export const countOf = async (db: Ctx['db'], from: ReturnType<typeof sql>) => {
  const { rows } = await db.execute<{ n: number }>(sql`select count(*)::int as n from ${from}`)
  return rows[0]?.n ?? 0
}
