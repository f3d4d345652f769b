import { sql } from 'drizzle-orm'
import {
  bigserial,
  date,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  serial,
  smallint,
  text,
  uniqueIndex,
  varchar,
} from 'drizzle-orm/pg-core'
import { audited, bytes, enabled, moment, remark, softDelete, transactionId } from './columns.ts'

/** Kinds of devices: camera, doorbell, speaker. */
export const deviceTypes = pgTable(
  'device_types',
  {
    id: serial().primaryKey(),
    typeName: varchar({ length: 32 }).notNull(),
    typeCode: varchar({ length: 32 }).notNull(),
    icon: varchar({ length: 255 }).notNull().default(''),
    sort: integer().notNull().default(0),
    status: enabled(),
    remark: remark(),
    ...audited,
    ...softDelete,
  },
  (t) => [
    uniqueIndex('device_types_name').on(t.typeName).where(sql`deleted_at is null`),
    uniqueIndex('device_types_code').on(t.typeCode).where(sql`deleted_at is null`),
  ],
)

/** Models that are sold, each of one type; a firmware version is made for one model. */
export const deviceModels = pgTable(
  'device_models',
  {
    id: serial().primaryKey(),
    typeId: integer().notNull(),
    modelName: varchar({ length: 32 }).notNull(),
    modelCode: varchar({ length: 32 }).notNull(),
    picture: varchar({ length: 255 }).notNull().default(''),
    hwVersion: varchar({ length: 32 }).notNull().default(''),
    chip: varchar({ length: 32 }).notNull().default(''),
    status: enabled(),
    remark: remark(),
    ...audited,
    ...softDelete,
  },
  (t) => [
    uniqueIndex('device_models_name').on(t.modelName).where(sql`deleted_at is null`),
    uniqueIndex('device_models_code').on(t.modelCode).where(sql`deleted_at is null`),
    index('device_models_type').on(t.typeId, t.id),
  ],
)

/**
 * Every device there is. Devices change what they say of themselves all day: columns only they write (`last_online_time`,
 * `ip`) stand in no index, so that such an update touches one page.
 */
export const devices = pgTable(
  'devices',
  {
    id: serial().primaryKey(),
    tenantId: integer().notNull(),
    modelId: integer().notNull(),
    sn: varchar({ length: 64 }).notNull(),
    devName: varchar({ length: 64 }).notNull().default(''),
    /** P2P certificate it carries; kept equal to the certificate's own row. */
    uid: varchar({ length: 64 }).notNull().default(''),
    /** Twelve lower-case hex digits without separators. */
    mac: varchar({ length: 12 }).notNull().default(''),
    imei: varchar({ length: 15 }).notNull().default(''),
    /** The firmware it runs, as last reported; null: never reported. */
    verCode: integer(),
    osVer: varchar({ length: 64 }).notNull().default(''),
    appVer: varchar({ length: 64 }).notNull().default(''),
    hwVer: varchar({ length: 64 }).notNull().default(''),
    ip: varchar({ length: 45 }).notNull().default(''),
    region: varchar({ length: 64 }).notNull().default(''),
    tags: text().array().notNull().default(sql`'{}'`),
    /** 1 enabled, 0 disabled: a disabled one gets no answer but 401. */
    status: enabled(),
    /** 1 while it polls; written by the device side when it changes. */
    online: smallint().notNull().default(0),
    lastOnlineTime: moment(),
    activateTime: moment(),
    warrantyEnd: date({ mode: 'string' }),
    /** SHA-256 of the target token; the token itself is shown once and never kept. */
    tokenHash: bytes(),
    /** 1: the next poll asks for the attributes. */
    attributesWanted: smallint().notNull().default(1),
    /** The App account it is bound to. */
    appAccountId: integer(),
    remark: remark(),
    changed: transactionId().notNull().default(sql`pg_current_xact_id()`),
    ...audited,
    ...softDelete,
  },
  (t) => [
    uniqueIndex('devices_sn').on(t.sn).where(sql`deleted_at is null`),
    uniqueIndex('devices_uid').on(t.uid).where(sql`deleted_at is null and uid <> ''`),
    index('devices_mac').on(t.mac).where(sql`mac <> ''`),
    index('devices_tenant').on(t.tenantId, t.id),
    index('devices_model').on(t.modelId, t.id),
    index('devices_version').on(t.modelId, t.verCode, t.id),
    index('devices_online').on(t.id).where(sql`online = 1 and deleted_at is null`),
    index('devices_activated').on(t.activateTime),
    index('devices_app_account').on(t.appAccountId).where(sql`app_account_id is not null`),
    index('devices_tags').using('gin', t.tags),
    index('devices_changed').on(t.changed),
  ],
)

