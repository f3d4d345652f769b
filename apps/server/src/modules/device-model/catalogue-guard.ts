import { sql } from 'drizzle-orm'
import type { Ctx, User } from '#core/http/context.ts'
import { refused } from '#core/http/api-error.ts'

/** Throws for accounts of tenants, who can only read types and models. */
export function assertPlatform({ isPlatform }: User) {
  if (!isPlatform) throw refused('设备类型和型号由平台统一维护')
}

/** Publishes the change to open lists of every tenant. */
export const publishCatalogueChanged = ({ services, db }: Ctx) =>
  services.events.publish(db, 'changed', { resource: 'device', tenantId: null })

/** Formats references, such as `12台设备、3个固件版本`; empty when there are none. */
export const referencesText = (parts: readonly (readonly [count: number, words: string])[]) =>
  parts
    .filter(([count]) => count > 0)
    .map(([count, words]) => `${count}${words}`)
    .join('、')

export const countReferences = async (db: Ctx['db'], from: ReturnType<typeof sql>) => {
  const { rows } = await db.execute<{ n: number }>(sql`select count(*)::int as n from ${from}`)
  return rows[0]?.n ?? 0
}
