import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Marked, type Tokens } from 'marked'
import type { Plugin } from 'vite'

const ROOT = join(import.meta.dirname, '..')
export const GUIDES_FOLDER = join(ROOT, '../../docs/help')

/** Guides in the order of the navigation: the first steps, then the modules in the order of the sidebar. */
const ORDER = [
  'start',
  'tenant',
  'device',
  'upgrade',
  'license',
  'ticket',
  'storage',
  'advertise',
  'agent',
  'account',
  'system',
]

export interface Guide {
  readonly name: string
  readonly title: string
  /** First paragraph, which says what the module is for. */
  readonly summary: string
  readonly html: string
  readonly sections: readonly { readonly title: string; readonly anchor: string }[]
}

/** Returns the anchor of a heading, as GitHub makes it. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-')

/** Reads and renders all guides of `docs/help`. */
export const readGuides = (): readonly Guide[] =>
  ORDER.map((name) => renderGuide(name, readFileSync(join(GUIDES_FOLDER, `${name}.md`), 'utf8')))

function renderGuide(name: string, text: string): Guide {
  const sections: Guide['sections'][number][] = []
  const marked = new Marked({
    renderer: {
      heading({ depth, text: title, tokens }: Tokens.Heading) {
        const anchor = anchorOf(title)
        if (depth === 2) sections.push({ title, anchor })
        // A section may have the title of its page, and an anchor exists once.
        const id = depth === 1 ? '' : ` id="${anchor}"`
        return `<h${depth}${id}>${this.parser.parseInline(tokens)}</h${depth}>\n`
      },
      link({ href, tokens }: Tokens.Link) {
        const url = href.replace(/^(\w+)\.md/, '/help/$1')
        return `<a href="${url}">${this.parser.parseInline(tokens)}</a>`
      },
      table(token: Tokens.Table) {
        const row = (cells: readonly Tokens.TableCell[], tag: string) =>
          `<tr>${cells.map((cell) => `<${tag}>${this.parser.parseInline(cell.tokens)}</${tag}>`).join('')}</tr>`
        const body = token.rows.map((cells) => row(cells, 'td')).join('')
        return `<div class="table" tabindex="0" role="region" aria-label="表格"><table><thead>${row(token.header, 'th')}</thead><tbody>${body}</tbody></table></div>`
      },
    },
  })
  const picture = `pictures/${name}.webp`
  const hasPicture = existsSync(join(GUIDES_FOLDER, picture))
  const title = /^# (.+)$/m.exec(text)?.[1] ?? name
  const summary = /^# .+\n\n(.+)$/m.exec(text)?.[1] ?? ''
  // The picture of a guide is below its first paragraph.
  const image = hasPicture ? `<img src="/help/${picture}" alt="${title}的页面" width="1280" height="760">` : ''
  const html = marked.parse(text, { async: false }).replace('</p>', `</p>${image}`)
  return { name, title, summary, html, sections }
}

/** Returns the HTML of every help page by its file name: a list of all guides, and one page for each guide. */
export function renderHelp(template: string): ReadonlyMap<string, string> {
  const guides = readGuides()
  const page = (title: string, content: string, current?: string) => {
    const links = guides.map(
      ({ name, title: each }) => `<a href="/help/${name}"${name === current ? ' aria-current="page"' : ''}>${each}</a>`,
    )
    return template
      .replace('<!--title-->', title)
      .replace('<!--links-->', links.join(''))
      .replace('<!--content-->', () => content)
  }
  const cards = guides.map(
    ({ name, title, summary }) => `<a class="card" href="/help/${name}"><b>${title}</b><span>${summary}</span></a>`,
  )
  const contents = ({ sections }: Guide) =>
    `<nav class="contents" aria-label="本页目录"><b>本页目录</b>${sections.map(({ title, anchor }) => `<a href="#${anchor}">${title}</a>`).join('')}</nav>`
  return new Map([
    [
      'index.html',
      page(
        '帮助',
        `<article><h1>帮助</h1><p>选择一个模块，查看用途、操作步骤和常见问题。</p><div class="cards">${cards.join('')}</div></article>`,
      ),
    ],
    ...guides.map((guide): [string, string] => [
      `${guide.name}.html`,
      page(guide.title, `<article>${guide.html}</article>${contents(guide)}`, guide.name),
    ]),
  ])
}

/** Builds the guides of `docs/help` into static pages below `/help`, without code of the console. */
export function helpPages(): Plugin {
  const template = () => readFileSync(join(ROOT, 'help.html'), 'utf8')
  return {
    name: 'help-pages',
    configureServer: (server) => {
      server.middlewares.use((request, response, next) => {
        const [, name = 'index'] = /^\/help(?:\/([a-z]+))?(?:[?#]|$)/.exec(request.url ?? '') ?? []
        const html =
          /^\/help(?:\/[a-z]+)?(?:[?#]|$)/.test(request.url ?? '') && renderHelp(template()).get(`${name}.html`)
        if (html) response.setHeader('content-type', 'text/html; charset=utf-8').end(html)
        else next()
      })
    },
    generateBundle() {
      for (const [file, source] of renderHelp(template()))
        this.emitFile({ type: 'asset', fileName: `help/${file}`, source: source.replaceAll(/\n\s*/g, '\n') })
      for (const path of globSync('pictures/*', { cwd: GUIDES_FOLDER }))
        this.emitFile({
          type: 'asset',
          fileName: `help/${path}`,
          source: readFileSync(join(GUIDES_FOLDER, path)),
        })
    },
  }
}
