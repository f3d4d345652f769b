import { trimEndMatching, trimStartMatching } from '@oms/contract/core/strip.ts'
import {
  readFileExtension,
  readFileType,
  MAX_FILE_NAME_BYTES,
  MAX_IMAGE_PIXELS,
  MAX_IMAGE_SIDE,
  UPLOAD_MESSAGES,
  type UploadRule,
  formatTypeError,
} from '@oms/contract/core/upload.ts'
import { type ImageSize, readImageSize } from './picture.ts'

export type Verdict =
  | { readonly ok: true; readonly mime: string; readonly extension: string }
  | { readonly ok: false; readonly msg: string }

const COMPOUND = [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]
const OOXML = 'application/vnd.openxmlformats-officedocument.'

interface Kind {
  readonly mime: string
  matches(head: Uint8Array): boolean
}

const KINDS: Readonly<Record<string, Kind>> = {
  doc: { mime: 'application/msword', matches: hasMagicBytes(COMPOUND) },
  xls: { mime: 'application/vnd.ms-excel', matches: hasMagicBytes(COMPOUND) },
  ppt: { mime: 'application/vnd.ms-powerpoint', matches: hasMagicBytes(COMPOUND) },
  docx: { mime: `${OOXML}wordprocessingml.document`, matches: isOffice('word/') },
  xlsx: { mime: `${OOXML}spreadsheetml.sheet`, matches: isOffice('xl/') },
  pptx: { mime: `${OOXML}presentationml.presentation`, matches: isOffice('ppt/') },
  pdf: { mime: 'application/pdf', matches: isPdf },
  png: { mime: 'image/png', matches: hasMagicBytes([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]) },
  jpg: { mime: 'image/jpeg', matches: hasMagicBytes([0xff, 0xd8, 0xff]) },
  jpeg: { mime: 'image/jpeg', matches: hasMagicBytes([0xff, 0xd8, 0xff]) },
  webp: { mime: 'image/webp', matches: isRiff('WEBP') },
  wav: { mime: 'audio/wav', matches: isRiff('WAVE') },
  mp4: { mime: 'video/mp4', matches: isIsoMedia },
  m4a: { mime: 'audio/mp4', matches: isIsoMedia },
  webm: { mime: 'video/webm', matches: hasMagicBytes([0x1a, 0x45, 0xdf, 0xa3]) },
  mp3: { mime: 'audio/mpeg', matches: isMp3 },
  zip: { mime: 'application/zip', matches: hasMagicBytes([0x50, 0x4b, 0x03, 0x04]) },
  txt: { mime: 'text/plain; charset=utf-8', matches: isText },
  csv: { mime: 'text/csv; charset=utf-8', matches: isText },
}

/** Returns the message for a file whose name is accepted and whose content has another type. */
function wrongContent(rule: UploadRule, { mime }: Kind, head: Uint8Array) {
  if (!mime.startsWith('image/')) return rule.words?.type ?? UPLOAD_MESSAGES.wrongContent
  if (isRiff('WEBP')(head)) return UPLOAD_MESSAGES.webp
  // Major brands of HEIF files (ISO/IEC 23008-12).
  if (isIsoMedia(head) && /^(hei|hev|mif1|msf1)/.test(latin1(head, 8, 12))) return UPLOAD_MESSAGES.heic
  return rule.words?.type ?? UPLOAD_MESSAGES.notPicture
}

/**
 * Checks that the content matches the name. `head` holds the first 4,100 bytes. A rule without extensions accepts any
 * content; such files are served as bytes that a browser does not run.
 */
export function checkFileType(rule: UploadRule, name: string, head: Uint8Array): Verdict {
  const extension = readFileType(name)
  if (rule.extensions.length === 0) return { ok: true, mime: 'application/octet-stream', extension }
  const kind = rule.extensions.includes(extension) ? KINDS[extension] : undefined
  if (!kind) return { ok: false, msg: formatTypeError(rule) }
  if (!kind.matches(head)) return { ok: false, msg: wrongContent(rule, kind, head) }
  if (!kind.mime.startsWith('image/')) return { ok: true, mime: kind.mime, extension }
  const size = readImageSize(head)
  if (size === null) return { ok: false, msg: wrongContent(rule, kind, head) }
  const problem = size && findSizeProblem(size)
  if (problem) return { ok: false, msg: problem }
  return { ok: true, mime: kind.mime, extension }
}

/** Returns why a picture of this size is refused. */
export function findSizeProblem({ width, height }: ImageSize): string | undefined {
  if (width * height > MAX_IMAGE_PIXELS) return UPLOAD_MESSAGES.pixels
  return Math.max(width, height) > MAX_IMAGE_SIDE ? UPLOAD_MESSAGES.side : undefined
}

/**
 * Returns a file name that is safe to show and to put into a header. Paths never contain this name. Keeps the extension
 * when the name is cut.
 */
