import type pg from 'pg'
import type { Events } from '#core/events/events.ts'

/** Entries expire after this time in case a NOTIFY was lost. */
const FRESH_MS = 30_000
const MAX_NAMES = 20_000

const READS = {
  tenant: 'select id, name from tenants where id = any($1)',
  model: 'select id, model_name as name from device_models where id = any($1)',
  account: `select uid as id, coalesce(nullif(realname, ''), account) as name from accounts where uid = any($1)`,
} as const
export type NameKind = keyof typeof READS

interface Known {
  readonly at: number
  readonly name: string
}

/**
 * Caches the names that lists show next to ids. Joining the names to every page would cost the database more than the
 * page. Database triggers publish each renaming (`names`).
 */
export class DisplayNames {
  readonly #pool: pg.Pool
  readonly #known: Readonly<Record<NameKind, Map<number, Known>>> = {
    tenant: new Map(),
    model: new Map(),
    account: new Map(),
  }
  /** Number of invalidations. A name that was read before an invalidation must not be cached after it. */
  #age = 0

  constructor(pool: pg.Pool, events: Events) {
    this.#pool = pool
    events.on('names', () => this.forget())
    events.onReconnect(() => this.forget())
  }

  forget() {
    this.#age += 1
    for (const known of Object.values(this.#known)) known.clear()
  }

  /**
   * Writes to index `to` of each row the name of the `kind` whose id is at index `from`. Writes an empty text when
   * there is no name.
   */
  async put(rows: readonly unknown[][], kind: NameKind, { from, to }: { from: number; to: number }): Promise<void> {
    const known = this.#known[kind]
    const now = performance.now()
    const missing = new Set<number>()
    for (const row of rows) {
      const id = row[from] as number | null
      const found = id === null ? undefined : known.get(id)
      row[to] = found && now - found.at < FRESH_MS ? found.name : ''
      if (row[to] === '' && id !== null) missing.add(id)
    }
    if (missing.size === 0) return
    const read = await this.#read(kind, [...missing])
    for (const row of rows) if (row[to] === '') row[to] = read.get(row[from] as number) ?? ''
  }

  async #read(kind: NameKind, ids: number[]): Promise<Map<number, string>> {
    const age = this.#age
    const { rows } = await this.#pool.query<{ id: number; name: string }>({
      name: `names-${kind}`,
      text: READS[kind],
      values: [ids],
    })
    const known = this.#known[kind]
    if (known.size > MAX_NAMES) known.clear()
    if (age === this.#age) for (const { id, name } of rows) known.set(id, { at: performance.now(), name })
    return new Map(rows.map(({ id, name }) => [id, name]))
  }
}

/** Source of a name: the row's field with the id, and the kind that the id belongs to. */
export interface NameOf<F extends string = string> {
  readonly id: F
  readonly kind: NameKind
}
