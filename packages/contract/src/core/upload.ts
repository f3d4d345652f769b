import type { FileRule } from './endpoint.ts'

const MIB = 1024 * 1024

/** Exclusive limit: the specification says "under N MB", so a file of exactly N MB is refused. */
const under = (megabytes: number) => megabytes * MIB - 1

/** The largest N of all "N MB" rules. */
const megabytes = ({ maxBytes }: FileRule) => Math.ceil(maxBytes / MIB)

/** Maximum length of a file name in UTF-8 bytes. */
export const MAX_FILE_NAME_BYTES = 200
/** Maximum pixels (width × height) of a picture. A small file can declare dimensions that decode to gigabytes. */
export const MAX_IMAGE_PIXELS = 40_000_000
/** Maximum width and height of a picture. Browsers and decoders fail at longer sides. */
export const MAX_IMAGE_SIDE = 16_383
/** Part size of a resumable upload in bytes; the last part may be shorter. */
export const UPLOAD_PART_BYTES = 8 * MIB

export const IMAGE_EXTENSIONS = ['png', 'jpg', 'jpeg'] as const
const AD_IMAGE_EXTENSIONS = ['png', 'jpg', 'jpeg', 'webp'] as const
export const DOCUMENT_EXTENSIONS = ['doc', 'docx', 'xls', 'xlsx', 'ppt', 'pptx', 'txt', 'pdf'] as const
export const TABLE_EXTENSIONS = ['xlsx', 'csv'] as const

/** Limits of one upload purpose. Without extensions, any name and content is allowed. */
export interface UploadRule extends FileRule {
  readonly maxCount: number
  /** Error messages that the specification defines per file kind; other kinds share the general messages. */
  readonly words?: { readonly type?: string; readonly size?: string }
}

/** All upload purposes. */
export const UPLOAD = {
  file: { extensions: DOCUMENT_EXTENSIONS, maxBytes: under(5), maxCount: 5 },
  image: { extensions: IMAGE_EXTENSIONS, maxBytes: under(5), maxCount: 5 },
  avatar: {
    extensions: IMAGE_EXTENSIONS,
    maxBytes: under(2),
    maxCount: 1,
    words: { type: '上传头像图片只能是 JPG,JEPG,PNG 格式!', size: '上传头像图片大小不能超过 2MB!' },
  },
  /** Inclusive limit ("at most 300 MB"). */
  component: {
    extensions: [],
    maxBytes: 300 * MIB,
    maxCount: 1,
    words: { size: '组件不可超过300mb,请重新选择上传' },
  },
  adImage: { extensions: AD_IMAGE_EXTENSIONS, maxBytes: under(20), maxCount: 10 },
  /** Inclusive limit, as for components. */
  adVideo: { extensions: ['mp4', 'webm'], maxBytes: 300 * MIB, maxCount: 10 },
  adAudio: { extensions: ['mp3', 'm4a', 'wav'], maxBytes: under(50), maxCount: 10 },
  adPackage: { extensions: ['zip'], maxBytes: under(20), maxCount: 10 },
  /** Picture of a video, captured by the uploading browser. */
  adPoster: { extensions: AD_IMAGE_EXTENSIONS, maxBytes: MIB, maxCount: 1 },
  adProof: { extensions: [...DOCUMENT_EXTENSIONS, ...IMAGE_EXTENSIONS], maxBytes: under(5), maxCount: 5 },
  /** Samples of voices and recordings of speakers. Inclusive limit. */
  agentAudio: { extensions: ['mp3', 'wav'], maxBytes: 10 * MIB, maxCount: 1 },
  /** Vouchers of payments: transfer receipts and contracts. */
  agentVoucher: { extensions: [...DOCUMENT_EXTENSIONS, ...IMAGE_EXTENSIONS], maxBytes: under(5), maxCount: 3 },
  table: { extensions: TABLE_EXTENSIONS, maxBytes: 50 * MIB, maxCount: 1 },
} as const satisfies Record<string, UploadRule>
/** Returns the rule of a table that a call reads, with the maximum of rows below the header. */
export const limitTable = (maxRows: number, maxBytes: number = UPLOAD.table.maxBytes) =>
  ({ ...UPLOAD.table, maxBytes, maxRows }) as const
export type UploadKind = keyof typeof UPLOAD

