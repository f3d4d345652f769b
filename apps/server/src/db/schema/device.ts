import { sql } from 'drizzle-orm'
import { index, integer, pgTable, serial, uniqueIndex, varchar } from 'drizzle-orm/pg-core'
import { audited, enabled, remark, softDelete } from './columns.ts'

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
