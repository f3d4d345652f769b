import { type SQL, sql } from 'drizzle-orm'
import { adScreens } from '../schema-screen.ts'

/** Returns the zone of a screen of the surrounding query; `standardZone` for screens without a zone of their own. */
export const buildScreenZone = (standardZone: string): SQL<string> =>
  sql<string>`coalesce(nullif(${adScreens.timeZone}, ''), ${standardZone})`
