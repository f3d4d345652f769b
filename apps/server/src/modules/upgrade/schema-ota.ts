import { sql } from 'drizzle-orm'
import { bigint, index, integer, pgTable, serial, smallint, timestamp, uniqueIndex, varchar } from 'drizzle-orm/pg-core'
import { audited, moment, remark, softDelete, blocksDeletion } from '#core/schema/columns.ts'
import { deviceModels } from '#modules/device/schema.ts'

/**
 * Versions of a model's firmware and of its software packages. Number, model, package and components of an enabled
 * version are immutable. To change a component, create a new version.
 */
export const otaVersions = pgTable(
  'ota_versions',
  {
    otaId: serial().primaryKey(),
    tenantId: integer().notNull(),
    /** 0 in a draft without a model. A null would let two such drafts have the same number. */
    modelId: integer().notNull(),
    /** 1 firmware, 2 software package. */
    kind: smallint().notNull().default(1),
    /** Name of the software package; empty for firmware. */
    packageName: varchar({ length: 64 }).notNull().default(''),
    verCode: integer().notNull(),
    verName: varchar({ length: 32 }).notNull(),
    /** Local times of the console's time zone, as the user typed them. */
    buildDate: timestamp({ mode: 'string' }),
    releaseDate: timestamp({ mode: 'string' }).notNull(),
    description: varchar({ length: 500 }).notNull().default(''),
    /** Closed range of device versions that may receive this version; null is an open end. */
    oldVerMin: integer(),
    oldVerMax: integer(),
    components: smallint().notNull().default(0),
    /** 0 draft, 1 enabled, 2 disabled after being enabled. */
    status: smallint().notNull().default(0),
    enableTime: moment(),
    enableBy: integer(),
    remark: remark(),
    ...audited,
    ...softDelete,
  },
  (t) => [
    uniqueIndex('ota_versions_code').on(t.tenantId, t.modelId, t.packageName, t.verCode).where(sql`deleted_at is null`),
    index('ota_versions_tenant').on(t.tenantId, t.otaId),
    // Contains the kind and excludes deleted rows, so that counts only read the index.
    index('ota_versions_model').on(t.modelId, t.kind, t.otaId).where(sql`deleted_at is null`),
    // A list shows one kind.
    index('ota_versions_kind').on(t.kind, t.otaId),
    index('ota_versions_release').on(t.kind, t.releaseDate, t.otaId),
    index('ota_versions_number').on(t.kind, t.verCode, t.otaId),
    index('ota_versions_updated').on(t.kind, t.updateTime, t.otaId),
  ],
)
blocksDeletion(deviceModels, otaVersions.modelId, '个升级版本')

export const otaComponents = pgTable(
  'ota_components',
  {
    id: serial().primaryKey(),
    otaId: integer().notNull(),
    sort: smallint().notNull().default(0),
    name: varchar({ length: 15 }).notNull(),
    /** 1 description file, 2 firmware, 3 App, 4 model file, 5 License, 99 other. */
    type: smallint().notNull().default(1),
    fileId: varchar({ length: 32 }).notNull(),
    fileName: varchar({ length: 200 }).notNull(),
    url: varchar({ length: 255 }).notNull(),
    size: bigint({ mode: 'number' }).notNull(),
    md5: varchar({ length: 32 }).notNull(),
    sha1: varchar({ length: 40 }).notNull(),
    sha256: varchar({ length: 64 }).notNull(),
  },
  (t) => [index('ota_components_version').on(t.otaId, t.sort), index('ota_components_file').on(t.fileId)],
)
