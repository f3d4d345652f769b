import { sql } from 'drizzle-orm'
import { bigint, index, integer, pgTable, serial, smallint, timestamp, uniqueIndex, varchar } from 'drizzle-orm/pg-core'
import { audited, moment, remark, softDelete } from './columns.ts'

/** Versions of a model's firmware and of its other packages. Enabled ones are immutable; a fix is a new version. */
export const otaVersions = pgTable(
  'ota_versions',
  {
    otaId: serial().primaryKey(),
    tenantId: integer().notNull(),
    modelId: integer().notNull(),
    /** 1 firmware, 2 a package of general software. */
    kind: smallint().notNull().default(1),
    /** Which package of the model this is a version of; empty for firmware. */
    packageName: varchar({ length: 64 }).notNull().default(''),
    verCode: integer().notNull(),
    verName: varchar({ length: 32 }).notNull(),
    /** Wall-clock texts of the console's zone, as the person typed them. */
    buildDate: timestamp({ mode: 'string' }),
    releaseDate: timestamp({ mode: 'string' }).notNull(),
    description: varchar({ length: 500 }).notNull().default(''),
    /** Devices on versions in this closed range may take it; null is an open end. */
    oldVerMin: integer(),
    oldVerMax: integer(),
    components: smallint().notNull().default(0),
    /** 0 draft, 1 enabled, 2 disabled after having been enabled. */
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
    // With the kind, and without what is deleted, counts need not look at the rows themselves.
    index('ota_versions_model').on(t.modelId, t.kind, t.otaId).where(sql`deleted_at is null`),
    // A list is of one kind. As lists ask for the rest: nulls first upwards, last downwards.
    index('ota_versions_kind').on(t.kind, t.otaId),
    index('ota_versions_release').on(t.kind, t.releaseDate.asc().nullsFirst(), t.otaId),
    index('ota_versions_number').on(t.kind, t.verCode.asc().nullsFirst(), t.otaId),
    index('ota_versions_updated').on(t.kind, t.updateTime.asc().nullsFirst(), t.otaId),
  ],
)

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
