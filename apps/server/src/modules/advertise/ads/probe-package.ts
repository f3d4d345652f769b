import { posix } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { AD_MESSAGES, formatPackageProblem, formatExternalReference } from '@oms/contract/advertise/ad-rules.ts'
import { DomUtils, parseDocument } from 'htmlparser2'
import { type Entry, open, type ZipFile } from 'yauzl'
import { FileRefusedError, sanitizeProbedText } from './probe.ts'

const INDEX = 'index.html'
const REFERENCES = ['src', 'href', 'poster', 'data', 'background', 'xlink:href'] as const
const SETS = ['srcset', 'imagesrcset'] as const
/** Content security policy that players send as a header. The page contains the same policy. */
const POLICY =
  "default-src data: blob: 'unsafe-inline'; connect-src 'none'; frame-src 'none'; form-action 'none'; base-uri 'none'"
const MAX_ENTRIES = 200
const MIB = 1024 * 1024
const MAX_UNPACKED_BYTES = 40 * MIB
const ENCRYPTED = 1
const TYPE_SHIFT = 16
const TYPE_MASK = 0o170000
const SYMLINK = 0o120000
const NAME_PROBLEM = /^(?:absolute path|invalid relative path|invalid characters in fileName): (.*)/s
const MAX_PAGE_BYTES = 60 * MIB

type Document = ReturnType<typeof parseDocument>
type Element = ReturnType<typeof DomUtils.getElementsByTagName>[number]

/**
 * Returns one HTML document of a package: every referenced file becomes a `data:` address. Refuses references outside
 * the package. Files that only scripts name are not included, because scripts on screens have no network.
 */
export async function probePackage(path: string): Promise<string> {
  const files = await readArchive(path)
  const index = files.get(INDEX)
  if (!index) throw new FileRefusedError(AD_MESSAGES.pageMissing)
  try {
    return inlined(index.toString('utf8'), new PackageReferences(files))
  } catch (error) {
    throw error instanceof FileRefusedError ? error : new FileRefusedError(AD_MESSAGES.pageBroken, { cause: error })
  }
}

function inlined(html: string, references: PackageReferences) {
  const document = parseDocument(html)
  for (const element of DomUtils.getElementsByTagName('*', document)) rewrite(element, references)
  return withPolicy(document, DomUtils.getOuterHTML(document.children))
}

function rewrite(element: Element, references: PackageReferences) {
  const { attribs, name } = element
  // The Content-Security-Policy of the page does not block a redirection.
  const isRefresh = name === 'meta' && /refresh/i.test(attribs['http-equiv'] ?? '')
  if (isRefresh) throw new FileRefusedError(formatPackageProblem(`${INDEX} 不能自动跳转（meta refresh）`))
  for (const key of REFERENCES) {
    const value = attribs[key]
    if (value !== undefined) attribs[key] = references.resolve(value, INDEX)
  }
  for (const key of SETS) {
    const value = attribs[key]
    if (value !== undefined) attribs[key] = candidates(value, references)
  }
  if (attribs['style'] !== undefined) attribs['style'] = references.styles(attribs['style'], INDEX)
  if (name === 'style')
    for (const child of element.children) if ('data' in child) child.data = references.styles(child.data, INDEX)
}

/** Replaces the addresses in a `srcset` value such as `a.png 1x, b.png 2x`. */
const candidates = (value: string, references: PackageReferences) =>
  value
    .split(',')
    .map((candidate) => {
      const [address = '', ...rest] = candidate.trim().split(/\s+/)
      return [references.resolve(address, INDEX), ...rest].join(' ')
    })
    .join(', ')

/**
 * Inserts the Content-Security-Policy before all content of the page. The parser of a browser differs from this parser,
 * so earlier content could place the policy inside a comment or a script.
 */
