import { sql } from 'drizzle-orm'
import { index, integer, pgTable, primaryKey, serial, smallint, text, uniqueIndex, varchar } from 'drizzle-orm/pg-core'
import { audited, enabled, moment, remark, softDelete, blocksDeletion } from './columns.ts'

/** Tenants. Row 1 is the platform. */
export const tenants = pgTable(
  'tenants',
  {
    id: serial().primaryKey(),
    tenantNo: varchar({ length: 20 }).notNull(),
    name: varchar({ length: 50 }).notNull(),
    shortName: varchar({ length: 20 }).notNull().default(''),
    industryId: integer(),
    companySize: smallint(),
    contactName: varchar({ length: 20 }).notNull().default(''),
    contactPhone: varchar({ length: 20 }).notNull().default(''),
    contactEmail: varchar({ length: 50 }).notNull().default(''),
    licenseNumber: varchar({ length: 30 }).notNull().default(''),
    areaCode: varchar({ length: 12 }).notNull().default(''),
    address: varchar({ length: 200 }).notNull().default(''),
    logo: varchar({ length: 255 }).notNull().default(''),
    domain: varchar({ length: 200 }).notNull().default(''),
    joinCode: varchar({ length: 8 }),
    allowApply: smallint().notNull().default(1),
    /** -1: unlimited. */
    accountCount: integer().notNull().default(-1),
    deviceQuota: integer().notNull().default(-1),
    beginTime: moment(),
    expireTime: moment(),
    level: smallint().notNull().default(1),
    status: enabled(),
    /** 1: staff of the platform audits the ads of the tenant; 0: the tenant itself. */
    adPlatformAudit: smallint().notNull().default(0),
    /** Time when a job disabled the expired tenant. A renewal enables the tenant again. */
    expiredAt: moment(),
    /** Days before expiry of the last warning: 30 or 7. */
    warnedDays: smallint(),
    intro: text().notNull().default(''),
    remark: remark(),
    ...audited,
    ...softDelete,
  },
  (t) => [
    uniqueIndex('tenants_no').on(t.tenantNo),
    uniqueIndex('tenants_name').on(t.name).where(sql`deleted_at is null`),
    uniqueIndex('tenants_join_code').on(t.joinCode),
    index('tenants_industry').on(t.industryId),
    index('tenants_expire').on(t.expireTime).where(sql`deleted_at is null and expire_time is not null`),
  ],
)

/** Industries of tenants in two levels. */
export const industries = pgTable(
  'industries',
  {
    id: serial().primaryKey(),
    /** 0: first level. */
    parentId: integer().notNull().default(0),
    name: varchar({ length: 30 }).notNull(),
    code: varchar({ length: 30 }).notNull(),
    sort: integer().notNull().default(0),
    icon: varchar({ length: 64 }).notNull().default(''),
    status: enabled(),
    remark: remark(),
    ...audited,
    ...softDelete,
  },
  (t) => [
    uniqueIndex('industries_name').on(t.parentId, t.name).where(sql`deleted_at is null`),
    uniqueIndex('industries_code').on(t.code).where(sql`deleted_at is null`),
  ],
)
blocksDeletion(industries, industries.parentId, '个下级行业')
blocksDeletion(industries, tenants.industryId, '个客户')

/** Applications of accounts to join a tenant, with the applicant's statements at that time. */
export const userApplications = pgTable(
  'user_applications',
  {
    id: serial().primaryKey(),
    applyNo: varchar({ length: 20 }).notNull(),
    uid: integer().notNull(),
    account: varchar({ length: 30 }).notNull(),
    realname: varchar({ length: 15 }).notNull(),
    mobileNo: varchar({ length: 20 }),
    tenantId: integer().notNull(),
    /** 2 join code; no other value is written. */
    source: smallint().notNull().default(2),
    reason: varchar({ length: 200 }).notNull().default(''),
    /** 0 pending, 1 approved, 2 rejected, 3 cancelled, 4 expired. */
    status: smallint().notNull().default(0),
    roleIds: integer().array().notNull().default(sql`'{}'`),
    auditUid: integer(),
    auditName: varchar({ length: 30 }).notNull().default(''),
    auditTime: moment(),
    auditRemark: varchar({ length: 200 }).notNull().default(''),
    createTime: moment().notNull().default(sql`now()`),
  },
  (t) => [
    uniqueIndex('user_applications_no').on(t.applyNo),
    uniqueIndex('user_applications_pending').on(t.uid, t.tenantId).where(sql`status = 0`),
    index('user_applications_tenant').on(t.tenantId, t.id),
    index('user_applications_created').on(t.createTime, t.id),
    index('user_applications_audited').on(t.auditTime.asc().nullsFirst(), t.id),
    index('user_applications_open').on(t.createTime, t.id).where(sql`status = 0`),
    index('user_applications_uid').on(t.uid, t.id),
  ],
)

