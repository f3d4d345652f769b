import { APPLY_DAYS } from '@oms/contract/user-apply.ts'
import { and, eq, sql } from 'drizzle-orm'
import { tenants, userApplications } from '#db/schema/tenant.ts'
import type { Kernel } from '#kernel/kernel.ts'
import { sendMessage } from '#kernel/message.ts'

/** Applications nobody decided within their time have expired; whoever made one is told. */
export function expireApplications(kernel: Pick<Kernel, 'database' | 'events'>) {
  return kernel.database.db.transaction(async (db) => {
    const gone = await db
      .update(userApplications)
      .set({ status: 4, auditTime: sql`now()` as unknown as string })
      .where(
        and(
          eq(userApplications.status, 0),
          sql`${userApplications.createTime} < now() - make_interval(days => ${APPLY_DAYS})`,
        ),
      )
      .returning({ uid: userApplications.uid, tenantId: userApplications.tenantId })
    for (const { uid, tenantId } of gone) {
      const [tenant] = await db.select({ name: tenants.name }).from(tenants).where(eq(tenants.id, tenantId))
      await sendMessage(kernel, db, {
        title: '加入申请已过期',
        text: `您加入「${tenant?.name ?? ''}」的申请超过${APPLY_DAYS}天未处理，已过期。如仍需加入，请重新申请。`,
        uids: [uid],
      })
    }
    if (gone.length) await kernel.events.publish(db, 'changed', { resource: 'tenant', tenantId: null })
    return { applicationsExpired: gone.length }
  })
}
