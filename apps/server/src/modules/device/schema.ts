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
import {
  audited,
  bytea,
  enabled,
  moment,
  remark,
  softDelete,
  transactionId,
  blocksDeletion,
  tenantPolicy,
} from '#core/schema/columns.ts'

/** Device types: camera, doorbell, speaker. */
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

/** Device models, each of one type. A firmware version belongs to one model. */
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
    /** Channels that can record to cloud storage; 0: the model does not support cloud storage. */
    cloudChannels: smallint().notNull().default(0),
    /** Boards of voice devices that are of this model. A board belongs to one model. */
    boards: text().array().notNull().default(sql`'{}'::text[]`),
    status: enabled(),
    remark: remark(),
    ...audited,
    ...softDelete,
  },
  (t) => [
    uniqueIndex('device_models_name').on(t.modelName).where(sql`deleted_at is null`),
    uniqueIndex('device_models_code').on(t.modelCode).where(sql`deleted_at is null`),
    index('device_models_type').on(t.typeId, t.id),
    index('device_models_boards').using('gin', t.boards),
  ],
)
blocksDeletion(deviceTypes, deviceModels.typeId, '个型号')

/**
 * All devices. Devices update their own columns all day. Columns that only devices write (`last_online_time`, `ip`)
 * have no index, so that such an update changes one page.
 */
export const devices = pgTable(
  'devices',
  {
    id: serial().primaryKey(),
    tenantId: integer().notNull(),
    modelId: integer().notNull(),
    sn: varchar({ length: 64 }).notNull(),
    devName: varchar({ length: 64 }).notNull().default(''),
    /** UID of the device's P2P certificate; always equal to the certificate's own row. */
    uid: varchar({ length: 64 }).notNull().default(''),
    /** Twelve lower-case hex digits without separators. */
    mac: varchar({ length: 12 }).notNull().default(''),
    imei: varchar({ length: 15 }).notNull().default(''),
    /** Firmware version that the device last reported; null: never reported. */
    verCode: integer(),
    osVer: varchar({ length: 64 }).notNull().default(''),
    appVer: varchar({ length: 64 }).notNull().default(''),
    hwVer: varchar({ length: 64 }).notNull().default(''),
    ip: varchar({ length: 45 }).notNull().default(''),
    region: varchar({ length: 64 }).notNull().default(''),
    tags: text().array().notNull().default(sql`'{}'`),
    /** 1 enabled, 0 disabled. A disabled device only gets HTTP 401. */
    status: enabled(),
    /** 1 while the device polls. The device protocols write changes. */
    online: smallint().notNull().default(0),
    lastOnlineTime: moment(),
    activateTime: moment(),
    warrantyEnd: date({ mode: 'string' }),
    /** SHA-256 of the target token. The token itself is shown once and not stored in this table. */
    tokenHash: bytea(),
    /** 1: the response to the next poll requests the attributes. */
    attributesWanted: smallint().notNull().default(1),
    /** App account that the device is bound to. */
    appAccountId: integer(),
    /**
     * Last change of the App account or the tenant; null: never. Set by a trigger. Recordings that started earlier are
     * refused.
     */
    ownerTime: moment(),
    remark: remark(),
    changed: transactionId().notNull().default(sql`pg_current_xact_id()`),
    ...audited,
    ...softDelete,
  },
  (t) => [
    uniqueIndex('devices_sn').on(t.sn).where(sql`deleted_at is null`),
    // Serial numbers that differ only in upper and lower case are the same serial number.
    uniqueIndex('devices_sn_lower').on(sql`lower(${t.sn})`).where(sql`deleted_at is null`),
    uniqueIndex('devices_uid').on(t.uid).where(sql`deleted_at is null and uid <> ''`),
    index('devices_mac').on(t.mac).where(sql`mac <> ''`),
    index('devices_tenant').on(t.tenantId, t.id),
    index('devices_model').on(t.modelId, t.id),
    index('devices_version').on(t.modelId, t.verCode, t.id),
    index('devices_online').on(t.id).where(sql`online = 1 and deleted_at is null`),
    index('devices_activated').on(t.activateTime.asc().nullsFirst(), t.id),
    index('devices_warranty').on(t.warrantyEnd.asc().nullsFirst(), t.id),
    index('devices_app_account').on(t.appAccountId).where(sql`app_account_id is not null`),
    index('devices_tags').using('gin', t.tags),
    index('devices_changed').on(t.changed),
  ],
)
blocksDeletion(deviceModels, devices.modelId, '台设备')

/**
 * Former tenants of devices: one row for each change of the tenant, written by a trigger. A tenant owned the device
 * from the end of the row before, or from the beginning.
 */
export const deviceFormerTenants = pgTable(
  'device_former_tenants',
  {
    deviceId: integer().notNull(),
    /** Time of the change; equal to `ownerTime` of the device at that moment. */
    endTime: moment().notNull(),
    tenantId: integer().notNull(),
  },
  (t) => [primaryKey({ name: 'device_former_tenants_pk', columns: [t.deviceId, t.endTime] }), tenantPolicy()],
)

