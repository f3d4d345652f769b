import pg from 'pg'
import { afterAll } from 'vitest'

/**
 * Two queries at once on one connection (`Promise.all` inside a transaction) wait for each other all the same, and pg
 * will refuse them one day; it warns of a third only, once in a process, and without saying where. Here every second one
 * is noted, and the file in which it happened fails. Connections in pipeline mode are made for it.
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
  /** Which queries met, over all files of this worker. */
  meetings?: string[]
}

const client = pg.Client.prototype as unknown as Guarded

// Workers keep their modules, so a second file finds the guard in its place.
if (!client.meetings) {
  const { query } = client
  client.meetings = []
  client.query = function guarded(this: Busy, ...args) {
    const before = this.pipeline ? undefined : (this._activeQuery ?? this._queryQueue[0])
    if (before) client.meetings?.push(`${textOf(before)} ‖ ${textOf(args[0])}`)
    return query.apply(this as unknown as Guarded, args)
  }
}

/** The call that sends a query is long over when it is sent: the statement is what tells where it came from. */
function textOf(query: unknown) {
  const text = typeof query === 'string' ? query : ((query as Sent).text ?? String(query))
  return text.replaceAll(/\s+/g, ' ').slice(0, 300)
}

afterAll(() => {
  const met = client.meetings?.splice(0) ?? []
  if (met.length > 0) throw new Error(`Two queries at once on one connection:\n${met.join('\n')}`)
})
