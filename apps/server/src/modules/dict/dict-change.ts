import { and, eq, sql } from 'drizzle-orm'
import type { Db } from '#db/client.ts'
import { dictTypes } from '#db/schema/system.ts'
import type { Ctx } from '#kernel/context.ts'
import { forbidden, notFound } from '#kernel/problem.ts'
import { alive } from '#kernel/tenancy.ts'

/** What changing a dictionary needs, in a call of its own or within an import. */
export type Changing = Pick<Ctx, 'db' | 'user' | 'now' | 'kernel'>

/** Dictionaries are one for the whole installation: a customer's account reads them and changes none. */
export function demandPlatform({ user }: Pick<Ctx, 'user'>) {
  if (!user.isPlatform) throw forbidden()
}

/** The type by name, held until the transaction ends: changes of one dictionary queue up, others go on. */
export async function lockType(db: Db, dictType: string) {
  const [type] = await db
    .select()
    .from(dictTypes)
    .where(and(eq(dictTypes.dictType, dictType), alive(dictTypes)))
    .for('update')
  if (!type) throw notFound('字典类型')
  return type
}

/** Every change of a dictionary ends here: caches by ETag miss, open consoles ask again. */
export async function dictChanged({ db, kernel }: Pick<Ctx, 'db' | 'kernel'>, dictType: string) {
  await db
    .update(dictTypes)
    .set({ version: sql`${dictTypes.version} + 1` })
    .where(and(eq(dictTypes.dictType, dictType), alive(dictTypes)))
  await kernel.events.publish(db, 'dict', { type: dictType })
}