function withPolicy(document: Document, html: string) {
  const hasDoctype = document.children.some(
    (node) => node.type === 'directive' && 'data' in node && /^!doctype/i.test(node.data),
  )
  return `${hasDoctype ? '<!doctype html>' : ''}<meta http-equiv="Content-Security-Policy" content="${POLICY}">${html}`
}

const broken = (cause?: unknown) => new FileRefusedError(AD_MESSAGES.pageBroken, { cause })
const refused = (problem: string, cause?: unknown) => new FileRefusedError(formatPackageProblem(problem), { cause })

/**
 * Reads an archive into memory by path. Refuses more than 200 entries, more than 40 MB unpacked, encrypted entries, links
 * and names outside the archive. Declared sizes are added up first, and an entry longer than declared fails.
 */
async function readArchive(path: string): Promise<ReadonlyMap<string, Buffer>> {
  const zip = await opened(path)
  try {
    const entries = await entriesOf(zip)
    const files = new Map<string, Buffer>()
    for (const entry of entries) files.set(entry.fileName, await contentOf(zip, entry))
    return files
  } catch (error) {
    throw error instanceof FileRefusedError ? error : problemOf(error)
  } finally {
    zip.close()
  }
}

/** Converts an error of yauzl to the refusal of the file. */
function problemOf(error: unknown) {
  const [, name] = NAME_PROBLEM.exec(error instanceof Error ? error.message : '') ?? []
  return name === undefined ? broken(error) : refused(`文件名「${sanitizeProbedText(name)}」不能使用`, error)
}

function opened(path: string) {
  return new Promise<ZipFile>((resolve, reject) => {
    // yauzl refuses absolute names, backslashes and `..` in names.
    const options = { lazyEntries: true, autoClose: false, validateEntrySizes: true, strictFileNames: true } as const
    open(path, options, (error, zip) => (zip ? resolve(zip) : reject(broken(error))))
  })
}

const isFolder = ({ fileName }: Entry) => fileName.endsWith('/')

/** Returns why an entry is refused. */
function entryProblem({ fileName, externalFileAttributes, generalPurposeBitFlag }: Entry): string | undefined {
  if ((generalPurposeBitFlag & ENCRYPTED) !== 0) return `文件「${sanitizeProbedText(fileName)}」已加密`
  const isLink = ((externalFileAttributes >>> TYPE_SHIFT) & TYPE_MASK) === SYMLINK
  return isLink ? `文件「${sanitizeProbedText(fileName)}」是链接` : undefined
}

function entriesOf(zip: ZipFile) {
  return new Promise<Entry[]>((resolve, reject) => {
    const found: Entry[] = []
    let count = 0
    let unpacked = 0
    zip.on('entry', (entry: Entry) => {
      count += 1
      unpacked += entry.uncompressedSize
      const problem =
        count > MAX_ENTRIES
          ? `文件超过${MAX_ENTRIES}个`
          : unpacked > MAX_UNPACKED_BYTES
            ? `解压后超过${MAX_UNPACKED_BYTES / MIB} MB`
            : entryProblem(entry)
      if (problem !== undefined) return reject(refused(problem))
      if (!isFolder(entry)) found.push(entry)
      return zip.readEntry()
    })
    zip.on('end', () => resolve(found))
    zip.on('error', reject)
    zip.readEntry()
  })
}

function contentOf(zip: ZipFile, entry: Entry) {
  return new Promise<Buffer>((resolve, reject) => {
    zip.openReadStream(entry, (error, stream) => {
      const damaged = (cause: unknown) => reject(refused(`文件「${sanitizeProbedText(entry.fileName)}」已损坏`, cause))
      if (!stream) return damaged(error)
      return buffer(stream).then(resolve, damaged)
    })
  })
}

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
const external = (address: string) => new FileRefusedError(formatExternalReference(sanitizeProbedText(address)))

/** Replaces references to files of a package by `data:` addresses. The sum of all replacements is limited. */
class PackageReferences {
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
