import { posix } from 'node:path'
import { formatPackageProblem, formatExternalReference } from '@oms/contract/advertise/ad-rules.ts'
import { FileRefusedError, sanitizeProbedText } from './probe-facts.ts'

const MIB = 1024 * 1024
const MAX_PAGE_BYTES = 60 * MIB
const MIME: Readonly<Record<string, string>> = {
  css: 'text/css',
  js: 'text/javascript',
  mjs: 'text/javascript',
  json: 'application/json',
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  svg: 'image/svg+xml',
  ico: 'image/x-icon',
  mp4: 'video/mp4',
  webm: 'video/webm',
  mp3: 'audio/mpeg',
  m4a: 'audio/mp4',
  wav: 'audio/wav',
  woff: 'font/woff',
  woff2: 'font/woff2',
  ttf: 'font/ttf',
  otf: 'font/otf',
}
const isCss = (path: string) => path.toLowerCase().endsWith('.css')
const refused = (problem: string) => new FileRefusedError(formatPackageProblem(problem))
const external = (address: string) => new FileRefusedError(formatExternalReference(sanitizeProbedText(address)))

/** Replaces references to files of a package by `data:` addresses. The sum of all replacements is limited. */
export class PackageReferences {
  readonly #files: ReadonlyMap<string, Buffer>
  readonly #known = new Map<string, string>()
  /** Style sheets that are being read. A style sheet that imports one of them, directly or indirectly, is refused. */
  readonly #open = new Set<string>()
  #bytes = 0

  constructor(files: ReadonlyMap<string, Buffer>) {
    this.#files = files
  }

  /** Returns the `data:` address of a reference in the file `from`. Fragments and `data:` addresses stay. */
  resolve(reference: string, from: string): string {
    const address = reference.trim()
    if (address === '' || address.startsWith('#') || /^data:/i.test(address)) return address
    const path = this.#pathOf(address, from)
    const data = this.#known.get(path) ?? this.#dataOf(path, address)
    this.#known.set(path, data)
    this.#bytes += data.length
    if (this.#bytes > MAX_PAGE_BYTES) throw refused(`引用的文件展开后超过${MAX_PAGE_BYTES / MIB} MB`)
    return data
  }

  /** Replaces `url(…)` and `@import "…"` of a style sheet in linear time. */
  styles(css: string, from: string): string {
    const parts: string[] = []
    let at = 0
    for (const { start, end, address } of cssReferences(css)) {
      parts.push(css.slice(at, start), `url("${this.resolve(address, from)}")`)
      at = end
    }
    return parts.join('') + css.slice(at)
  }

  #pathOf(address: string, from: string) {
    // An address with a scheme or `//host` leads out of the package. So does a backslash, which browsers treat as a
    // slash.
    if (/^[a-z][a-z0-9+.-]*:/i.test(address) || address.includes('\\') || address.startsWith('//'))
      throw external(address)
    const [bare = ''] = address.split(/[?#]/, 1)
    const path = posix.normalize(posix.join(bare.startsWith('/') ? '' : posix.dirname(from), decodeURIComponent(bare)))
    const inside = path.replace(/^\/+/, '')
    if (inside.startsWith('..')) throw external(address)
    return inside
  }

  #dataOf(path: string, address: string) {
    const bytes = this.#files.get(path)
    if (!bytes) throw new FileRefusedError(`素材包缺少 ${sanitizeProbedText(address)}`)
    const extension = posix.extname(path).slice(1).toLowerCase()
    const content = isCss(path) ? Buffer.from(this.#sheet(path, bytes)) : bytes
    return `data:${MIME[extension] ?? 'application/octet-stream'};base64,${content.toString('base64')}`
  }

  #sheet(path: string, bytes: Buffer) {
    if (this.#open.has(path)) throw refused(`样式表「${sanitizeProbedText(path)}」循环引用`)
    this.#open.add(path)
    const css = this.styles(bytes.toString('utf8'), path)
    this.#open.delete(path)
    return css
  }
}

interface CssReference {
  readonly start: number
  readonly end: number
  readonly address: string
}

/** Finds the addresses of a style sheet. Comments are not skipped: a reference in a comment must exist as well. */
function* cssReferences(css: string): Generator<CssReference> {
  const begins = /url\(|@import\s+(?=["'])/gi
  for (let match = begins.exec(css); match; match = begins.exec(css)) {
    const isUrl = match[0].endsWith('(')
    const found = isUrl ? urlAt(css, match.index, begins.lastIndex) : textAt(css, begins.lastIndex, begins.lastIndex)
    if (!found) throw new Error('a quote or parenthesis of a style sheet is not closed')
    begins.lastIndex = found.end
    yield found
  }
}

/** Returns the reference of `url(…)`; undefined when its quote or parenthesis is not closed. */
function urlAt(css: string, start: number, from: number): CssReference | undefined {
  let at = from
  while (/\s/.test(css[at] ?? '')) at += 1
  if (css[at] === '"' || css[at] === "'") {
    const text = textAt(css, start, at)
    const close = text ? css.indexOf(')', text.end) : -1
    return text && close >= 0 ? { ...text, end: close + 1 } : undefined
  }
  const close = css.indexOf(')', at)
  return close < 0 ? undefined : { start, end: close + 1, address: css.slice(at, close) }
}

/** Returns the quoted text at `at`; undefined when the quote is not closed. `start` is where its replacement begins. */
function textAt(css: string, start: number, at: number): CssReference | undefined {
  const close = css.indexOf(css[at] as string, at + 1)
  return close < 0 ? undefined : { start, end: close + 1, address: css.slice(at + 1, close) }
}
