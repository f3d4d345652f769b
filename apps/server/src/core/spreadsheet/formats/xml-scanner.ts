import { UnreadableTableError } from '#core/spreadsheet/table-limits.ts'

export interface XmlHandler {
  /** Called for an opening element. `attributes` is the raw text after the name; use `attribute` to read a value. */
  open(name: string, attributes: string): void
  close(name: string): void
  text(value: string): void
}

const MAX_TOKEN = 1024 * 1024
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/**
 * Parses XML incrementally, limited to the features that spreadsheets use. Document types are refused, so only the five
 * predefined entities exist. Names are reported without their prefix.
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
      if (start > at) this.#handler.text(decodeEntities(xml.slice(at, start)))
      this.#token(xml, start, end)
      at = end
    }
    this.#rest = xml.slice(at)
    if (this.#rest.length > MAX_TOKEN) throw new UnreadableTableError('表格内容无法识别')
  }

  end() {
    if (this.#rest.trim() !== '') throw new UnreadableTableError('表格内容不完整')
  }

  #token(xml: string, start: number, end: number) {
    const second = xml.charCodeAt(start + 1)
    if (second === 0x2f /* / */) return this.#handler.close(localName(xml.slice(start + 2, end - 1).trim()))
    if (second === 0x3f /* ? */ || xml.startsWith('<!--', start)) return
    if (xml.startsWith('<![CDATA[', start)) return this.#handler.text(xml.slice(start + 9, end - 3))
    if (second === 0x21 /* ! */) throw new UnreadableTableError('表格内容无法识别')
    const empty = xml.charCodeAt(end - 2) === 0x2f
    const inner = xml.slice(start + 1, empty ? end - 2 : end - 1)
    const space = inner.search(/\s/)
    const name = localName(space < 0 ? inner : inner.slice(0, space))
    this.#handler.open(name, space < 0 ? '' : inner.slice(space))
    if (empty) this.#handler.close(name)
  }
}

/** Returns the index after the token that begins at `start`, or -1 while the token is incomplete. */
function tokenEnd(xml: string, start: number) {
  const closing = xml.startsWith('<!--', start) ? '-->' : xml.startsWith('<![CDATA[', start) ? ']]>' : undefined
  if (closing) {
    const end = xml.indexOf(closing, start + 4)
    return end < 0 ? -1 : end + closing.length
  }
  // `<!-` may be the beginning of a comment.
  if (xml.charCodeAt(start + 1) === 0x21 && xml.length < start + 9) return -1
  return tagEnd(xml, start)
}

/** Returns the index after the `>` that closes a tag. Quoted values may contain `>`. */
function tagEnd(xml: string, start: number) {
  let quote = 0
  for (let at = start; at < xml.length; at++) {
    const code = xml.charCodeAt(at)
    if (quote !== 0) quote = code === quote ? 0 : quote
    else if (code === 0x22 /* " */ || code === 0x27 /* ' */) quote = code
    else if (code === 0x3e /* > */) return at + 1
  }
  return -1
}

const localName = (name: string) => name.slice(name.indexOf(':') + 1)

/** Returns an attribute by its name without prefix. */
export function readAttribute(attributes: string, name: string): string | undefined {
  for (let at = 0; ; ) {
    const equals = attributes.indexOf('=', at)
    if (equals < 0) return undefined
    const quote = attributes.slice(equals + 1, equals + 9).trimStart()[0]
    const start = quote === '"' || quote === "'" ? attributes.indexOf(quote, equals) : -1
    const end = start < 0 ? -1 : attributes.indexOf(quote as string, start + 1)
    if (end < 0) throw new UnreadableTableError('表格内容无法识别')
    if (localName(attributes.slice(at, equals).trim()) === name) return decodeEntities(attributes.slice(start + 1, end))
    at = end + 1
  }
}

function decodeEntities(text: string) {
  if (!text.includes('&')) return text
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-fA-F]{1,6})|(\w{1,31}));/g, (_, decimal, hex, name) => {
    if (name) {
      const found = Object.hasOwn(ENTITIES, name) ? ENTITIES[name] : undefined
      if (found === undefined) throw new UnreadableTableError('表格内容无法识别')
      return found
    }
    const point = decimal ? Number(decimal) : Number.parseInt(hex, 16)
    if (point > 0x10ffff) throw new UnreadableTableError('表格内容无法识别')
    return String.fromCodePoint(point)
  })
}
