import type { Pool } from 'pg'
import type { PlayRow } from './play-row.ts'
import type { PlayOutcome, RejectedPlay } from './play-writer.ts'

const COLUMNS = [
  ['date', 'playDay'],
  ['int', 'deviceId'],
  ['uuid', 'reportId'],
  ['bigint', 'startMs'],
  ['int', 'ms'],
  ['int', 'planned'],
  ['int', 'tenantId'],
  ['int', 'modelId'],
  ['int', 'programId'],
  ['int', 'programVer'],
  ['int', 'itemId'],
  ['int', 'adId'],
  ['int', 'adVer'],
  ['int', 'materialId'],
  ['smallint', 'result'],
  ['smallint', 'clock'],
  ['int', 'count'],
  ['bigint', 'hour'],
  ['date', 'day'],
  ['boolean', 'mayOverlap'],
] as const satisfies readonly (readonly [string, keyof PlayRow])[]

const REJECTS = [
  ['int', 'deviceId'],
  ['int', 'tenantId'],
  ['text', 'reason'],
  ['int', 'n'],
] as const satisfies readonly (readonly [string, keyof RejectedPlay])[]

const PARAMETERS = [...COLUMNS.map(([type]) => `${type}[]`), 'date', ...REJECTS.map(([type]) => `${type}[]`)]
const STORE = `select oms_store_plays(${PARAMETERS.map((type, at) => `$${at + 1}::${type}`).join(', ')}) as outcomes`

const OUTCOMES: readonly PlayOutcome[] = ['duplicate', 'accepted', 'overlap']

interface Batch {
  readonly rows: readonly PlayRow[]
  readonly rejects: readonly RejectedPlay[]
  /** Day of arrival in the console's zone. */
  readonly today: string
}

/** Stores plays, their sums and the rejected reports in one transaction. Returns one outcome per row. */
export async function storePlays(pool: Pool, { rows, rejects, today }: Batch): Promise<PlayOutcome[]> {
  if (rows.length + rejects.length === 0) return []
  const values = [
    ...COLUMNS.map(([, field]) => rows.map((row) => row[field])),
    today,
    ...REJECTS.map(([, field]) => rejects.map((reject) => reject[field])),
  ]
  const { rows: found } = await pool.query<{ outcomes: number[] | null }>({ name: 'ad-plays', text: STORE, values })
  return (found[0]?.outcomes ?? []).map((outcome) => OUTCOMES[outcome]!)
}