/** Attributes that a device reported (hawkBit's configData): at most 100 keys. */
export const deviceAttributes = pgTable('device_attributes', {
  deviceId: integer().primaryKey(),
  data: jsonb().$type<Record<string, string>>().notNull().default({}),
  updateTime: moment().notNull().default(sql`now()`),
})

/** Every firmware version that a device ran, with the time of its first report. */
export const deviceVersions = pgTable(
  'device_versions',
  {
    id: bigserial({ mode: 'number' }).primaryKey(),
    deviceId: integer().notNull(),
    verCode: integer().notNull(),
    /** 1 reported by the device, 2 after an upgrade task, 3 set in the console or by an import. */
    source: smallint().notNull().default(1),
    taskId: integer(),
    createTime: moment().notNull().default(sql`now()`),
  },
  (t) => [index('device_versions_device').on(t.deviceId, t.id)],
)

/** Apps and other software packages that a device last reported. */
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

/** Devices whose user agreed once to all updates (hawkBit's auto-confirmation). */
export const deviceAutoConfirms = pgTable('device_auto_confirms', {
  deviceId: integer().primaryKey(),
  initiator: varchar({ length: 64 }).notNull().default(''),
  remark: varchar({ length: 200 }).notNull().default(''),
  createTime: moment().notNull().default(sql`now()`),
})

/** Condition of a dynamic group: all given keys must match; a list matches any of its values. */
export interface GroupRule {
  readonly modelIds?: readonly number[]
  readonly typeIds?: readonly number[]
  readonly verCodeMin?: number
  readonly verCodeMax?: number
  readonly tags?: readonly string[]
  readonly snPrefix?: string
  readonly region?: string
}

/** Device groups of a tenant, at most three levels deep. */
export const deviceGroups = pgTable(
  'device_groups',
  {
    id: serial().primaryKey(),
    tenantId: integer().notNull(),
    parentId: integer().notNull().default(0),
    groupName: varchar({ length: 30 }).notNull(),
    /** 1 static: devices are added by users; 2 dynamic: all devices that match `rule`. */
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
blocksDeletion(deviceGroups, deviceGroups.parentId, '个下级分组')

/** Members of static groups. */
export const deviceGroupMembers = pgTable(
  'device_group_members',
  { groupId: integer().notNull(), deviceId: integer().notNull() },
  (t) => [
    primaryKey({ name: 'device_group_members_pk', columns: [t.groupId, t.deviceId] }),
    index('device_group_members_device').on(t.deviceId),
  ],
)

/** Authentication of a tenant's devices. Without a row: target tokens only, five minutes between polls. */
export const deviceAccess = pgTable('device_access', {
  tenantId: integer().primaryKey(),
  targetToken: smallint().notNull().default(1),
  gatewayToken: smallint().notNull().default(0),
  /** SHA-256 of the tenant's gateway token. */
  gatewayTokenHash: bytea(),
  /**
   * Model of devices created for unknown serial numbers that use the gateway token; null: unknown serial numbers are
   * refused.
   */
  autoModelId: integer(),
  pollSeconds: integer().notNull().default(300),
  ...audited,
})
blocksDeletion(deviceModels, deviceAccess.autoModelId, '个客户的自动登记设置')

/**
 * Number of devices and maximum number of online devices, per hour and per day. Device rows only contain the present
 * state. A job writes the samples; tenant 0 contains all tenants.
 */
export const fleetSamples = pgTable(
  'fleet_samples',
  {
    /** 1 hour, 2 day in the console's time zone. */
    span: smallint().notNull(),
    start: moment().notNull(),
    tenantId: integer().notNull(),
    devices: integer().notNull(),
    online: integer().notNull(),
  },
  (t) => [
    primaryKey({ name: 'fleet_samples_pk', columns: [t.span, t.start, t.tenantId] }),
    index('fleet_samples_tenant').on(t.tenantId, t.span, t.start),
  ],
)

/**
 * Numbers of devices, counted by a job. Pages of large fleets add these numbers, and defect rates of tickets are divided by
 * the activated devices.
 */
export const fleetCounts = pgTable(
  'fleet_counts',
  {
    tenantId: integer().notNull(),
    modelId: integer().notNull(),
    /** 0: no version reported. */
    verCode: integer().notNull(),
    region: varchar({ length: 64 }).notNull(),
    osVer: varchar({ length: 64 }).notNull().default(''),
    devices: integer().notNull(),
    online: integer().notNull(),
    /** Never activated and not online. */
    inactive: integer().notNull(),
    disabled: integer().notNull(),
    activated: integer().notNull(),
    activatedToday: integer().notNull(),
    createdToday: integer().notNull(),
    countTime: moment().notNull().default(sql`now()`),
  },
  (t) => [primaryKey({ name: 'fleet_counts_pk', columns: [t.tenantId, t.modelId, t.verCode, t.region] })],
)
