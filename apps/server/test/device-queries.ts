import pg from 'pg'

interface Patched {
  query(this: unknown, ...args: unknown[]): unknown
}

/** Returns the SQL texts that this process sends during the work. */
export async function recordQueries(work: () => Promise<unknown>): Promise<string[]> {
  const client = pg.Client.prototype as unknown as Patched
  const { query } = client
  const sent: string[] = []
  client.query = function recorded(...args) {
    const [first] = args
    sent.push(typeof first === 'string' ? first : String((first as { text?: unknown }).text))
    return query.apply(this, args)
  }
  try {
    await work()
  } finally {
    client.query = query
  }
  return sent
}

/**
 * Returns the SQL texts on devices and upgrade tasks that this process sends during the work. Transaction ids cannot be
 * compared instead, because they count the writes of all databases of the cluster, including those of parallel test
 * files.
 */
export async function deviceQueries(work: () => Promise<unknown>): Promise<string[]> {
  const sent = await recordQueries(work)
  return sent.filter((text) => /\bdevices\b|\bota_tasks\b/.test(text))
}

/**
 * Returns the queries of the run with the fewest queries, out of at most ten runs of the work. A query that the work
 * needs is sent in every run. Background queries (storing collected polls, index sync) are sent in few runs.
 */
export async function queriesOfEveryRun(work: () => Promise<unknown>): Promise<string[]> {
  let fewest: string[] = []
  for (let run = 0; run < 10; run++) {
    const sent = await deviceQueries(work)
    if (run === 0 || sent.length < fewest.length) fewest = sent
    if (fewest.length === 0) break
  }
  return fewest
}
