import type { FileRule } from './kernel/endpoint.ts'

const MIB = 1024 * 1024

/** The specification says "under N MB" for most files: N MB to the byte is already too much. */
const under = (megabytes: number) => megabytes * MIB - 1

/** The largest N of "N MB" a rule speaks of. */
const megabytes = ({ maxBytes }: FileRule) => Math.ceil(maxBytes / MIB)

/** A file's name is kept for display; more UTF-8 bytes than these are refused. */
export const MAX_FILE_NAME_BYTES = 200
/** Width × height a picture may have: a few kilobytes can otherwise claim gigabytes of pixels. */
export const MAX_IMAGE_PIXELS = 40_000_000
/** Size of one part of a resumable upload; the last one may be shorter. */
export const UPLOAD_PART_BYTES = 8 * MIB

export const IMAGE_EXTENSIONS = ['png', 'jpg', 'jpeg'] as const
export const DOCUMENT_EXTENSIONS = ['doc', 'docx', 'xls', 'xlsx', 'ppt', 'pptx', 'txt', 'pdf'] as const
export const TABLE_EXTENSIONS = ['xlsx', 'csv'] as const

/** What one kind of upload accepts. No extensions means any name and content. */
export interface UploadRule extends FileRule {
  readonly maxCount: number
  /** The specification words some refusals by kind; the rest share the general sentences. */
  readonly words?: { readonly type?: string; readonly size?: string }
}

/** The kinds of upload there are. */
export const UPLOAD = {
  file: { extensions: DOCUMENT_EXTENSIONS, maxBytes: under(5), maxCount: 5 },
  image: { extensions: IMAGE_EXTENSIONS, maxBytes: under(5), maxCount: 5 },
  avatar: {
    extensions: IMAGE_EXTENSIONS,
    maxBytes: under(2),
    maxCount: 1,
    words: { type: '上传头像图片只能是 JPG,JEPG,PNG 格式!', size: '上传头像图片大小不能超过 2MB!' },
  },
  /** "At most 300 MB": here the limit itself is allowed. */
  component: {
    extensions: [],
    maxBytes: 300 * MIB,
    maxCount: 1,
    words: { size: '组件不可超过300mb,请重新选择上传' },
  },
  table: { extensions: TABLE_EXTENSIONS, maxBytes: 50 * MIB, maxCount: 1 },
} as const satisfies Record<string, UploadRule>
export type UploadKind = keyof typeof UPLOAD

export const UPLOAD_MESSAGES = {
  comma: '文件名不正确，不能包含英文逗号!',
  nameTooLong: '文件名过长，请修改后重新上传!',
  empty: '文件内容为空，请重新选择!',
  pixels: '图片像素过大，请压缩后重新上传!',
  imageFailed: '上传图片失败，请重试',
  full: '存储空间不足，请联系管理员',
} as const

export const wrongType = (rule: UploadRule) =>
  rule.words?.type ?? `文件格式不正确，请上传${rule.extensions.join('/')}格式文件!`
export const tooLarge = (rule: UploadRule) => rule.words?.size ?? `上传文件大小不能超过 ${megabytes(rule)} MB!`
export const tooMany = (rule: UploadRule) => `上传文件数量不能超过 ${rule.maxCount} 个!`

/** Lower case, without the dot; empty when the name has none. */
export const extensionOf = (name: string) => /\.([^./\\]+)$/.exec(name)?.[1]?.toLowerCase() ?? ''

/** Why this file may not be sent, in the order the specification lists its checks; the server looks at the content too. */
export function uploadProblem(rule: UploadRule, { name, size }: { readonly name: string; readonly size: number }) {
  if (rule.extensions.length > 0 && !rule.extensions.includes(extensionOf(name))) return wrongType(rule)
  if (name.includes(',')) return UPLOAD_MESSAGES.comma
  if (utf8Length(name) > MAX_FILE_NAME_BYTES) return UPLOAD_MESSAGES.nameTooLong
  if (size > rule.maxBytes) return tooLarge(rule)
  if (size === 0) return UPLOAD_MESSAGES.empty
  return undefined
}

/** Why a field that holds `count` files may not hold them. */
export const countProblem = (rule: UploadRule, count: number) => (count > rule.maxCount ? tooMany(rule) : undefined)

/** Counted by hand: the contract sees neither the browser's nor Node's encoder. */
function utf8Length(text: string) {
  let bytes = 0
  for (const character of text) {
    const point = character.codePointAt(0) as number
    bytes += point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4
  }
  return bytes
}
