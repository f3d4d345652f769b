import { sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import type { EndReason } from './session-types.ts'

/** End reasons caused by another person. Clients receive HTTP 401 for them instead of only a body code. */
export const ENDED_BY_OTHERS: ReadonlySet<string> = new Set(['forced', 'replaced', 'disabled', 'password'])
/** Maximum number of session ids in one notification. */
export const MAX_SESSIONS_PER_NOTIFICATION = 100

/** Publishes ended sessions to all processes when the transaction commits. */
export const publishEndedSessions = (db: Db, ids: string[], reason: EndReason) =>
  db.execute(
    sql`select pg_notify('oms', ${JSON.stringify({ topic: 'session', ids: ids.slice(0, MAX_SESSIONS_PER_NOTIFICATION), reason })})`,
  )
