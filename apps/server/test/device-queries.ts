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
