import type pg from 'pg'

/**
 * Maximum number of named prepared statements of one connection. Each statement uses memory in PostgreSQL for its plan.
 */
export const MAX_STATEMENTS = 100

type Statement = { readonly name: string; readonly text: string; readonly values: unknown[] }
/** Number of running queries by statement name, the least recently used name first. */
type Usage = Map<string, number>

const usageByClient = new WeakMap<pg.ClientBase, Usage>()

/**
 * Runs a named prepared statement with rows as arrays. Deallocates the least recently used statement of the connection
 * when there are too many. For connections in pipeline mode too.
 */
export async function runPrepared(client: pg.ClientBase, statement: Statement) {
  const { name } = statement
  const usage = usageByClient.get(client) ?? new Map<string, number>()
  usageByClient.set(client, usage)
  const running = usage.get(name) ?? 0
  usage.delete(name)
  usage.set(name, running + 1)
  const deallocated = usage.size > MAX_STATEMENTS ? deallocateOldest(client, usage) : undefined
  // Only a pipelined connection accepts the next query before this query ends.
  if (!isPipelined(client)) await deallocated
  try {
    return (await client.query<unknown[]>({ ...statement, rowMode: 'array' })).rows
  } finally {
    usage.set(name, (usage.get(name) ?? 1) - 1)
  }
}

const isPipelined = (client: pg.ClientBase) => (client as unknown as { pipeline?: boolean }).pipeline === true

function deallocateOldest(client: pg.ClientBase, usage: Usage): Promise<unknown> | undefined {
  // A running statement may not be parsed yet. Deallocating it would corrupt the driver's list of parsed statements.
  const oldest = [...usage].find(([, running]) => running === 0)?.[0]
  if (oldest === undefined) return undefined
  usage.delete(oldest)
  const { connection } = client as unknown as { connection: Record<string, Record<string, string>> }
  for (const list of ['parsedStatements', 'submittedNamedStatements']) delete connection[list]?.[oldest]
  // DEALLOCATE is sent before the next use of the name. It fails harmlessly when the statement was never parsed.
  return client.query(`deallocate "${oldest}"`).catch(() => {})
}