export function sanitizeFileName(name: string) {
  const base = name.split(/[/\\]/).at(-1) ?? ''
  const visible = base
    .toWellFormed()
    // Removes control characters and direction marks, which could hide an extension.
    .replace(/[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu, '')
  const clean = trimEndMatching(trimStartMatching(visible, /[.\s]/), /[.\s]/).normalize('NFC')
  const extension = readFileExtension(clean)
  const tail = extension && Buffer.byteLength(extension) <= 20 ? clean.slice(-(extension.length + 1)) : ''
  const room = MAX_FILE_NAME_BYTES - Buffer.byteLength(tail)
  return (truncateToBytes(clean.slice(0, clean.length - tail.length), room) + tail).trim() || 'file'
}

function truncateToBytes(text: string, bytes: number) {
  if (Buffer.byteLength(text) <= bytes) return text
  let cut = ''
  let used = 0
  for (const character of text) {
    used += Buffer.byteLength(character)
    if (used > bytes) break
    cut += character
  }
  return cut
}

function hasMagicBytes(magic: readonly number[]) {
  return (head: Uint8Array) => magic.every((byte, at) => head[at] === byte)
}

/** Checks for a RIFF file of this form: `WEBP` or `WAVE`. */
function isRiff(form: string) {
  return (head: Uint8Array) => latin1(head, 0, 4) === 'RIFF' && latin1(head, 8, 12) === form
}

/** Checks for a PDF file. Some writers put a byte order mark or line ends before the header. */
function isPdf(head: Uint8Array) {
  return /^(\xef\xbb\xbf)?\s*%PDF-/.test(latin1(head, 0, 64))
}

/** Checks for the first box of MP4 files. */
function isIsoMedia(head: Uint8Array) {
  return latin1(head, 4, 8) === 'ftyp'
}

/** Checks for an ID3 tag or the sync word of an MPEG audio frame. */
function isMp3(head: Uint8Array) {
  return latin1(head, 0, 3) === 'ID3' || (head[0] === 0xff && ((head[1] ?? 0) & 0xe6) === 0xe2)
}

function latin1(head: Uint8Array, from: number, to: number) {
  return Buffer.from(head.subarray(from, to)).toString('latin1')
}

/**
 * Checks for an Office file: a zip archive with known first entries. A password-protected file is a compound file
 * instead.
 */
function isOffice(folder: 'word/' | 'xl/' | 'ppt/') {
  const others = ['word/', 'xl/', 'ppt/'].filter((other) => other !== folder)
  return (head: Uint8Array) => {
    if (hasMagicBytes(COMPOUND)(head)) return true
    if (!hasMagicBytes([0x50, 0x4b, 0x03, 0x04])(head) || head.length < 30) return false
    const nameLength = (head[26] as number) | ((head[27] as number) << 8)
    const first = Buffer.from(head.subarray(30, 30 + nameLength)).toString('latin1')
    const known = /^(\[Content_Types\]\.xml|_rels\/|docProps\/|customXml\/|\[trash\]\/)/.test(first)
    if (first.startsWith(folder)) return true
    if (!known) return false
    const members = memberNames(head)
    return (
      members.some((name) => name.startsWith(folder)) ||
      !members.some((name) => others.some((other) => name.startsWith(other)))
    )
  }
}

/** Returns the entry names in the local file headers within the first bytes of a ZIP file. */
function memberNames(head: Uint8Array) {
  const bytes = Buffer.from(head.buffer, head.byteOffset, head.byteLength)
  const names: string[] = []
  for (let at = bytes.indexOf('PK\u0003\u0004'); at >= 0; at = bytes.indexOf('PK\u0003\u0004', at + 4)) {
    if (at + 30 > bytes.length) break
    names.push(bytes.toString('latin1', at + 30, at + 30 + bytes.readUInt16LE(at + 26)))
  }
  return names
}

const MARKUP = /^\s*(<\?xml[^>]*>\s*)?(<!doctype|<html|<head|<body|<script|<svg|<iframe)/i

/**
 * Returns true for UTF-8, UTF-16 with a byte order mark, or GBK without control characters, except those of device
 * logs: NUL, which pads a log after a power failure, backspace and escape. HTML content is not text.
 */
function isText(head: Uint8Array) {
  const marked =
    head[0] === 0xff && head[1] === 0xfe ? 'utf-16le' : head[0] === 0xfe && head[1] === 0xff ? 'utf-16be' : undefined
  const text = marked ? decode(head, marked) : (decode(head, 'utf-8') ?? decode(head, 'gb18030'))
  // oxlint-disable-next-line no-control-regex -- they are what is looked for
  return text !== undefined && !/[\u0001-\u0007\u000e-\u001a\u001c-\u001f]/.test(text) && !MARKUP.test(text)
}

function decode(bytes: Uint8Array, encoding: string) {
  try {
    // `stream` allows that the first bytes end inside a character.
    return new TextDecoder(encoding, { fatal: true }).decode(bytes, { stream: true })
  } catch {
    return undefined
  }
}
