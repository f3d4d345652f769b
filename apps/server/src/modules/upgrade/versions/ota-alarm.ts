import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import type { otaAlarms as calls } from '@oms/contract/upgrade/ota-signing.ts'
import { and, desc, eq, isNull } from 'drizzle-orm'
import { otaVersions } from '../schema-ota.ts'
import { otaAlarms } from '../schema.ts'
import type { Ctx, User } from '#core/http/context.ts'
import { notFound } from '#core/http/api-error.ts'
import { paginate } from '#core/database/lists/list-query.ts'
import type { ArtifactKind } from './ota-artifact-kind.ts'
import { formatVersionName, visibleVersionsOfKind } from './ota-rows.ts'

const open = (user: User, artifact: ArtifactKind) =>
  and(isNull(otaAlarms.closeTime), visibleVersionsOfKind(user, artifact))

/** Lists open alarms, newest first. */
export function listAlarms({ db, user }: Ctx, artifact: ArtifactKind, input: ParsedOf<typeof calls.list>) {
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
    .where(open(user, artifact))
    .$dynamic()
  return paginate(db, query, input, [desc(otaAlarms.id)])
}

/** Closes an alarm. The operation log records the account. */
export async function closeAlarm(ctx: Ctx, artifact: ArtifactKind, { id }: ParsedOf<typeof calls.close>) {
  const { db, user, now, services } = ctx
  const [alarm] = await db
    .select({ message: otaAlarms.message, version: otaVersions })
    .from(otaAlarms)
    .innerJoin(otaVersions, eq(otaVersions.otaId, otaAlarms.otaId))
    .where(and(eq(otaAlarms.id, id), open(user, artifact)))
    .for('update', { of: otaAlarms })
  if (!alarm) throw notFound('告警')
  await db.update(otaAlarms).set({ closeTime: now.toISOString(), closeBy: user.uid }).where(eq(otaAlarms.id, id))
  const { version, message } = alarm
  ctx.audit({
    bizType: artifact.bizType,
    bizId: version.otaId,
    action: `关闭${artifact.noun}${formatVersionName(version)}的告警：${message}`,
  })
  await services.events.publish(db, 'changed', { resource: 'device', tenantId: version.tenantId })
  return null
}
