import { type DeviceFilterValues, MIN_SN_SEARCH_LENGTH } from '@oms/contract/device/device-fields.ts'
import {
  type AnyColumn,
  and,
  type Column,
  eq,
  gte,
  ilike,
  inArray,
  isNotNull,
  isNull,
  lte,
  type SQL,
  sql,
} from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { contains, within } from '#core/database/lists/list-query.ts'
import type { Ctx, User } from '#core/http/context.ts'
import { notDeleted, PLATFORM_TENANT_ID, scoped } from '#core/tenancy/tenancy.ts'
import { deviceGroups, devices, type GroupRule } from './schema.ts'

/** Returns the condition for devices that the account may see. Every query on devices includes the condition. */
export const visibleDevices = (user: User) =>
  and(notDeleted(devices), scoped(user, { tenant: devices.tenantId, creator: devices.createBy }))

/** Returns the device of the condition, or undefined when the account may not see the device. */
export async function findDevice({ db, user }: Pick<Ctx, 'db' | 'user'>, which: SQL) {
  const { id, sn, tenantId, modelId, appAccountId, attributesWanted } = devices
  const [found] = await db
    .select({ id, sn, tenantId, modelId, appAccountId, attributesWanted })
    .from(devices)
    .where(and(which, visibleDevices(user)))
  return found
}

/**
 * Returns the condition for rows without a creator that belong to a device, such as upgrade tasks. An account with
 * `ownOnly` sees those of the devices that it created.
 */
export function scopedByDevice(user: User, columns: { readonly tenant: Column; readonly device: Column }) {
  const isOwn = user.scope.ownOnly
    ? sql`${columns.device} in (select id from ${devices} where ${eq(devices.createBy, user.uid)})`
    : undefined
  return and(scoped(user, { tenant: columns.tenant }), isOwn)
}

/**
 * Returns the condition for the devices that a filter matches, independent of the account: combine with
 * `visibleDevices`. For a dynamic group, pass the condition that `buildGroupCondition` returns.
 */
export function buildDeviceFilter(filter: Partial<DeviceFilterValues>, group?: SQL): SQL | undefined {
  const { sn, sns, devName, mac, imei, uid, tenantId, typeId, modelId, groupId, tag, status, online, activated } =
    filter
  return and(
    containsPart(devices.sn, sn),
    sns?.length ? sql`${devices.sn} = any(${sql.param(sns)}::text[])` : undefined,
    containsPart(devices.devName, devName),
    mac ? macIs(mac) : undefined,
    // The second condition matches the partial index, which covers only devices with an IMEI.
    imei ? and(eq(devices.imei, imei), sql`${devices.imei} <> ''`) : undefined,
    uid ? and(eq(devices.uid, uid), sql`${devices.uid} <> ''`) : undefined,
    tenantId === undefined ? undefined : eq(devices.tenantId, tenantId),
    modelId === undefined ? undefined : eq(devices.modelId, modelId),
    typeId === undefined ? undefined : ofTypes([typeId]),
    groupId === undefined ? undefined : (group ?? isInGroup(groupId)),
    tag ? sql`${devices.tags} @> array[${tag}]::text[]` : undefined,
    status === undefined ? undefined : eq(devices.status, status),
    online === undefined ? undefined : eq(devices.online, online),
    activated === undefined
      ? undefined
      : activated === 1
        ? isNotNull(devices.activateTime)
        : isNull(devices.activateTime),
    filter.appBound === undefined
      ? undefined
      : filter.appBound === 1
        ? isNotNull(devices.appAccountId)
        : isNull(devices.appAccountId),
    filter.verCodeMin === undefined ? undefined : gte(devices.verCode, filter.verCodeMin),
    filter.verCodeMax === undefined ? undefined : lte(devices.verCode, filter.verCodeMax),
    ...within(devices.createTime, filter.beginTime, filter.endTime),
  )
}

/** Uses the trigram index for parts of three or more characters. Shorter parts match only the beginning. */
const containsPart = (column: AnyColumn, text: string | undefined) =>
  text && text.length < MIN_SN_SEARCH_LENGTH
    ? ilike(column, `${text.replaceAll(/[%_\\]/g, '\\$&')}%`)
    : contains(column, text)

function macIs(text: string) {
  const digits = text.toLowerCase().replaceAll(/[^0-9a-f]/g, '')
  return digits === '' ? sql`false` : and(eq(devices.mac, digits), sql`${devices.mac} <> ''`)
}

const ofTypes = (typeIds: readonly number[]) =>
  sql`${devices.modelId} in (select id from device_models where type_id = any(${sql.param(typeIds)}::int[]))`

/**
 * Returns the condition for members of a static group. For a dynamic group, resolve the rule and use
 * `matchesRule`.
 */
export const isInGroup = (groupId: number) =>
  sql`${devices.id} in (select device_id from device_group_members where group_id = ${groupId})`

/** Returns the condition for the devices that a dynamic group's rule matches within the group's tenant. */
export function matchesRule(rule: GroupRule): SQL | undefined {
  return and(
    rule.modelIds?.length ? inArray(devices.modelId, [...rule.modelIds]) : undefined,
    rule.typeIds?.length ? ofTypes(rule.typeIds) : undefined,
    rule.verCodeMin === undefined ? undefined : gte(devices.verCode, rule.verCodeMin),
    rule.verCodeMax === undefined ? undefined : lte(devices.verCode, rule.verCodeMax),
    rule.tags?.length ? sql`${devices.tags} && ${sql.param(rule.tags)}::text[]` : undefined,
    rule.snPrefix ? sql`starts_with(${devices.sn}, ${rule.snPrefix})` : undefined,
    rule.region ? eq(devices.region, rule.region) : undefined,
  )
}

/** Columns of a group that decide its membership. */
export const GROUP_MEMBERSHIP_COLUMNS = {
  id: deviceGroups.id,
  kind: deviceGroups.kind,
  rule: deviceGroups.rule,
} as const

/** Returns the condition for the devices of a static or dynamic group. */
export const isInAnyGroup = ({ id, kind, rule }: { id: number; kind: number; rule: GroupRule | null }) =>
  kind === 1 ? isInGroup(id) : matchesRule(rule ?? {})

/**
 * Returns the condition for a group's devices within its tenant, or of any tenant for groups of the vendor. An
 * invisible group matches none.
 */
export async function buildGroupCondition(db: Db, user: User, groupId: number): Promise<SQL> {
  const [group] = await db
    .select({ ...GROUP_MEMBERSHIP_COLUMNS, tenantId: deviceGroups.tenantId })
    .from(deviceGroups)
    .where(and(eq(deviceGroups.id, groupId), notDeleted(deviceGroups), scoped(user, { tenant: deviceGroups.tenantId })))
  if (!group) return sql`false`
  const own = group.tenantId === PLATFORM_TENANT_ID ? undefined : eq(devices.tenantId, group.tenantId)
  return and(own, isInAnyGroup(group)) ?? sql`true`
}
