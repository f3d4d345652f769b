import { crc32 } from 'node:zlib'
import type { AdText } from '@oms/contract/advertise/engine/manifest.ts'
import type { ByteRange } from '#core/storage/store.ts'

/** Seconds in which a scrolling text crosses the screen at speed 1. */
const SLOWEST_SECONDS = 40
const CONFIG = `<?xml version="1.0" encoding="UTF-8"?>
<widget xmlns="http://www.w3.org/ns/widgets" width="1920" height="1080"><name>ad</name><content src="index.html"/></widget>
`
const UTF8_NAMES = 0x0800
/** Date of every entry, 1980-01-01, so that equal entries make equal bytes. */
const ZIP_DATE = 0x0021
const ZIP_VERSION = 20

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const escapeHtml = (text: string) => text.replaceAll(/[&<>"']/g, (found) => ESCAPES[found]!)

/** Returns a W3C widget with one page. */
export const createTextWidget = (page: Buffer) =>
  createZip([
    { name: 'config.xml', bytes: Buffer.from(CONFIG) },
    { name: 'index.html', bytes: page },
  ])

/** A stored page. */
interface StoredPage {
  readonly size: number
  /** CRC-32 of the page; any number when only the size of the widget is needed. */
  readonly crc: number
}

/** Returns the bytes of a W3C widget before and after its page. The widget equals the result of `createTextWidget`. */
function frameOf({ size, crc }: StoredPage) {
  const config = Buffer.from(CONFIG)
  const { heads, end } = layOutZip([
    { name: 'config.xml', size: config.length, crc: crc32(config) },
    { name: 'index.html', size, crc },
  ])
  return { before: Buffer.concat([heads[0]!, config, heads[1]!]), after: end }
}

/** Returns the bytes of the widget of a page of this size. */
export function computeWidgetSize(size: number): number {
  const { before, after } = frameOf({ size, crc: 0 })
  return before.length + size + after.length
}

/** Yields a range of the widget of a stored page. Reads only the needed bytes of the page, as a stream. */
export async function* readWidget(
  page: StoredPage,
  { start, end }: ByteRange,
  readPage: (range: ByteRange) => Promise<AsyncIterable<Buffer>>,
): AsyncGenerator<Buffer> {
  const { before, after } = frameOf(page)
  const pageEnd = before.length + page.size
  if (start < before.length) yield before.subarray(start, end + 1)
  const [from, to] = [Math.max(start, before.length), Math.min(end, pageEnd - 1)]
  if (from <= to) yield* await readPage({ start: from - before.length, end: to - before.length })
  if (end >= pageEnd) yield after.subarray(Math.max(0, start - pageEnd), end - pageEnd + 1)
}

/**
 * Returns the page of a text ad for players that show packages. Sizes apply to a screen with a height of 1080 pixels.
 */
export function renderTextPage({ content, fontSize, color, background, align, scroll, speed }: AdText): Buffer {
  const size = `${(fontSize / 10.8).toFixed(3)}vh`
  const seconds = (SLOWEST_SECONDS / Math.max(1, speed)).toFixed(1)
  const motion = scroll
    ? `white-space:nowrap;position:absolute;top:50%;left:0;transform:translate(100vw,-50%);animation:run ${seconds}s linear infinite`
    : `width:100%;padding:0 4vw;text-align:${align};white-space:pre-wrap`
  return Buffer.from(`<!doctype html>
<html lang="zh-CN"><meta charset="utf-8"><title>ad</title>
<style>html,body{margin:0;height:100%;overflow:hidden}body{display:flex;align-items:center;background:${escapeHtml(background)};color:${escapeHtml(color)};font-size:${size}}
p{box-sizing:border-box;margin:0;${motion}}@keyframes run{to{transform:translate(-100%,-50%)}}</style>
<p>${escapeHtml(content)}</p></html>
`)
}

interface ZipEntry {
  readonly name: string
  readonly bytes: Buffer
}

/** Name, size and CRC-32 of an entry, without its bytes. */
interface ZipEntryFacts {
  readonly name: string
  readonly size: number
  readonly crc: number
}

/** Returns a zip file with uncompressed entries. Equal entries make equal bytes. */
export function createZip(entries: readonly ZipEntry[]): Buffer {
  const { heads, end } = layOutZip(entries.map(({ name, bytes }) => ({ name, size: bytes.length, crc: crc32(bytes) })))
  return Buffer.concat([...entries.flatMap(({ bytes }, at) => [heads[at]!, bytes]), end])
}

/** Returns the bytes of a zip file that precede each uncompressed entry, and the bytes after the last entry. */
function layOutZip(entries: readonly ZipEntryFacts[]): { heads: Buffer[]; end: Buffer } {
  const heads: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const { name, size, crc } of entries) {
    const encoded = Buffer.from(name)
    const facts = Buffer.alloc(26)
    facts.writeUInt16LE(ZIP_VERSION, 0)
    facts.writeUInt16LE(UTF8_NAMES, 2)
    facts.writeUInt16LE(ZIP_DATE, 8)
    facts.writeUInt32LE(crc, 10)
    facts.writeUInt32LE(size, 14)
    facts.writeUInt32LE(size, 18)
    facts.writeUInt16LE(encoded.length, 22)
    const head = Buffer.concat([Buffer.from('PK\u0003\u0004'), facts, encoded])
    const tail = Buffer.alloc(14)
    tail.writeUInt32LE(offset, 10)
    directory.push(Buffer.concat([Buffer.from('PK\u0001\u0002'), Buffer.from([ZIP_VERSION, 0]), facts, tail, encoded]))
    heads.push(head)
    offset += head.length + size
  }
  const central = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.write('PK\u0005\u0006', 'latin1')
  end.writeUInt16LE(entries.length, 8)
  end.writeUInt16LE(entries.length, 10)
  end.writeUInt32LE(central.length, 12)
  end.writeUInt32LE(offset, 16)
  return { heads, end: Buffer.concat([central, end]) }
}
