import { parseBoardVersion } from '@oms/contract/agent/devices/board-version.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import type { otaImages, FirmwareImage } from '@oms/contract/upgrade/app-image.ts'
import { FIRMWARE_COMPONENT } from '@oms/contract/upgrade/ota.ts'
import { and, eq } from 'drizzle-orm'
import { notFound } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import { files } from '#core/schema/system.ts'
import { FileMissing, type FileStore } from '#core/storage/store.ts'
import { scoped, transact } from '#core/tenancy/tenancy.ts'

/** Returns the application descriptor of an uploaded component. */
export async function getImage(ctx: Ctx, { fileId }: ParsedOf<typeof otaImages.get>) {
  const { user, services } = ctx
  const [file] = await transact(ctx, (db) =>
    db
      .select({ sha256: files.sha256, size: files.size })
      .from(files)
      .where(and(eq(files.id, fileId), eq(files.purpose, 'component'), scoped(user, { tenant: files.tenantId }))),
  )
  if (!file) throw notFound('文件')
  return { image: (await readAppImage(services.files, file.sha256, file.size)) ?? null }
}

/** Layout of `esp_image_header_t`, the header of the first segment, and `esp_app_desc_t` (ESP-IDF). */
const IMAGE_MAGIC = 0xe9
const CHIP_AT = 12
const DESCRIPTOR_AT = 32
const DESCRIPTOR_MAGIC = 0xabcd5432
const FIELDS = { version: [16, 32], project: [48, 32], time: [80, 16], date: [96, 16], idf: [112, 32] } as const
/** Bytes at the beginning of an image that contain the descriptor. */
export const APP_IMAGE_HEAD = DESCRIPTOR_AT + 144

/** Values of `esp_chip_id_t`. */
const CHIPS: Readonly<Record<number, string>> = {
  0: 'ESP32',
  2: 'ESP32-S2',
  5: 'ESP32-C3',
  9: 'ESP32-S3',
  12: 'ESP32-C2',
  13: 'ESP32-C6',
  16: 'ESP32-H2',
  18: 'ESP32-P4',
  23: 'ESP32-C5',
}

/** Returns the descriptor of an application image. Undefined for other files, such as merged flash images. */
export function parseAppImage(head: Buffer): FirmwareImage | undefined {
  if (head.length < APP_IMAGE_HEAD || head[0] !== IMAGE_MAGIC) return undefined
  if (head.readUInt32LE(DESCRIPTOR_AT) !== DESCRIPTOR_MAGIC) return undefined
  const field = (name: keyof typeof FIELDS) => {
    const [at, length] = FIELDS[name]
    const bytes = head.subarray(DESCRIPTOR_AT + at, DESCRIPTOR_AT + at + length)
    const end = bytes.indexOf(0)
    return bytes
      .subarray(0, end === -1 ? length : end)
      .toString('latin1')
      .replaceAll(/[^\x20-\x7e]/g, '?')
      .trim()
  }
  const chip = head.readUInt16LE(CHIP_AT)
  const buildTime = `${field('date')} ${field('time')}`.trim()
  return {
    version: field('version'),
    project: field('project'),
    chip: CHIPS[chip] ?? String(chip),
    idf: field('idf'),
    buildTime,
  }
}

/** Reads the descriptor of a stored file. Undefined also for a missing file. */
export async function readAppImage(store: Pick<FileStore, 'openRead'>, sha256: string, size: number) {
  if (size < APP_IMAGE_HEAD) return undefined
  const chunks: Buffer[] = []
  try {
    for await (const chunk of await store.openRead(sha256, { start: 0, end: APP_IMAGE_HEAD - 1 }))
      chunks.push(chunk as Buffer)
  } catch (error) {
    if (error instanceof FileMissing) return undefined
    throw error
  }
  return parseAppImage(Buffer.concat(chunks))
}

interface Component {
  readonly type: number
  readonly fileName: string
}
interface Version<C extends Component> {
  readonly verName: string
  readonly verCode: number
  readonly components: readonly C[]
}

/**
 * Returns whether the name of a version is the text form of its number. The firmware of voice devices parses the name
 * as numbers and aborts on any other text.
 */
export const isBoardVersion = ({ verName, verCode }: Pick<Version<Component>, 'verName' | 'verCode'>) =>
  parseBoardVersion(verName) === verCode

/** Returns the only image of a version, or undefined when voice devices cannot install the version. */
export function findBoardImage<C extends Component>(version: Version<C>): C | undefined {
  const images = version.components.filter(
    ({ type, fileName }) => type === FIRMWARE_COMPONENT && fileName.toLowerCase().endsWith('.bin'),
  )
  return images.length === 1 && isBoardVersion(version) ? images[0] : undefined
}
