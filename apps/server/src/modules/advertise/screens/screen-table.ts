import { hash } from 'node:crypto'
import type { Manifest, ManifestAd } from '@oms/contract/advertise/engine/manifest.ts'
import type { ScreenState } from '@oms/contract/advertise/engine/program.ts'
import { chooseRendition, createCodecTest, needsFile } from '@oms/contract/advertise/engine/renditions.ts'

const TOKEN_BYTES = 32
const GROWTH = 1.25
/**
 * Bit of an entry in `#tokenRows`: 1 when the device has a row in `ad_screens`. The other bits are the row of the
 * token.
 */
const SCREEN_BIT = 0x80_00_00_00
const ROW_BITS = 0x7f_ff_ff_ff

/** Size of a screen in pixels. */
export interface ScreenSize {
  readonly width: number
  readonly height: number
}

/** Size of a screen whose size is unknown. */
export const FULL_HD: ScreenSize = { width: 1920, height: 1080 }

/** Columns of screens by slot: the number of the set, and the row of the player's token. */
export class InMemoryScreenTable {
  sets = new Uint32Array(0)
  #tokenRows = new Uint32Array(0)
  #tokens = Buffer.alloc(0)
  #rows = 1
  readonly #freeRows: number[] = []
  readonly #slotByKey = new Map<string, number>()
  readonly #keyBySlot = new Map<number, string>()
  /** Sizes of the screens with a SMIL address whose size is known. */
  readonly #sizeBySlot = new Map<number, ScreenSize>()

  /** Size of the columns in bytes. The stored token hashes are not included. */
  get bytes() {
    return this.sets.byteLength + this.#tokenRows.byteLength
  }

  /** Enlarges the columns to this number of slots. */
  reserve(count: number) {
    if (count <= this.sets.length) return
    const length = this.sets.length === 0 ? count : Math.ceil(count * GROWTH)
    const [sets, rows] = [new Uint32Array(length), new Uint32Array(length)]
    sets.set(this.sets)
    rows.set(this.#tokenRows)
    this.sets = sets
    this.#tokenRows = rows
  }

  hasScreen(slot: number): boolean {
    return ((this.#tokenRows[slot] ?? 0) & SCREEN_BIT) !== 0
  }

  setScreen(slot: number, exists: boolean) {
    const row = this.#rowOf(slot)
    this.#tokenRows[slot] = exists ? row | SCREEN_BIT : row
  }

  #rowOf(slot: number) {
    return (this.#tokenRows[slot] ?? 0) & ROW_BITS
  }

  #setRow(slot: number, row: number) {
    this.#tokenRows[slot] = (this.#tokenRows[slot]! & SCREEN_BIT) | row
  }

  /** Stores the sha256 of the player's token in hex; empty removes the token. */
  setToken(slot: number, tokenHash: string) {
    const row = this.#rowOf(slot)
    if (tokenHash === '') {
      if (row > 0) this.#freeRows.push(row)
      this.#setRow(slot, 0)
      return
    }
    const used = row > 0 ? row : (this.#freeRows.pop() ?? this.#rows++)
    this.#setRow(slot, used)
    if (used * TOKEN_BYTES > this.#tokens.length) {
      const wider = Buffer.alloc(Math.ceil(Math.max(64, used * GROWTH)) * TOKEN_BYTES)
      this.#tokens.copy(wider)
      this.#tokens = wider
    }
    this.#tokens.write(tokenHash, (used - 1) * TOKEN_BYTES, TOKEN_BYTES, 'hex')
  }

  /** True when this is the player's token. Compares in constant time. */
  hasToken(slot: number, token: string): boolean {
    const row = this.#rowOf(slot)
    if (row === 0 || token.length === 0) return false
    const given = hash('sha256', token, 'binary')
    const start = (row - 1) * TOKEN_BYTES
    let differs = 0
    for (let at = 0; at < TOKEN_BYTES; at++) differs |= this.#tokens[start + at]! ^ given.charCodeAt(at)
    return differs === 0
  }

  /** Stores the size of a screen and the sha256 of the key in its SMIL address in hex. An empty hash removes both. */
  setSmilScreen(slot: number, keyHash: string, size: ScreenSize) {
    const before = this.#keyBySlot.get(slot)
    if (before !== undefined) this.#slotByKey.delete(before)
    this.#keyBySlot.delete(slot)
    this.#sizeBySlot.delete(slot)
    if (keyHash === '') return
    this.#keyBySlot.set(slot, keyHash)
    this.#slotByKey.set(keyHash, slot)
    if (size.width > 0 && size.height > 0) this.#sizeBySlot.set(slot, size)
  }

  /** Returns the size in pixels for which the SMIL index of a screen is rendered. */
  smilSizeOf(slot: number): ScreenSize {
    return this.#sizeBySlot.get(slot) ?? FULL_HD
  }

  /** Returns the slot of the screen with this SMIL key; -1 for an unknown key. */
  slotOfSmilKey(key: string): number {
    return this.#slotByKey.get(hash('sha256', key)) ?? -1
  }
}

/** What a screen reported about itself. */
interface ReportedScreen {
  /** Pixels; 0: unknown. */
  readonly width: number
  readonly height: number
  /** Empty: unknown. */
  readonly codecs: readonly string[]
  readonly failed: readonly { readonly sha256: string }[]
}

/**
 * Returns the ads of a manifest that a screen skips: those whose file it reported as failed, and those without a
 * rendition in one of its codecs.
 */
export function computeScreenState(
  { ads }: Pick<Manifest, 'ads'>,
  { width, height, codecs, failed }: ReportedScreen,
): ScreenState {
  const size = width > 0 && height > 0 ? { width, height } : FULL_HD
  const screen = { ...size, mayPlay: createCodecTest(codecs) }
  const broken = new Set(failed.map(({ sha256 }) => sha256))
  const withFile = ads.filter(needsFile)
  const isBroken = (ad: ManifestAd) => {
    const file = chooseRendition(ad, screen)
    return file !== undefined && broken.has(file.sha256)
  }
  return {
    filesNotReady: withFile.filter(isBroken).map(({ id }) => id),
    codecsUnsupported: withFile.filter((ad) => !chooseRendition(ad, screen)).map(({ id }) => id),
  }
}
