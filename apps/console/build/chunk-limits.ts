import { relative, sep } from 'node:path'
import type { Plugin, Rolldown } from 'vite'

type Chunk = Pick<Rolldown.OutputChunk, 'fileName' | 'name' | 'imports' | 'moduleIds'>

/** A page, or the pages below a folder, and the chunk groups that it must not load before its first frame. */
export interface ChunkLimit {
  /** Matches the path of a page below the sources of the console, with `/`. */
  readonly page: RegExp
  readonly never: readonly string[]
}

/**
 * Pages that open first or often, and large chunks that they do not need. One import of a small function from such a
 * chunk loads the whole chunk: this happened to the home page (list) and to the lists (form).
 */
export const LIMITS: readonly ChunkLimit[] = [
  { page: /^modules\/home\/home\.page\.tsx$/, never: ['list', 'form', 'select'] },
  // The lists of menus and of voices have number fields in their rows.
  { page: /^(?!.*\/(?:menu|voice)-list).*-list\.page\.tsx$/, never: ['form'] },
]

/** Returns a chunk and all chunks that it imports statically. */
function collectImports(chunk: Chunk, chunks: ReadonlyMap<string, Chunk>, found = new Set<Chunk>()): Set<Chunk> {
  if (found.has(chunk)) return found
  found.add(chunk)
  for (const name of chunk.imports) {
    const imported = chunks.get(name)
    if (imported) collectImports(imported, chunks, found)
  }
  return found
}

/**
 * Returns one line for each page that loads a forbidden chunk, with the imports that cause it. `importsOf` returns the
 * ids that a module imports statically.
 */
export function findChunkProblems(
  all: readonly Chunk[],
  root: string,
  importsOf: (id: string) => readonly string[],
  limits: readonly ChunkLimit[] = LIMITS,
): readonly string[] {
  const chunks = new Map(all.map((chunk) => [chunk.fileName, chunk]))
  const shorten = (id: string) => relative(root, id).split(sep).join('/')
  const causesOf = (loaded: ReadonlySet<Chunk>, large: Chunk) => {
    const inside = new Set(large.moduleIds)
    const edges = [...loaded]
      .filter((chunk) => chunk !== large)
      .flatMap(({ moduleIds }) => moduleIds.flatMap((id) => importsOf(id).map((to) => [id, to] as const)))
    const causes = edges.filter(([, to]) => inside.has(to)).map(([id, to]) => `${shorten(id)} → ${shorten(to)}`)
    // Code that the bundler moves between chunks has no import of a module.
    const importers = [...loaded].filter(({ imports }) => imports.includes(large.fileName)).map(({ name }) => name)
    return causes.length > 0 ? causes : [`chunks ${importers.join(', ')}`]
  }
  return all.flatMap((chunk) => {
    const page = chunk.moduleIds.map(shorten).find((path) => path.endsWith('.page.tsx'))
    const never = limits.filter((limit) => page !== undefined && limit.page.test(page)).flatMap((limit) => limit.never)
    const loaded = collectImports(chunk, chunks)
    return [...loaded]
      .filter(({ name }) => never.includes(name))
      .map((large) => `${page} loads the chunk ${large.name}: ${[...new Set(causesOf(loaded, large))].join(', ')}`)
  })
}

/** Fails the build when a page loads a large chunk that it does not need. */
export function chunkLimits(root: string): Plugin {
  return {
    name: 'chunk-limits',
    apply: 'build',
    generateBundle(_options, bundle) {
      const chunks = Object.values(bundle).filter((each) => each.type === 'chunk')
      const importsOf = (id: string) => this.getModuleInfo(id)?.importedIds ?? []
      const problems = findChunkProblems(chunks, root, importsOf)
      if (problems.length > 0) this.error(problems.join('\n'))
    },
  }
}