/** End users of the tenants' Apps. Devices are bound to these accounts. */
export const appAccounts = pgTable(
  'app_accounts',
  {
    uid: serial().primaryKey(),
    tenantId: integer().notNull(),
    account: varchar({ length: 50 }).notNull(),
    mobileNo: varchar({ length: 20 }),
    email: varchar({ length: 50 }),
    nickname: varchar({ length: 30 }).notNull().default(''),
    region: varchar({ length: 64 }).notNull().default(''),
    registerTime: moment().notNull().default(sql`now()`),
    /** 1 App, 2 mini-program, 3 web. */
    registerSource: smallint().notNull().default(1),
    lastActiveTime: moment(),
    /** 0 none, 1 active, 2 expired. */
    cloudState: smallint().notNull().default(0),
    status: enabled(),
    /** Raised by a trigger when the account is disabled or deleted: App sessions with a lower epoch are over. */
    sessionEpoch: integer().notNull().default(0),
    remark: remark(),
    ...audited,
    ...softDelete,
  },
  (t) => [
    uniqueIndex('app_accounts_account').on(t.tenantId, sql`lower(${t.account})`).where(sql`deleted_at is null`),
    uniqueIndex('app_accounts_mobile')
      .on(t.tenantId, t.mobileNo)
      .where(sql`deleted_at is null and mobile_no is not null`),
    index('app_accounts_tenant').on(t.tenantId, t.uid),
    index('app_accounts_registered').on(t.registerTime, t.uid),
    index('app_accounts_active').on(t.lastActiveTime.asc().nullsFirst(), t.uid),
  ],
)

/** Business scenes: named sets of menus and buttons that tenants may use. */
export const scenes = pgTable(
  'scenes',
  {
    id: serial().primaryKey(),
    sceneName: varchar({ length: 30 }).notNull(),
    sceneCode: varchar({ length: 30 }).notNull(),
    icon: varchar({ length: 64 }).notNull().default(''),
    cover: varchar({ length: 255 }).notNull().default(''),
    description: varchar({ length: 200 }).notNull().default(''),
    /** 1: every new tenant receives the scene. */
    isDefault: smallint().notNull().default(0),
    sort: integer().notNull().default(0),
    status: enabled(),
    remark: remark(),
    ...audited,
    ...softDelete,
  },
  (t) => [
    uniqueIndex('scenes_name').on(t.sceneName).where(sql`deleted_at is null`),
    uniqueIndex('scenes_code').on(t.sceneCode).where(sql`deleted_at is null`),
  ],
)

export const sceneMenus = pgTable('scene_menus', { sceneId: integer().notNull(), menuId: integer().notNull() }, (t) => [
  primaryKey({ name: 'scene_menus_pk', columns: [t.sceneId, t.menuId] }),
  index('scene_menus_menu').on(t.menuId),
])

export const tenantScenes = pgTable(
  'tenant_scenes',
  { tenantId: integer().notNull(), sceneId: integer().notNull() },
  (t) => [
    primaryKey({ name: 'tenant_scenes_pk', columns: [t.tenantId, t.sceneId] }),
    index('tenant_scenes_scene').on(t.sceneId),
  ],
)
const isOfLivingTenant = sql`exists (select from tenants t where t.id = tenant_scenes.tenant_id and t.deleted_at is null)`
blocksDeletion(scenes, tenantScenes.sceneId, '个客户', isOfLivingTenant)
