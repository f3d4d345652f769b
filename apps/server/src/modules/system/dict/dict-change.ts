import { and, eq, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { forbidden, notFound } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import { notDeleted } from '#core/tenancy/tenancy.ts'
import { dictTypes } from '#core/schema/system.ts'

/** Throws for accounts of tenants: dictionaries are shared, and only the platform changes them. */
export function assertPlatformAccount({ user }: Pick<Ctx, 'user'>) {
  if (!user.isPlatform) throw forbidden()
}

/** Returns the type by name, locked until the transaction ends. Changes of one dictionary run one after another. */
export async function lockType(db: Db, dictType: string) {
  const [type] = await db
    .select()
    .from(dictTypes)
    .where(and(eq(dictTypes.dictType, dictType), notDeleted(dictTypes)))
    .for('update')
  if (!type) throw notFound('字典类型')
  return type
}

/**
 * Increments the dictionary's version, which invalidates ETags, and notifies open consoles. Every change must call
 * this function.
 */
export async function publishDictChanged({ db, services }: Pick<Ctx, 'db' | 'services'>, dictType: string) {
  await db
    .update(dictTypes)
    .set({ version: sql`${dictTypes.version} + 1` })
    .where(and(eq(dictTypes.dictType, dictType), notDeleted(dictTypes)))
  await services.events.publish(db, 'dict', { type: dictType })
}
