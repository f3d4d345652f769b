/** Maximum load time in milliseconds; afterwards an error is shown. */
export const CHUNK_TIMEOUT_MS = 120_000
const WAITS_MS = [500, 2000, 5000]

export class ChunkError extends Error {
  override readonly name = 'ChunkError'
}

/** Loads a module with retries after network failures; gives up after 120 s. */
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

/**
 * Returns a new URL of the failed file. Browsers cache a failed module URL and never request it again. Undefined when
 * the browser's error message does not contain the URL.
 */
function createRetryOfUrl<T>(load: () => Promise<T>, error: unknown, left: number): (() => Promise<T>) | undefined {
  const address = /imported module: (\S+)/.exec(String(error))?.[1]?.split(/[?#]/, 1)[0]
  if (!address) return undefined
  const part = partOf(load, address)
  return async () => {
    const file = await import(/* @vite-ignore */ `${address}?again=${left}`)
    return part ? file[part] : file
  }
}

/**
 * Returns the export name of a module in a shared chunk. The build compiles such an import to `import(file).then(e =>
 * e.part)`. A retry by URL would return the whole chunk, so the export name is read from the function's source.
 */
function partOf(load: () => unknown, address: string): string | undefined {
  const name = address.slice(address.lastIndexOf('/') + 1)
  const [, rest = ''] = String(load).split(name)
  return /^[`'"]\)\.then\(\(?(\w+)\)?\s*=>\s*\1\.(\w+)\)/.exec(rest)?.[2]
}

async function attempt<T>(load: () => Promise<T>, waits: readonly number[]): Promise<T> {
  try {
    return await load()
  } catch (error) {
    const [wait, ...rest] = waits
    if (wait === undefined) throw new ChunkError('failed')
    await new Promise((resolve) => setTimeout(resolve, wait))
    return attempt(createRetryOfUrl(load, error, rest.length) ?? load, rest)
  }
}
