import pg from 'pg'
import { afterAll, expect } from 'vitest'

/**
 * Detects concurrent queries on one connection (`Promise.all` inside a transaction). Such queries run one after the
 * other anyway, and a future pg release will refuse them. pg itself warns once per process without a location. This
 * guard records every second query and fails its test file. Connections in pipeline mode are exempt.
 */
interface Sent {
  readonly text?: string
}
interface Busy {
  readonly pipeline?: boolean
  readonly _activeQuery: Sent | null
  readonly _queryQueue: readonly Sent[]
}
interface Guarded {
  query(...args: unknown[]): unknown
  /** Concurrent queries of all test files of this worker. */
  meetings?: string[]
}

const client = pg.Client.prototype as unknown as Guarded

// Workers keep modules between files, so the guard may already be installed.
if (!client.meetings) {
  const { query } = client
  client.meetings = []
  client.query = function guarded(this: Busy, ...args) {
    const before = this.pipeline ? undefined : (this._activeQuery ?? this._queryQueue[0])
    if (before) client.meetings?.push(`${expect.getState().testPath}: ${textOf(before)} ‖ ${textOf(args[0])}`)
    return query.apply(this as unknown as Guarded, args)
  }
}

/** Returns the SQL text of a query. The stack no longer shows the caller when the query is sent. */
function textOf(query: unknown) {
  const text = typeof query === 'string' ? query : ((query as Sent).text ?? String(query))
  return text.replaceAll(/\s+/g, ' ').slice(0, 300)
}

afterAll(() => {
  const met = client.meetings?.splice(0) ?? []
  if (met.length > 0) throw new Error(`Two queries at once on one connection:\n${met.join('\n')}`)
})
