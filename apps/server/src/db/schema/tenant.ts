import { sql } from 'drizzle-orm'
import { index, integer, pgTable, primaryKey, serial, smallint, text, uniqueIndex, varchar } from 'drizzle-orm/pg-core'
import { audited, enabled, moment, remark, softDelete } from './columns.ts'

/** Customers of the vendor. Row 1 is the vendor itself, the platform. */
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
    intro: text().notNull().default(''),
    remark: remark(),
    ...audited,
    ...softDelete,
  },
  (t) => [
    uniqueIndex('tenants_no').on(t.tenantNo),
    uniqueIndex('tenants_name').on(t.name).where(sql`deleted_at is null`),
    uniqueIndex('tenants_join_code').on(t.joinCode),
  ],
)

/** A business scene: a named bundle of menus and buttons that tenants may use. */
export const scenes = pgTable(
  'scenes',
  {
    id: serial().primaryKey(),
    sceneName: varchar({ length: 30 }).notNull(),
    sceneCode: varchar({ length: 30 }).notNull(),
    icon: varchar({ length: 64 }).notNull().default(''),
    cover: varchar({ length: 255 }).notNull().default(''),
    description: varchar({ length: 200 }).notNull().default(''),
    /** Given to every new tenant without asking. */
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
