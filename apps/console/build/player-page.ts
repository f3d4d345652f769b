import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import type { Plugin } from 'vite'

const ROOT = join(import.meta.dirname, '..')
/** Largest document of the player with its script and style, compressed with gzip. */
const MAX_COMPRESSED = 60 * 1024

/** Functions that Chrome 80 lacks. esbuild lowers the syntax only. */
const NEWER =
  /\.(?:at|findLast|findLastIndex|toSorted|toReversed|toSpliced|replaceAll|replaceChildren)\(|\bstructuredClone\b|\bObject\.(?:groupBy|hasOwn)\(|\bPromise\.(?:any|try|withResolvers)\(|\bAbortSignal\.|\brandomUUID\b/

interface Page {
  readonly html: string
  /** URL of each file of the page and its content. */
  readonly files: readonly (readonly [url: string, text: string])[]
}

/**
 * Builds the web player and its preview below `/player/`, the scope of the player's service worker: separate documents
 * without chunks of the console, in the syntax of Chrome 80, which older signage hardware runs.
 */
export function playerPage(): Plugin {
  return {
    name: 'player-page',
    configureServer: (server) => {
      server.middlewares.use((request, _response, next) => {
        const path = request.url?.split('?')[0]
        if (path === '/player/') request.url = '/player.html'
        if (path === '/player/preview.html') request.url = '/player-preview.html'
        if (path === '/player/package.html') request.url = '/player-package.html'
        next()
      })
    },
    async generateBundle() {
      const player = await pageOf('player', 'player.html')
      const preview = await pageOf('preview/preview', 'player-preview.html')
      const frame = await pageOf('package-frame', 'player-package.html')
      assertSmall('player.html', player)
      assertSmall('preview.html', preview)
      const emit = (fileName: string, source: string) => this.emitFile({ type: 'asset', fileName, source })
      emit('player/player.html', player.html)
      emit('player/preview.html', preview.html)
      emit('player/package.html', frame.html)
      for (const [url, text] of [...player.files, ...preview.files, ...frame.files]) emit(url.slice(1), text)
      emit('player/sw.js', await workerScript([player, frame]))
    },
  }
}

async function bundled(entry: string, define: Readonly<Record<string, string>> = {}) {
  const { outputFiles } = await build({
    entryPoints: [join(ROOT, `src/player/${entry}.ts`)],
    bundle: true,
    minify: true,
    write: false,
    outdir: 'player',
    entryNames: '[name]-[hash]',
    format: 'iife',
    target: 'chrome80',
    charset: 'utf8',
    define,
  })
  for (const { path, text } of outputFiles) {
    const newer = path.endsWith('.js') ? NEWER.exec(text)?.[0] : undefined
    if (newer !== undefined) throw new Error(`${basename(path)} calls ${newer}, which Chrome 80 lacks`)
  }
  return outputFiles
}

async function pageOf(entry: string, document: string): Promise<Page> {
  const files = (await bundled(entry)).map(({ path, text }) => [`/player/${basename(path)}`, text] as const)
  const url = (ending: string) => {
    const found = files.find(([name]) => name.endsWith(ending))
    if (!found) throw new Error(`no ${ending} of the ${entry} page`)
    return found[0]
  }
  const html = readFileSync(join(ROOT, document), 'utf8')
    .replace(/<script type="module" src="[^"]*">/, `<script defer src="${url('.js')}">`)
    .replace('</head>', `<link rel="stylesheet" href="${url('.css')}" /></head>`)
    .replaceAll(/\n\s+/g, '\n')
  return { html, files }
}

/** Returns the service worker. Its list of files and their hash make every build a new worker. */
async function workerScript(pages: readonly Page[]) {
  const files = pages.flatMap((page) => page.files)
  const hash = createHash('sha256')
  for (const text of [...pages.map(({ html }) => html), ...files.map(([, text]) => text)]) hash.update(text)
  const define = {
    __SHELL__: JSON.stringify(['/player/', '/player/package.html', ...files.map(([url]) => url)]),
    __SHELL_HASH__: JSON.stringify(hash.digest('hex').slice(0, 16)),
  }
  return (await bundled('sw', define))[0]!.text
}

function assertSmall(name: string, { html, files }: Page) {
  const size = [html, ...files.map(([, text]) => text)].reduce((sum, text) => sum + gzipSync(text).length, 0)
  if (size > MAX_COMPRESSED) throw new Error(`${name} has ${size} compressed bytes, more than ${MAX_COMPRESSED}`)
}
