import { LICENSE_TYPES } from '@oms/contract/license/license-uid.ts'
import { sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { licenseCounts, licenseGrants } from './schema.ts'

/** Returns the types of the program, of stored certificates and of grants that the account sees, and `more`. */
export async function listKnownTypes(db: Db, ...more: readonly string[]): Promise<ReadonlySet<string>> {
  const { rows } = await db.execute<{ code: string }>(
    sql`select distinct type_code as code from ${licenseCounts} union select type_code from ${licenseGrants}`,
  )
  return new Set([...LICENSE_TYPES, ...more, ...rows.map(({ code }) => code)])
}
