import { TYPE_STATUS } from '@oms/contract/device-type.ts'
import { and, eq } from 'drizzle-orm'
import { deviceModels, deviceTypes } from '#db/schema/device.ts'
import type { Ctx } from '#kernel/context.ts'
import { changes } from '#kernel/mask.ts'
import { conflict, notFound } from '#kernel/problem.ts'
import { touched } from '#kernel/stale.ts'
import { alive } from '#kernel/tenancy.ts'
import { announce, assertPlatform } from './catalogue-guard.ts'

type StoredType = typeof deviceTypes.$inferSelect
type StoredModel = typeof deviceModels.$inferSelect

/** What types and models differ in where they are switched on, off and deleted. */
interface Kind<Stored> {
  readonly table: typeof deviceTypes | typeof deviceModels
  readonly bizType: string
  readonly noun: string
  readonly titles: Readonly<Record<string, string>>
  nameOf(stored: Stored): string
  /** Why it cannot be deleted; empty when it can. */
  heldBy(ctx: Ctx, id: number): Promise<string>
  /** What goes with it. */
  onRemove?(ctx: Ctx, stored: Stored): Promise<void>
}

/** The status in words, for what was changed. */
export const worded = <F extends { status: number }>(fields: F) => ({
  ...fields,
  status: TYPE_STATUS[fields.status as 0 | 1],
})

/** An entry of the vendor's catalogue: locked for a change, switched on and off, and deleted while nothing needs it. */
export function catalogueEntry<Stored extends StoredType | StoredModel>(kind: Kind<Stored>) {
  // The two tables share every column used here.
  const table = kind.table as typeof deviceTypes
  const { bizType, noun, titles, nameOf } = kind

  async function lock({ db, user }: Ctx, id: number): Promise<Stored> {
    assertPlatform(user)
    const [found] = await db
      .select()
      .from(table)
      .where(and(eq(table.id, id), alive(table)))
      .for('update')
    if (!found) throw notFound(noun)
    return found as Stored
  }

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
    ctx.audit({ diff: changes(worded(stored), worded({ ...stored, status }), titles) })
    await announce(ctx)
    return null
  }

  async function remove(ctx: Ctx, { id }: { id: number }) {
    const stored = await lock(ctx, id)
    const held = await kind.heldBy(ctx, id)
    if (held) throw conflict(held)
    await kind.onRemove?.(ctx, stored)
    await write(ctx, stored, { deletedAt: ctx.now.toISOString() })
    ctx.audit({ bizType, bizId: id, action: `删除${noun}「${nameOf(stored)}」` })
    await announce(ctx)
    return null
  }

  return {
    lock,
    remove,
    enable: (ctx: Ctx, { id }: { id: number }) => setStatus(ctx, id, 1),
    disable: (ctx: Ctx, { id }: { id: number }) => setStatus(ctx, id, 0),
  }
}