export const UPLOAD_MESSAGES = {
  comma: '文件名不正确，不能包含英文逗号!',
  nameTooLong: '文件名过长，请修改后重新上传!',
  empty: '文件内容为空，请重新选择!',
  notPicture: '文件内容不是图片，请重新选择!',
  heic: '不支持 HEIC 图片，请另存为 JPG 后上传（iPhone：设置-相机-格式-兼容性最佳）',
  webp: '图片实际为 WebP 格式，请用图片软件另存为 JPG 或 PNG 后上传',
  wrongContent: '文件内容与扩展名不符，请重新选择!',
  pixels: '图片像素过大，请压缩后重新上传!',
  side: '图片宽度和高度不能超过16383像素，请裁剪后重新上传!',
  imageFailed: '上传图片失败，请重试',
  full: '存储空间不足，请联系管理员',
} as const

/** Rule of one file, with the messages of its kind. */
export type OneFileRule = FileRule & Pick<UploadRule, 'words'>

/** Returns the limits of a table for people who choose the file: `支持 xlsx、csv，最多 1,000 行，不超过 50 MB`. */
export const describeTableLimits = (rule: FileRule) =>
  [
    `支持 ${rule.extensions.join('、')}`,
    ...(rule.maxRows === undefined ? [] : [`最多 ${rule.maxRows.toLocaleString('en-US')} 行`]),
    `不超过 ${megabytes(rule)} MB`,
  ].join('，')

export const formatTypeError = (rule: OneFileRule) =>
  rule.words?.type ?? `文件格式不正确，请上传${rule.extensions.join('/')}格式文件!`
export const formatSizeError = (rule: OneFileRule) => rule.words?.size ?? `上传文件大小不能超过 ${megabytes(rule)} MB!`
export const formatCountError = (rule: UploadRule) => `上传文件数量不能超过 ${rule.maxCount} 个!`

/** Returns the extension in lower case without the dot; empty when the name has no extension. */
export const readFileExtension = (name: string) => /\.([^./\\]+)$/.exec(name)?.[1]?.toLowerCase() ?? ''

/**
 * Extensions that are treated like an allowed extension, because their content is the same: device logs, and JPEG
 * pictures saved by Windows.
 */
const ALIASES: Readonly<Record<string, string>> = { log: 'txt', jfif: 'jpg' }
/** Returns the allowed extensions with their aliases, for file choosers. */
export const listChoosableExtensions = (extensions: readonly string[]) => [
  ...extensions,
  ...Object.keys(ALIASES).filter((alias) => extensions.includes(ALIASES[alias] as string)),
]
/** Returns the extension that upload rules use for a file, for example `txt` for a log. */
export const readFileType = (name: string) => {
  const extension = readFileExtension(name)
  return Object.hasOwn(ALIASES, extension) ? (ALIASES[extension] as string) : extension
}

/** Returns the advice to convert a picture whose format the rule does not accept. */
const findConversion = ({ extensions }: FileRule, type: string) => {
  if (!extensions.includes('jpg')) return undefined
  return type === 'heic' || type === 'heif' ? UPLOAD_MESSAGES.heic : type === 'webp' ? UPLOAD_MESSAGES.webp : undefined
}

/** Returns the error for a file, in the check order of the specification. The server also checks the content. */
export function findUploadProblem(rule: OneFileRule, { name, size }: { readonly name: string; readonly size: number }) {
  const type = readFileType(name)
  if (rule.extensions.length > 0 && !rule.extensions.includes(type))
    return findConversion(rule, type) ?? formatTypeError(rule)
  if (name.includes(',')) return UPLOAD_MESSAGES.comma
  if (utf8Length(name) > MAX_FILE_NAME_BYTES) return UPLOAD_MESSAGES.nameTooLong
  if (size > rule.maxBytes) return formatSizeError(rule)
  if (size === 0) return UPLOAD_MESSAGES.empty
  return undefined
}

/** Returns the error when a field may not hold `count` files. */
export const findFileCountProblem = (rule: UploadRule, count: number) =>
  count > rule.maxCount ? formatCountError(rule) : undefined

/** Counts UTF-8 bytes without TextEncoder: the contract compiles without browser and Node types. */
function utf8Length(text: string) {
  let bytes = 0
  for (const character of text) {
    const point = character.codePointAt(0) as number
    bytes += point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4
  }
  return bytes
}
