import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import type { Plugin } from 'vite'

const ROOT = join(import.meta.dirname, '..')

/**
 * The page of a screen on a wall: a document of its own beside the login page, bundled apart, so that the console's
 * chunks neither grow nor move for it.
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
        minify: true,
        write: false,
        outdir: 'assets',
        format: 'esm',
        jsx: 'automatic',
        target: 'es2022',
        charset: 'utf8',
        define: { 'process.env.NODE_ENV': '"production"' },
      })
      const emit = (ending: string) => {
        const file = outputFiles.find(({ path }) => path.endsWith(ending))
        if (!file) throw new Error(`no ${ending} of the display page`)
        const hash = createHash('sha256').update(file.contents).digest('base64url').slice(0, 8)
        const fileName = `assets/display-${hash}${ending}`
        this.emitFile({ type: 'asset', fileName, source: file.text })
        return fileName
      }
      const html = readFileSync(join(ROOT, 'display.html'), 'utf8')
        .replace('/src/display/display.tsx', `/${emit('.js')}`)
        .replace('</head>', `<link rel="stylesheet" href="/${emit('.css')}" /></head>`)
        .replaceAll(/\n\s+/g, '\n')
      this.emitFile({ type: 'asset', fileName: 'display.html', source: html })
    },
  }
}
