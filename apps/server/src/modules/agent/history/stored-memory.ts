import { type SQL, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'

/** `agents.memory_scope`: the devices of the agent share one memory. */
const SHARED = 2
/** `agent_after.kind` and `agent_after.state` of a running summary. */
const [SUMMARY, RUNNING] = [2, 1]

/** The owner of a memory: the device, or the agent when its devices share one. */
export interface MemoryOwner {
  readonly memoryScope: number
  readonly deviceId: number
  readonly agentId: number
}

const rowOf = ({ memoryScope, deviceId, agentId }: MemoryOwner) =>
  memoryScope === SHARED
    ? { table: sql.raw('agents'), isRow: sql`id = ${agentId}` }
    : { table: sql.raw('agent_devices'), isRow: sql`device_id = ${deviceId} and agent_id = ${agentId}` }

/** Stores a memory with the device, or with the agent when its devices share one memory. */
export function saveMemory(db: Db, owner: MemoryOwner, memory: string) {
  const { table, isRow } = rowOf(owner)
  return db.execute(sql`update ${table} set memory = ${memory} where ${isRow}`)
}

/**
 * Stores a memory that a voice server derived from the memory of the time `since`. When a person changed the memory
 * after `since`, stores nothing and returns the memory of the person. Otherwise returns undefined. Null for `since` is
 * earlier than every change.
 */
export async function saveServerMemory(
  db: Db,
  owner: MemoryOwner,
  { memory, since }: { readonly memory: string; readonly since: string | null },
): Promise<string | undefined> {
  const { table, isRow } = rowOf(owner)
  const { rows } = await db.execute<{ kept: string | null }>(sql`
    with held as (select memory, memory_edit_time >= coalesce(${since}::timestamptz, '-infinity') as is_edited
        from ${table} where ${isRow} for update),
      saved as (update ${table} set memory = ${memory} where ${isRow} and exists (select from held where is_edited is not true))
    select case when is_edited then memory end as kept from held`)
  return rows[0]?.kept ?? undefined
}

/** Locks a running row of `agent_after`. Returns false when an erasure removed the task. */
export async function lockRunningTask(tx: Db, taskId: number): Promise<boolean> {
  const { rows } = await tx.execute(
    sql`select id from agent_after where id = ${taskId} and state = ${RUNNING} for update`,
  )
  return rows.length > 0
}

interface Replacement {
  /** Row of `agent_after` that writes the memory. */
  readonly taskId: number
  /** Memory from which `after` was written. */
  readonly before: string
  readonly after: string
}

/**
 * Stores a summary only when the memory is still `before` and the task was not removed by an erasure. Returns the
 * memory that someone else stored meanwhile, or undefined when nothing is left to do. Locks the memory before the task,
 * as erasures do.
 */
export const replaceMemory = (db: Db, owner: MemoryOwner, { taskId, before, after }: Replacement) =>
  db.transaction(async (tx): Promise<string | undefined> => {
    const { table, isRow } = rowOf(owner)
    const { rows } = await tx.execute<{ memory: string }>(sql`select memory from ${table} where ${isRow} for update`)
    if (!rows[0] || !(await lockRunningTask(tx, taskId))) return undefined
    if (rows[0].memory !== before) return rows[0].memory
    await saveMemory(tx, owner, after)
    return undefined
  })

/**
 * Removes the waiting and running summaries of the sessions that match `isOf`, so that they do not restore an erased
 * memory. Call this after the memory was erased. `s` is the row of `agent_sessions`.
 */
export const dropSummaries = (db: Db, isOf: SQL) =>
  db.execute(sql`delete from agent_after w using agent_sessions s
    where s.id = w.session_row_id and w.kind = ${SUMMARY} and w.state < 2 and ${isOf}`)
