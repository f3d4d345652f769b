import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import type { Plugin } from 'vite'
import { type Bundle, filesOf } from './preload-main.ts'

const ROOT = join(import.meta.dirname, '..')
/** Modules that are preloaded during the login: layout, menu icons and home page. */
const NEXT = ['/src/boot.ts', '/src/main.tsx', '/src/kit/pickers/menu-icons-builtin.tsx']
const HOME = '/src/modules/home/home.page.tsx'

/**
 * Builds the login page: a separate document with one small inline script that shares no chunk with the console,
 * which saves one round trip. The page's content security policy contains the script's hash. The script preloads the
 * console's chunks while the user types.
 */
export function loginPage(): Plugin {
  return {
    name: 'login-page',
    transformIndexHtml: { order: 'pre', handler: withSignIn },
    configureServer: (server) => {
      server.middlewares.use((request, _response, next) => {
        if (request.url?.startsWith('/login?') || request.url === '/login') request.url = '/login.html'
        next()
      })
    },
    async generateBundle(_options, bundle) {
      const next = nextFiles(bundle as unknown as Bundle, NEXT)
      const home = nextFiles(bundle as unknown as Bundle, [HOME]).filter((file) => !next.includes(file))
      const html = document(await bundledScript(), { preload: next, 'preload-home': home })
      this.emitFile({ type: 'asset', fileName: 'login.html', source: html })
    },
  }
}

/** Inserts the style sheet and the brand panel that the other pages without a login use as well. */
function withSignIn(html: string) {
  const read = (name: string) => readFileSync(join(ROOT, 'src/core/sign-in', name), 'utf8')
  return html
    .replace('/*sign-in.css*/', () => read('sign-in.css').replaceAll(/\/\*.*?\*\//gs, ''))
    .replace('<!--panel.html-->', () => read('panel.html'))
}

async function bundledScript() {
  const result = await build({
    entryPoints: [join(ROOT, 'src/login/login.ts')],
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    charset: 'utf8',
  })
  return result.outputFiles[0]!.text
}

function nextFiles(bundle: Bundle, sources: readonly string[]) {
  const files = sources.flatMap((source) => {
    const { scripts, styles } = filesOf(bundle, source)
    return [...styles, ...scripts]
  })
  return [...new Set(files)].map((file) => `/${file}`)
}

function document(script: string, lists: Readonly<Record<string, readonly string[]>>) {
  const data = Object.entries(lists).map(([name, files]) => ` data-${name}="${files.join(' ')}"`)
  return withSignIn(readFileSync(join(ROOT, 'login.html'), 'utf8'))
    .replace('<html lang="zh-CN">', `<html lang="zh-CN"${data.join('')}>`)
    .replaceAll(/\n\s+/g, '\n')
    .replace(' src="/src/login/login.ts">', () => `>${script.trim().replaceAll('</script', '<\\/script')}`)
}
