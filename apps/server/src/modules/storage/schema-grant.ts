import { sql } from 'drizzle-orm'
import { bigint, index, integer, jsonb, pgTable, serial, smallint, uniqueIndex, varchar } from 'drizzle-orm/pg-core'
import { audited, moment, tenantPolicy } from '#core/schema/columns.ts'

interface GrantProblem {
  row: number
  field?: string | undefined
  msg: string
}

interface GrantCheck {
  lines: number
  devices: number
  copies: number
  listPrice: number
  amount: number
  failed: number
  reasons: { msg: string; lines: number }[]
  lostSeconds: number
  lostAmount: number
  lostDevices: number
  allowance: number | null
  tenants: { name: string; devices: number; copies: number }[]
  tenantCount: number
}

/** Files that open a package on many devices. A file that a second person must approve waits here. */
export const ossGrantFiles = pgTable(
  'oss_grant_files',
  {
    id: serial().primaryKey(),
    /** Tenant of the account that sent the file. */
    tenantId: integer().notNull(),
    fileName: varchar({ length: 255 }).notNull(),
    /** sha256 of the file: a file is accepted once. */
    fileHash: varchar({ length: 64 }).notNull(),
    /** Stored file of a batch that waits for approval. */
    fileId: varchar({ length: 32 }),
    packageId: integer().notNull(),
    packageName: varchar({ length: 32 }).notNull(),
    effectMode: smallint().notNull(),
    source: smallint().notNull(),
    /** Amount of one copy in fen. */
    amount: integer().notNull().default(0),
    reason: varchar({ length: 200 }).notNull(),
    lines: integer().notNull().default(0),
    /** Devices, copies and list price of the opened lines; before the run, of the lines that were valid in the check. */
    devices: integer().notNull().default(0),
    copies: integer().notNull().default(0),
    /** Tenants of the devices in the file when it was sent; 0 for serial numbers without a device. */
    tenantIds: integer().array().notNull().default(sql`'{0}'`),
    listPrice: bigint({ mode: 'number' }).notNull().default(0),
    /** 0 waits for approval, 1 being executed, 2 done, 3 rejected. A failed job is read from `jobs`. */
    state: smallint().notNull(),
    done: integer().notNull().default(0),
    failed: integer().notNull().default(0),
    /** What the second person approves: figures of the check before the file was sent for approval. */
    checked: jsonb().$type<GrantCheck>(),
    jobId: integer(),
    /** First refused lines of the run: row number, column and reason. */
    problems: jsonb().$type<GrantProblem[]>().notNull().default([]),
    /** Stored file of all refused lines of the run. */
    failedFileId: varchar({ length: 32 }),
    auditBy: integer(),
    auditTime: moment(),
    auditRemark: varchar({ length: 200 }).notNull().default(''),
    ...audited,
  },
  (t) => [
    uniqueIndex('oss_grant_files_hash').on(t.tenantId, t.fileHash).where(sql`state <> 3`),
    index('oss_grant_files_created').on(t.createTime, t.id),
    tenantPolicy(),
  ],
)
