import { TableUnreadable } from './table-limits.ts'

export interface XmlHandler {
  /** `attributes` is the raw text after the name; read one with `attribute`. */
  open(name: string, attributes: string): void
  close(name: string): void
  text(value: string): void
}

const MAX_TOKEN = 1024 * 1024
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/**
 * Reads XML as it comes, as much of it as spreadsheets use. A document type is refused, so there are no entities but
 * the five of XML itself. Names are given without their prefix.
 */
export class XmlScanner {
  readonly #handler: XmlHandler
  #rest = ''

  constructor(handler: XmlHandler) {
    this.#handler = handler
  }

  write(chunk: string) {
    const xml = this.#rest + chunk
    let at = 0
    for (;;) {
      const start = xml.indexOf('<', at)
      if (start < 0) break
      const end = tokenEnd(xml, start)
      if (end < 0) break
      if (start > at) this.#handler.text(decoded(xml.slice(at, start)))
      this.#token(xml, start, end)
      at = end
    }
    this.#rest = xml.slice(at)
    if (this.#rest.length > MAX_TOKEN) throw new TableUnreadable('表格内容无法识别')
  }

  end() {
    if (this.#rest.trim() !== '') throw new TableUnreadable('表格内容不完整')
  }

  #token(xml: string, start: number, end: number) {
    const second = xml.charCodeAt(start + 1)
    if (second === 0x2f /* / */) return this.#handler.close(localName(xml.slice(start + 2, end - 1).trim()))
    if (second === 0x3f /* ? */ || xml.startsWith('<!--', start)) return
    if (xml.startsWith('<![CDATA[', start)) return this.#handler.text(xml.slice(start + 9, end - 3))
    if (second === 0x21 /* ! */) throw new TableUnreadable('表格内容无法识别')
    const empty = xml.charCodeAt(end - 2) === 0x2f
    const inner = xml.slice(start + 1, empty ? end - 2 : end - 1)
    const space = inner.search(/\s/)
    const name = localName(space < 0 ? inner : inner.slice(0, space))
    this.#handler.open(name, space < 0 ? '' : inner.slice(space))
    if (empty) this.#handler.close(name)
  }
}

/** Just after the token that begins at `start`; -1 while it is not whole. */
function tokenEnd(xml: string, start: number) {
  const closing = xml.startsWith('<!--', start) ? '-->' : xml.startsWith('<![CDATA[', start) ? ']]>' : undefined
  if (closing) {
    const end = xml.indexOf(closing, start + 4)
    return end < 0 ? -1 : end + closing.length
  }
  // `<!-` may still become a comment.
  if (xml.charCodeAt(start + 1) === 0x21 && xml.length < start + 9) return -1
  let end = xml.indexOf('>', start)
  // A value in quotes may hold `>`.
  while (end >= 0 && openQuote(xml, start, end)) end = xml.indexOf('>', end + 1)
  return end < 0 ? -1 : end + 1
}

function openQuote(xml: string, start: number, end: number) {
  let quote = ''
  for (let at = start; at < end; at++) {
    const c = xml[at] as string
    if (quote === '' ? c === '"' || c === "'" : c === quote) quote = quote === '' ? c : ''
  }
  return quote !== ''
}

const localName = (name: string) => name.slice(name.indexOf(':') + 1)

const patterns = new Map<string, RegExp>()

/** One attribute by its name without a prefix. */
export function attribute(attributes: string, name: string) {
  let pattern = patterns.get(name)
  if (!pattern) {
    pattern = new RegExp(`\\s(?:[\\w.-]+:)?${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`)
    patterns.set(name, pattern)
  }
  const match = pattern.exec(attributes)
  return match ? decoded(match[1] ?? match[2] ?? '') : undefined
}

function decoded(text: string) {
  if (!text.includes('&')) return text
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-fA-F]{1,6})|(\w{1,31}));/g, (_, decimal, hex, name) => {
    if (name) {
      const found = Object.hasOwn(ENTITIES, name) ? ENTITIES[name] : undefined
      if (found === undefined) throw new TableUnreadable('表格内容无法识别')
      return found
    }
    const point = decimal ? Number(decimal) : Number.parseInt(hex, 16)
    if (point > 0x10ffff) throw new TableUnreadable('表格内容无法识别')
    return String.fromCodePoint(point)
  })
}
