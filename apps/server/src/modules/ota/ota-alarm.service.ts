import type { ParsedOf } from '@oms/contract/kernel/endpoint.ts'
import type { otaAlarms as calls } from '@oms/contract/ota-signing.ts'
import { and, desc, eq, isNull } from 'drizzle-orm'
import { otaVersions } from '#db/schema/ota.ts'
import { otaAlarms } from '#db/schema/upgrade.ts'
import type { Ctx, User } from '#kernel/context.ts'
import { notFound } from '#kernel/problem.ts'
import { paginate } from '#kernel/query.ts'
import type { Family } from './ota-family.ts'
import { nameOf, visible } from './ota-rows.ts'

const open = (user: User, family: Family) => and(isNull(otaAlarms.closeTime), visible(user, family))

/** What somebody still has to look at, newest first. */
export const list =
  (family: Family) =>
  ({ db, user }: Ctx, input: ParsedOf<typeof calls.list>) => {
    const query = db
      .select({
        id: otaAlarms.id,
        otaId: otaAlarms.otaId,
        kind: otaAlarms.kind,
        message: otaAlarms.message,
        createTime: otaAlarms.createTime,
        verName: otaVersions.verName,
        verCode: otaVersions.verCode,
      })
      .from(otaAlarms)
      .innerJoin(otaVersions, eq(otaVersions.otaId, otaAlarms.otaId))
      .where(open(user, family))
      .$dynamic()
    return paginate(db, query, input, [desc(otaAlarms.id)])
  }

/** Somebody has seen it; the log says who. */
export const close =
  (family: Family) =>
  async (ctx: Ctx, { id }: ParsedOf<typeof calls.close>) => {
    const { db, user, now, kernel } = ctx
    const [alarm] = await db
      .select({ message: otaAlarms.message, version: otaVersions })
      .from(otaAlarms)
      .innerJoin(otaVersions, eq(otaVersions.otaId, otaAlarms.otaId))
      .where(and(eq(otaAlarms.id, id), open(user, family)))
      .for('update', { of: otaAlarms })
    if (!alarm) throw notFound('告警')
    await db.update(otaAlarms).set({ closeTime: now.toISOString(), closeBy: user.uid }).where(eq(otaAlarms.id, id))
    const { version, message } = alarm
    ctx.audit({
      bizType: family.bizType,
      bizId: version.otaId,
      action: `关闭${family.noun}${nameOf(version)}的告警：${message}`,
    })
    await kernel.events.publish(db, 'changed', { resource: 'device', tenantId: version.tenantId })
    return null
  }
