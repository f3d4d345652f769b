import { bigserial, index, integer, pgTable, smallint } from 'drizzle-orm/pg-core'
import { moment } from './columns.ts'
import { tenantPolicy } from './tenant-policy.ts'

/** States of programs over time. A trigger of `ad_programs` appends a row when the version in force or the status changes. */
export const adProgramStates = pgTable(
  'ad_program_states',
  {
    id: bigserial({ mode: 'number' }).primaryKey(),
    programId: integer().notNull(),
    tenantId: integer().notNull(),
    since: moment().notNull(),
    publishedVer: integer().notNull(),
    /** Status of the program; a deleted program is ended. */
    status: smallint().notNull(),
    /** 0: the migration derived the row from the versions, which do not contain pauses and withdrawals. */
    recorded: smallint().notNull().default(1),
  },
  (t) => [index('ad_program_states_since').on(t.tenantId, t.programId, t.since), tenantPolicy()],
)
