import type { DeviceFilterValues } from '@oms/contract/device.ts'
import { and, eq, gte, inArray, lte, type SQL, sql } from 'drizzle-orm'
import { deviceGroups, devices, type GroupRule } from '#db/schema/device.ts'
import type { User } from '#kernel/context.ts'
import { contains, within } from '#kernel/query.ts'
import { alive, scoped } from '#kernel/tenancy.ts'

/** What this account may see of the devices; part of every query on them. */
export const visibleDevices = (user: User) =>
  and(alive(devices), scoped(user, { tenant: devices.tenantId, creator: devices.createBy }))

/** The devices a filter means, without regard to who asks: combine it with `visibleDevices`. */
export function devicesMatching(filter: Partial<DeviceFilterValues>): SQL | undefined {
  const { sn, sns, devName, mac, uid, tenantId, typeId, modelId, groupId, tag, status, online } = filter
  return and(
    contains(devices.sn, sn),
    sns?.length ? sql`${devices.sn} = any(${sql.param(sns)}::text[])` : undefined,
    contains(devices.devName, devName),
    mac ? eq(devices.mac, mac.toLowerCase().replaceAll(/[^0-9a-f]/g, '')) : undefined,
    uid ? eq(devices.uid, uid) : undefined,
    tenantId === undefined ? undefined : eq(devices.tenantId, tenantId),
    modelId === undefined ? undefined : eq(devices.modelId, modelId),
    typeId === undefined ? undefined : ofTypes([typeId]),
    groupId === undefined ? undefined : inGroup(groupId),
    tag ? sql`${devices.tags} @> array[${tag}]::text[]` : undefined,
    status === undefined ? undefined : eq(devices.status, status),
    online === undefined ? undefined : eq(devices.online, online),
    filter.verCodeMin === undefined ? undefined : gte(devices.verCode, filter.verCodeMin),
    filter.verCodeMax === undefined ? undefined : lte(devices.verCode, filter.verCodeMax),
    ...within(devices.createTime, filter.beginTime, filter.endTime),
  )
}

const ofTypes = (typeIds: readonly number[]) =>
  sql`${devices.modelId} in (select id from device_models where type_id = any(${sql.param(typeIds)}::int[]))`

/** Members of a static group; of a dynamic one resolve its rule first and use `devicesOfRule`. */
export const inGroup = (groupId: number) =>
  sql`${devices.id} in (select device_id from device_group_members where group_id = ${groupId})`

/** The devices a dynamic group's rule means, within the tenant the group belongs to. */
export function devicesOfRule(rule: GroupRule): SQL | undefined {
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

/** What of a group decides who is in it. */
export const GROUP_KEY = { id: deviceGroups.id, kind: deviceGroups.kind, rule: deviceGroups.rule } as const

/** The devices of a group of either kind. */
export const devicesOfGroup = ({ id, kind, rule }: { id: number; kind: number; rule: GroupRule | null }) =>
  kind === 1 ? inGroup(id) : devicesOfRule(rule ?? {})
