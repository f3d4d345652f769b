import { sql } from 'drizzle-orm'
import type { Pool, QueryResult } from 'pg'
import type { Db } from '#core/database/client.ts'

const PAGE = 5000

/**
 * Recordings of turns that neither a turn nor an enrolled voiceprint uses. `f` is the row of `files`. The condition
 * `audio_id <> ''` lets PostgreSQL use the partial index `agent_turns_audio`.
 */
const IS_UNUSED = `f.purpose = 'agentTurn'
  and not exists (select from agent_turns t where t.audio_id = f.id and t.audio_id <> '')
  and not exists (select from agent_voiceprints p where p.audio_id = f.id)`

/** Deletes a recording unless a turn or a voiceprint still uses it. The job `file-sweep` deletes the stored bytes. */
export const deleteUnusedRecording = (db: Db, audioId: string) =>
  db.execute(sql`delete from files f where f.id = ${audioId} and ${sql.raw(IS_UNUSED)}`)

/**
 * Deletes the unused recordings in one page of the files of a tenant. Recordings of the last day stay, because their
 * turns may come later.
 */
export const DELETE_UNUSED_RECORDINGS = `with page as materialized (select id from files where tenant_id = $1 and id > $2 order by id limit ${PAGE}),
  gone as (delete from files f using page where f.id = page.id and f.create_time < now() - interval '1 day' and ${IS_UNUSED}
    returning f.id)
  select (select max(id) from page) as last, (select count(*)::int from gone) as n`

interface Swept {
  /** Last id of the page; null after the last page. */
  readonly last: string | null
  readonly n: number
}

/** Deletes the unused recordings of a tenant. Returns their number. */
export async function sweepRecordings(pool: Pool, tenantId: number, signal?: AbortSignal): Promise<number> {
  let deleted = 0
  for (let last: string | null = ''; last !== null; ) {
    signal?.throwIfAborted()
    const { rows }: QueryResult<Swept> = await pool.query(DELETE_UNUSED_RECORDINGS, [tenantId, last])
    last = rows[0]?.last ?? null
    deleted += rows[0]?.n ?? 0
  }
  return deleted
}
