import { sql } from 'drizzle-orm'
import { check, index, integer, pgTable, serial, smallint, uniqueIndex, varchar } from 'drizzle-orm/pg-core'
import { audited, moment, softDelete } from './columns.ts'

/** Cloud-storage packages: names and order. The terms of sale are in the versions. */
export const ossPackages = pgTable(
  'oss_packages',
  {
    id: serial().primaryKey(),
    packageName: varchar({ length: 32 }).notNull(),
    packageCode: varchar({ length: 32 }).notNull(),
    description: varchar({ length: 200 }).notNull().default(''),
    sort: integer().notNull().default(0),
    /** 1 on sale, 0 off sale. */
    status: smallint().notNull().default(1),
    /** Number of the version that is sold now. */
    currentVersion: integer().notNull().default(1),
    ...audited,
    ...softDelete,
  },
  (t) => [
    uniqueIndex('oss_packages_name').on(t.packageName).where(sql`deleted_at is null`),
    uniqueIndex('oss_packages_code').on(t.packageCode).where(sql`deleted_at is null`),
    index('oss_packages_sort').on(t.sort, t.id),
  ],
)

/** Terms of sale of a package. A trigger refuses changes of a sold version. */
export const ossPackageVersions = pgTable(
  'oss_package_versions',
  {
    id: serial().primaryKey(),
    packageId: integer().notNull(),
    version: integer().notNull(),
    /** 1 continuous, 2 events, 3 low-power events. */
    recordType: smallint().notNull(),
    storageDays: smallint().notNull(),
    /** 1 weeks, 2 months, 3 years. */
    periodType: smallint().notNull(),
    periodCount: smallint().notNull(),
    /** Prices in fen. */
    price: integer().notNull(),
    originPrice: integer().notNull().default(0),
    /** Highest number of channels that one purchase covers. */
    channels: smallint().notNull().default(1),
    isTrial: smallint().notNull().default(0),
    /** Seconds recorded before an event, and length of an event recording; `prolong` 1: while the event lasts. */
    preRecord: smallint().notNull().default(0),
    eventRecord: smallint().notNull().default(0),
    prolong: smallint().notNull().default(0),
    /** 0: unlimited. */
    dayLimitMb: integer().notNull().default(0),
    /** Empty: all models, all tenants. */
    modelIds: integer().array().notNull().default(sql`'{}'`),
    tenantIds: integer().array().notNull().default(sql`'{}'`),
    /** 1 since the first entitlement was created from the version. */
    isSold: smallint().notNull().default(0),
    createBy: integer(),
    createTime: moment().notNull().default(sql`now()`),
  },
  (t) => [
    uniqueIndex('oss_package_versions_no').on(t.packageId, t.version),
    check(
      'oss_package_versions_terms',
      sql`price >= 0 and period_count between 1 and 36 and channels between 1 and 64`,
    ),
  ],
)
