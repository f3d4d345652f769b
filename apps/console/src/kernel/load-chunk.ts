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

/**
 * Browsers remember an address whose code did not come and never ask for it again: the next try goes to another address
 * of the same file. Undefined where the browser does not name it.
 */
function againOf<T>(load: () => Promise<T>, error: unknown, left: number): (() => Promise<T>) | undefined {
  const address = /imported module: (\S+)/.exec(String(error))?.[1]?.replace(/[?#].*$/, '')
  if (!address) return undefined
  const part = partOf(load, address)
  return async () => {
    const file = await import(/* @vite-ignore */ `${address}?again=${left}`)
    return part ? file[part] : file
  }
}

/**
 * Code that shares its file with other code is one export of it: the build has `import(file).then(e => e.part)` for it.
 * Asked for by address alone it would be the whole file, so the part is read off the build's own words.
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
    return attempt(againOf(load, error, rest.length) ?? load, rest)
  }
}
