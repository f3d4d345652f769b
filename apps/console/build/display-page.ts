import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { build } from 'esbuild'
import type { Plugin } from 'vite'

const ROOT = join(import.meta.dirname, '..')

/**
 * Builds the big screen's display page: a separate document and bundle, so that the console's chunks do not change.
 * Its charts are in a separate file.
 */
export function displayPage(): Plugin {
  return {
    name: 'display-page',
    configureServer: (server) => {
      server.middlewares.use((request, _response, next) => {
        if (request.url?.split('?')[0] === '/display') request.url = '/display.html'
        next()
      })
    },
    async generateBundle() {
      const { outputFiles } = await build({
        entryPoints: [join(ROOT, 'src/display/display.tsx')],
        bundle: true,
        splitting: true,
        minify: true,
        write: false,
        outdir: 'assets',
        entryNames: 'display-[hash]',
        chunkNames: 'display-chunk-[hash]',
        format: 'esm',
        jsx: 'automatic',
        target: 'es2022',
        charset: 'utf8',
        define: { 'process.env.NODE_ENV': '"production"' },
      })
      for (const { path, text } of outputFiles)
        this.emitFile({ type: 'asset', fileName: `assets/${basename(path)}`, source: text })
      const entry = (ending: string) => {
        const file = outputFiles.find(({ path }) => /^display-(?!chunk)/.test(basename(path)) && path.endsWith(ending))
        if (!file) throw new Error(`no ${ending} of the display page`)
        return `/assets/${basename(file.path)}`
      }
      const html = readFileSync(join(ROOT, 'display.html'), 'utf8')
        .replace('/src/display/display.tsx', entry('.js'))
        .replace('</head>', `<link rel="stylesheet" href="${entry('.css')}" /></head>`)
        .replaceAll(/\n\s+/g, '\n')
      this.emitFile({ type: 'asset', fileName: 'display.html', source: html })
    },
  }
}
