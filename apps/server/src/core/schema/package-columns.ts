import { sql } from 'drizzle-orm'
import { integer, serial, smallint, varchar } from 'drizzle-orm/pg-core'
import { audited, moment, softDelete } from './columns.ts'

/** Columns of a package: names, order and the version that is sold now. The terms of sale are in the versions. */
export const packageColumns = () => ({
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
})

/** Columns that the versions of all products have. A trigger refuses changes of a sold version. */
export const versionColumns = () => ({
  id: serial().primaryKey(),
  packageId: integer().notNull(),
  version: integer().notNull(),
  /** Prices in fen. */
  price: integer().notNull(),
  originPrice: integer().notNull().default(0),
  isTrial: smallint().notNull().default(0),
  /** Empty: all models, all tenants. */
  modelIds: integer().array().notNull().default(sql`'{}'`),
  tenantIds: integer().array().notNull().default(sql`'{}'`),
  /** 1 since the first sale of the version. */
  isSold: smallint().notNull().default(0),
  createBy: integer(),
  createTime: moment().notNull().default(sql`now()`),
})
