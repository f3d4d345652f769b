import { TYPE_STATUS } from '@oms/contract/device-model/device-type.ts'
import { and, eq } from 'drizzle-orm'
import { deviceModels, deviceTypes } from '#schema/device.ts'
import type { Ctx } from '#core/http/context.ts'
import { changes } from '#core/audit/mask.ts'
import { conflict, notFound } from '#core/http/api-error.ts'
import { touched } from '#core/database/optimistic-lock.ts'
import { alive } from '#core/tenancy/tenancy.ts'
import { publishCatalogueChanged, assertPlatform } from './catalogue-guard.ts'

type StoredType = typeof deviceTypes.$inferSelect
type StoredModel = typeof deviceModels.$inferSelect

/** Differences between types and models for status changes and deletion. */
interface Kind<Stored> {
  readonly table: typeof deviceTypes | typeof deviceModels
  readonly bizType: string
  readonly noun: string
  readonly titles: Readonly<Record<string, string>>
  nameOf(stored: Stored): string
  /** Returns the reason that prevents deletion; empty when deletion is permitted. */
  heldBy(ctx: Ctx, id: number): Promise<string>
  /** Deletes dependent data. */
  onRemove?(ctx: Ctx, stored: Stored): Promise<void>
}

/** Replaces the status code by its text for the operation log. */
export const auditFields = <F extends { status: number }>(fields: F) => ({
  ...fields,
  status: TYPE_STATUS[fields.status as 0 | 1],
})

/** Locks an entry. Throws when the entry does not exist or the account does not belong to the platform. */
async function lockEntry<Stored extends StoredType | StoredModel>(kind: Kind<Stored>, { db, user }: Ctx, id: number) {
  assertPlatform(user)
  // Both tables have every column used here.
  const table = kind.table as typeof deviceTypes
  const [found] = await db
    .select()
    .from(table)
    .where(and(eq(table.id, id), alive(table)))
    .for('update')
  if (!found) throw notFound(kind.noun)
  return found as Stored
}

/** Returns the functions for an entry of the vendor's catalogue: lock, enable, disable, and delete while unused. */
export function catalogueEntry<Stored extends StoredType | StoredModel>(kind: Kind<Stored>) {
  // Both tables have every column used here.
  const table = kind.table as typeof deviceTypes
  const { bizType, noun, titles, nameOf } = kind

  const lock = (ctx: Ctx, id: number) => lockEntry(kind, ctx, id)

  const write = ({ db, user, now }: Ctx, stored: Stored, change: Partial<Pick<StoredType, 'status' | 'deletedAt'>>) =>
    db
      .update(table)
      .set({ ...change, ...touched(stored, user.uid, now) })
      .where(eq(table.id, stored.id))

  async function setStatus(ctx: Ctx, id: number, status: 0 | 1) {
    const stored = await lock(ctx, id)
    ctx.audit({ bizType, bizId: id, action: `${TYPE_STATUS[status]}${noun}「${nameOf(stored)}」` })
    if (stored.status === status) return null
    await write(ctx, stored, { status })
    ctx.audit({ diff: changes(auditFields(stored), auditFields({ ...stored, status }), titles) })
    await publishCatalogueChanged(ctx)
    return null
  }

  async function remove(ctx: Ctx, { id }: { id: number }) {
    const stored = await lock(ctx, id)
    const held = await kind.heldBy(ctx, id)
    if (held) throw conflict(held)
    await kind.onRemove?.(ctx, stored)
    await write(ctx, stored, { deletedAt: ctx.now.toISOString() })
    ctx.audit({ bizType, bizId: id, action: `删除${noun}「${nameOf(stored)}」` })
    await publishCatalogueChanged(ctx)
    return null
  }

  return {
    lock,
    remove,
    enable: (ctx: Ctx, { id }: { id: number }) => setStatus(ctx, id, 1),
    disable: (ctx: Ctx, { id }: { id: number }) => setStatus(ctx, id, 0),
  }
}
