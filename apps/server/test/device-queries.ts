import pg from 'pg'

interface Patched {
  query(this: unknown, ...args: unknown[]): unknown
}

/**
 * Returns the SQL texts on devices and upgrade tasks that this process sends during the work. Transaction ids cannot
 * tell: they count the writes of all databases of the cluster, thus also those of test files that run in parallel.
 */
export async function deviceQueries(work: () => Promise<unknown>): Promise<string[]> {
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
  return sent.filter((text) => /\bdevices\b|\bota_tasks\b/.test(text))
}

/**
 * Returns the queries of the calmest of several runs of the work: work that needs a query needs it in every run, while
 * what a process does beside it (writing collected sightings, following another process) falls into few of them.
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
