import { globSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import type { Plugin } from 'vite'

const ANTD_ROOT = '/src/kit/antd/antd-root.tsx'
const MODULES = join(import.meta.dirname, '../src/modules')

/** The used part of a bundle's type, to avoid importing the build tool's types. */
export interface Chunk {
  readonly type: string
  readonly fileName: string
  readonly moduleIds?: readonly string[]
  readonly imports?: readonly string[]
  readonly viteMetadata?: { readonly importedCss: ReadonlySet<string> }
}
export type Bundle = Readonly<Record<string, Chunk>>

/** Returns the chunk of a source file with all chunks and style sheets that it requires. */
export function filesOf(bundle: Bundle, source: string) {
  const scripts = new Set<string>()
  const styles = new Set<string>()
  const visit = (name: string) => {
    if (scripts.has(name)) return
    scripts.add(name)
    for (const css of bundle[name]?.viteMetadata?.importedCss ?? []) styles.add(css)
    for (const imported of bundle[name]?.imports ?? []) visit(imported)
  }
  const holder = Object.values(bundle).find(({ moduleIds }) => moduleIds?.some((id) => id.endsWith(source)))
  if (!holder) throw new Error(`nothing holds ${source}`)
  visit(holder.fileName)
  return { scripts: [...scripts], styles: [...styles] }
}

/** Adds preload links for the main chunks to the document, and for the chunks of each URL. */
export function preloadMain(): Plugin {
  return {
    name: 'preload-main',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler: (html, { bundle: built }) => {
        if (!built) return html
        const bundle = built as unknown as Bundle
        const { scripts, styles } = filesOf(bundle, '/src/main.tsx')
        const link = (rel: string) => (href: string) => ({
          tag: 'link',
          attrs: { rel, crossorigin: true, href: `/${href}` },
          injectTo: 'head' as const,
        })
        const pages = JSON.stringify(pageFiles(bundle, new Set([...scripts, ...styles])))
        return {
          html: html.replace('<html ', `<html data-pages='${pages}' data-lists='${JSON.stringify(firstLists())}' `),
          tags: [...scripts.map(link('modulepreload')), ...styles.map(link('stylesheet'))],
        }
      },
    },
  }
}

/** Chunks that each URL needs besides main; `early.ts` requests them while main loads. */
function pageFiles(bundle: Bundle, here: ReadonlySet<string>) {
  return Object.fromEntries(
    pagesByAddress().map(({ path, source, plain }) => {
      const parts = [source, ...(plain ? [] : [ANTD_ROOT])].map((part) => filesOf(bundle, part))
      const files = parts.flatMap(({ scripts, styles }) => [...scripts, ...styles])
      return [path, [...new Set(files)].filter((file) => !here.has(file))]
    }),
  )
}

/** Screens of the modules. Parsed from the source text of each `index.ts`, because the imports run only in browsers. */
const pagesByAddress = () =>
  screenFiles().flatMap(({ folder, text: screens }) => {
    const found = screens.matchAll(/path: '([^':]+)'(?:(?!path: ')[^])*?import\('(\.{1,2}\/[\w./-]+\.page\.tsx)'\)/g)
    return [...found].map(([text, path = '', page = '']) => ({
      path,
      source: posix.join('/src/modules', folder, page),
      plain: text.includes('plain: true'),
    }))
  })

/** First list request of each URL; `early.ts` sends it while the code loads. */
const firstLists = () =>
  Object.fromEntries(
    screenFiles().flatMap(({ text }) => {
      const found = text.matchAll(/path: '([^':]+)'(?:(?!path: ')[^])*?prefetch: prefetchFirstPage\('([^']+)'\)/g)
      return [...found].map(([, path = '', call]) => [path, call] as const)
    }),
  )

const screenFiles = () =>
  globSync('*/index.ts', { cwd: MODULES }).map((file) => ({
    folder: dirname(file),
    text: readFileSync(join(MODULES, file), 'utf8'),
  }))
