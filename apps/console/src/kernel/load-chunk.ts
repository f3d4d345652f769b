/** After this the person is told, whatever the line is doing. */
export const CHUNK_TIMEOUT_MS = 120_000
const WAITS_MS = [500, 2000, 5000]

export class ChunkError extends Error {
  override readonly name = 'ChunkError'
}

/** Loads code, trying again when the line failed; gives up after 120 s. */
export async function loadChunk<T>(load: () => Promise<T>, waits: readonly number[] = WAITS_MS): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new ChunkError('timeout')), CHUNK_TIMEOUT_MS)
  })
  try {
    return await Promise.race([attempt(load, waits), late])
  } finally {
    clearTimeout(timer)
  }
}

async function attempt<T>(load: () => Promise<T>, waits: readonly number[]): Promise<T> {
  try {
    return await load()
  } catch {
    const [wait, ...rest] = waits
    if (wait === undefined) throw new ChunkError('failed')
    await new Promise((resolve) => setTimeout(resolve, wait))
    return attempt(load, rest)
  }
}