/** Attributes a device reported of itself (hawkBit's configData): at most 100 keys. */
export const deviceAttributes = pgTable('device_attributes', {
  deviceId: integer().primaryKey(),
  data: jsonb().$type<Record<string, string>>().notNull().default({}),
  updateTime: moment().notNull().default(sql`now()`),
})

/** Each firmware a device was seen to run, and when it was first seen with it. */
export const deviceVersions = pgTable(
  'device_versions',
  {
    id: bigserial({ mode: 'number' }).primaryKey(),
    deviceId: integer().notNull(),
    verCode: integer().notNull(),
    /** 1 reported by itself, 2 after an upgrade task, 3 set in the console or by an import. */
    source: smallint().notNull().default(1),
    taskId: integer(),
    createTime: moment().notNull().default(sql`now()`),
  },
  (t) => [index('device_versions_device').on(t.deviceId, t.id)],
)

/** Apps and other packages on a device, as it last reported them. */
export const devicePackages = pgTable(
  'device_packages',
  {
    deviceId: integer().notNull(),
    packageName: varchar({ length: 64 }).notNull(),
    verCode: integer().notNull(),
    updateTime: moment().notNull().default(sql`now()`),
  },
  (t) => [primaryKey({ name: 'device_packages_pk', columns: [t.deviceId, t.packageName] })],
)

/** Devices whose user agreed once to whatever comes (hawkBit's auto-confirmation). */
export const deviceAutoConfirms = pgTable('device_auto_confirms', {
  deviceId: integer().primaryKey(),
  initiator: varchar({ length: 64 }).notNull().default(''),
  remark: varchar({ length: 200 }).notNull().default(''),
  createTime: moment().notNull().default(sql`now()`),
})

/** Condition of a dynamic group: every key given must hold, a list matches any of its values. */
export interface GroupRule {
  readonly modelIds?: readonly number[]
  readonly typeIds?: readonly number[]
  readonly verCodeMin?: number
  readonly verCodeMax?: number
  readonly tags?: readonly string[]
  readonly snPrefix?: string
  readonly region?: string
}

/** Groups of one tenant's devices, three levels deep at most. */
export const deviceGroups = pgTable(
  'device_groups',
  {
    id: serial().primaryKey(),
    tenantId: integer().notNull(),
    parentId: integer().notNull().default(0),
    groupName: varchar({ length: 30 }).notNull(),
    /** 1 static: devices are put in; 2 dynamic: whatever `rule` matches. */
    kind: smallint().notNull().default(1),
    rule: jsonb().$type<GroupRule>(),
    description: varchar({ length: 200 }).notNull().default(''),
    status: enabled(),
    ...audited,
    ...softDelete,
  },
  (t) => [
    uniqueIndex('device_groups_name').on(t.tenantId, t.groupName).where(sql`deleted_at is null`),
    index('device_groups_tenant').on(t.tenantId, t.id),
  ],
)

/** Members of static groups. */
export const deviceGroupMembers = pgTable(
  'device_group_members',
  { groupId: integer().notNull(), deviceId: integer().notNull() },
  (t) => [
    primaryKey({ name: 'device_group_members_pk', columns: [t.groupId, t.deviceId] }),
    index('device_group_members_device').on(t.deviceId),
  ],
)

/** How the devices of one tenant reach the server. No row: target tokens only, five minutes between polls. */
export const deviceAccess = pgTable('device_access', {
  tenantId: integer().primaryKey(),
  targetToken: smallint().notNull().default(1),
  gatewayToken: smallint().notNull().default(0),
  /** SHA-256 of the tenant's gateway token. */
  gatewayTokenHash: bytes(),
  /** With the gateway token an unknown serial becomes a device of this model; null: it is refused. */
  autoModelId: integer(),
  pollSeconds: integer().notNull().default(300),
  ...audited,
})
