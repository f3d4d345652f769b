import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import type { devices as calls } from '@oms/contract/device/device-info.ts'
import { and, asc, desc, eq, inArray, sql, type AnyColumn } from 'drizzle-orm'
import { paginate, byName } from '#core/database/lists/list-query.ts'
import { notFound } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import { notDeleted, PLATFORM_TENANT_ID, scoped } from '#core/tenancy/tenancy.ts'
import { findDevice, matchesRule } from './device-filter.ts'
import {
  deviceAttributes,
  deviceGroupMembers,
  deviceGroups,
  devicePackages,
  devices,
  deviceVersions,
} from './schema.ts'

async function requireDevice(ctx: Ctx, id: number) {
  const found = await findDevice(ctx, eq(devices.id, id))
  if (!found) throw notFound('设备')
  return found
}

export async function listAttributes(ctx: Ctx, { id }: ParsedOf<typeof calls.attributes>) {
  const { attributesWanted } = await requireDevice(ctx, id)
  const [stored] = await ctx.db.select().from(deviceAttributes).where(eq(deviceAttributes.deviceId, id))
  const list = Object.entries(stored?.data ?? {})
    .map(([name, value]) => ({ name, value: String(value) }))
    .sort((a, b) => a.name.localeCompare(b.name))
  return { updateTime: stored?.updateTime ?? null, wanted: attributesWanted === 1, list }
}

export async function listVersionHistory(ctx: Ctx, { id, ...page }: ParsedOf<typeof calls.versions>) {
  const { modelId, tenantId } = await requireDevice(ctx, id)
  const query = ctx.db
    .select({
      id: deviceVersions.id,
      verCode: deviceVersions.verCode,
      verName: firmwareNameOf({ modelId, tenantId, deviceId: id, verCode: deviceVersions.verCode }),
      source: deviceVersions.source,
      taskId: deviceVersions.taskId,
      createTime: deviceVersions.createTime,
    })
    .from(deviceVersions)
    .where(eq(deviceVersions.deviceId, id))
    .$dynamic()
  return paginate(ctx.db, query, page, [desc(deviceVersions.id)])
}

export async function listPackages(ctx: Ctx, { id }: ParsedOf<typeof calls.packages>) {
  await requireDevice(ctx, id)
  const list = await ctx.db
    .select({
      packageName: devicePackages.packageName,
      verCode: devicePackages.verCode,
      updateTime: devicePackages.updateTime,
    })
    .from(devicePackages)
    .where(eq(devicePackages.deviceId, id))
    .orderBy(asc(devicePackages.packageName))
    .limit(500)
  return { list }
}

const SHOWN = {
  id: deviceGroups.id,
  groupName: deviceGroups.groupName,
  kind: deviceGroups.kind,
  status: deviceGroups.status,
}

/** Lists the static groups that contain the device and the dynamic groups whose rule matches. */
export async function listGroupsOfDevice(ctx: Ctx, { id }: ParsedOf<typeof calls.groupsOf>) {
  const { db } = ctx
  const { tenantId } = await requireDevice(ctx, id)
  // Groups of the vendor may contain devices of any tenant. Tenants do not see these groups.
  const mine = and(
    inArray(deviceGroups.tenantId, [tenantId, PLATFORM_TENANT_ID]),
    scoped(ctx.user, { tenant: deviceGroups.tenantId }),
  )
  const memberOf = db
    .select({ groupId: deviceGroupMembers.groupId })
    .from(deviceGroupMembers)
    .where(eq(deviceGroupMembers.deviceId, id))
  const put = await db
    .select(SHOWN)
    .from(deviceGroups)
    .where(and(notDeleted(deviceGroups), mine, inArray(deviceGroups.id, memberOf)))
    .orderBy(asc(byName(deviceGroups.groupName)))
  const ruled = await db
    .select({ ...SHOWN, rule: deviceGroups.rule })
    .from(deviceGroups)
    .where(and(notDeleted(deviceGroups), mine, eq(deviceGroups.kind, 2)))
    .orderBy(asc(byName(deviceGroups.groupName)))
    .limit(MAX_RULES)
  if (ruled.length === 0) return { list: put }
  // Evaluates all rules in one query, one column for each rule.
  const hits = Object.fromEntries(
    ruled.map(({ id: groupId, rule }) => [`g${groupId}`, sql<boolean>`(${matchesRule(rule ?? {}) ?? sql`true`})`]),
  )
  const [matched] = await db.select(hits).from(devices).where(eq(devices.id, id))
  const dynamic = ruled.filter(({ id: groupId }) => matched?.[`g${groupId}`] === true)
  return { list: [...put, ...dynamic] }
}
const MAX_RULES = 500

interface Firmware {
  readonly modelId: AnyColumn | number
  readonly verCode: AnyColumn
  /** Tenant of the device. */
  readonly tenantId: AnyColumn | number
  readonly deviceId: AnyColumn | number
}

/**
 * Returns the name of a firmware version, empty when unknown. Prefers a version of the device's tenant to one of the
 * platform (tenant 1). Versions of other tenants with the same number are other firmware. Voice devices report a name,
 * from which OMS calculates the number. For an unknown version of a voice device, the name is calculated from the
 * number as in `formatBoardVersion`.
 */
const firmwareNameOf = ({ modelId, verCode, tenantId, deviceId }: Firmware) =>
  sql<string>`coalesce((select v.ver_name from ota_versions v where v.model_id = ${modelId}
    and v.ver_code = ${verCode} and v.package_name = '' and v.deleted_at is null and v.tenant_id in (1, ${tenantId})
    order by v.tenant_id desc limit 1),
    (select concat_ws('.', ${verCode} / 1000000, ${verCode} / 1000 % 1000, ${verCode} % 1000) from agent_devices a
    where a.device_id = ${deviceId} and ${verCode} is not null), '')`

/** Name of the firmware that a device runs. */
export const firmwareName = firmwareNameOf({ ...devices, deviceId: devices.id })

/**
 * System version as the device reports it. Devices that report only a version number show the name of their firmware
 * instead.
 */
export const systemVersion = sql<string>`left(coalesce(nullif(${devices.osVer}, ''), nullif(${firmwareName}, ''),
  ${devices.verCode}::text, ''), 64)`
