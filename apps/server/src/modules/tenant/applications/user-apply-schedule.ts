import { APPLY_DAYS } from '@oms/contract/tenant/user-apply.ts'
import { and, eq, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { tenants, userApplications } from '#core/schema/tenant.ts'
import { forEachIsolated } from '#core/jobs/isolated.ts'
import type { Services } from '#core/services.ts'
import { sendMessage } from '#modules/system/inbox.ts'

const overdue = and(
  eq(userApplications.status, 0),
  sql`${userApplications.createTime} < now() - make_interval(days => ${APPLY_DAYS})`,
)

/** Expires applications that nobody decided in time, and notifies the applicants. */
export async function expireApplications(services: Pick<Services, 'database' | 'events' | 'log'>) {
  const { db } = services.database
  const due = await db
    .select({ id: userApplications.id })
    .from(userApplications)
    .where(overdue)
    .orderBy(userApplications.id)
  const isolation = {
    log: services.log,
    kind: 'tenant-clock',
    name: ({ id }: { id: number }) => ({ applicationId: id }),
  }
  const { done, failed } = await forEachIsolated(due, isolation, ({ id }) =>
    db.transaction((tx) => expireApplication(services, tx, id)),
  )
  if (done > 0) await services.events.publish(db, 'changed', { resource: 'tenant', tenantId: null })
  return { applicationsExpired: done, failedItems: failed.length }
}

async function expireApplication(services: Pick<Services, 'events'>, db: Db, id: number) {
  const [gone] = await db
    .update(userApplications)
    .set({ status: 4, auditTime: sql`now()` as unknown as string })
    .where(and(eq(userApplications.id, id), overdue))
    .returning({ uid: userApplications.uid, tenantId: userApplications.tenantId })
  if (!gone) return
  const [tenant] = await db.select({ name: tenants.name }).from(tenants).where(eq(tenants.id, gone.tenantId))
  await sendMessage(services, db, {
    title: '加入申请已过期',
    text: `您加入「${tenant?.name ?? ''}」的申请超过${APPLY_DAYS}天未处理，已过期。如仍需加入，请重新申请。`,
    uids: [gone.uid],
  })
}
