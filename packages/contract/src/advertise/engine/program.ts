import { parseDay, parseMinute } from './dates.ts'
import { INSERT_MODE, type Manifest, type ManifestAd, type ManifestItem, type ManifestProgram } from './manifest.ts'
import { type Zone } from './zone.ts'

/** A half-open interval of instants. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** Ads that a screen cannot show, by id. The items of these ads are skipped. */
export interface ScreenState {
  readonly filesNotReady?: readonly number[]
  readonly codecsUnsupported?: readonly number[]
}

/** An item with its ad and the instants between which the item may play. */
export interface PlayableItem {
  readonly item: ManifestItem
  readonly ad: ManifestAd
  readonly limits: Span
}

export interface CompiledProgram {
  readonly program: ManifestProgram
  readonly firstDay: number
  readonly lastDay: number
  readonly parts: readonly { readonly start: number; readonly end: number; readonly crossesMidnight: boolean }[]
  /** Items that the screen can show, in the order of the manifest. */
  readonly items: readonly PlayableItem[]
  /** True when at least one item has limits. */
  readonly hasLimits: boolean
}

/** Shortest item that plays. Shorter items are skipped, because players cannot time their ends. */
const MIN_ITEM_MS = 500
const ALWAYS: Span = { start: Number.MIN_SAFE_INTEGER, end: Number.MAX_SAFE_INTEGER }

/** Parses the dates and times of all programs, and joins their items with the ads. */
export function compilePrograms(manifest: Manifest, zone: Zone, state: ScreenState = {}): CompiledProgram[] {
  const ads = new Map(manifest.ads.map((ad) => [ad.id, ad]))
  const unavailable = new Set([...(state.filesNotReady ?? []), ...(state.codecsUnsupported ?? [])])
  return manifest.programs.map((program) => {
    const items = program.items.flatMap((item): PlayableItem[] => {
      const ad = ads.get(item.adId)
      if (!ad || unavailable.has(ad.id) || item.ms < MIN_ITEM_MS) return []
      return [{ item, ad, limits: computeItemSpan(zone, item, ad) }]
    })
    return {
      program,
      firstDay: parseDay(program.dateFrom),
      lastDay: parseDay(program.dateTo),
      parts: partsOf(program),
      items,
      hasLimits: items.some(({ limits }) => limits !== ALWAYS),
    }
  })
}

/** Returns the interval in which an item may play, limited by its own times, the dates and the approval of its ad. */
export function computeItemSpan(zone: Zone, { from, to }: ManifestItem, ad: ManifestAd): Span {
  const { validFrom, validTo, approvalUntil } = ad
  if (from === null && to === null && !validFrom && !validTo && !approvalUntil) return ALWAYS
  const endOfDate = (date: string | null) => (date ? zone.endOf(parseDay(date) + 1, 0) : ALWAYS.end)
  const start = Math.max(from ?? ALWAYS.start, validFrom ? zone.startOf(parseDay(validFrom), 0) : ALWAYS.start)
  return { start, end: Math.min(to ?? ALWAYS.end, endOfDate(validTo), endOfDate(approvalUntil)) }
}

function partsOf({ dayParts }: ManifestProgram): CompiledProgram['parts'] {
  if (dayParts.length === 0) return [{ start: 0, end: 1440, crossesMidnight: false }]
  return dayParts
    .map((part) => ({ start: parseMinute(part.start), end: parseMinute(part.end) }))
    .filter(({ start, end }) => start !== end)
    .map(({ start, end }) => ({ start, end, crossesMidnight: end < start }))
    .sort((a, b) => a.start - b.start)
}

export const isDefault = ({ program }: CompiledProgram): boolean => program.fallback > 0
export const isOnce = ({ program }: CompiledProgram): boolean =>
  program.fallback === 0 && program.insertMode === INSERT_MODE.once
export const isTakeover = ({ program }: CompiledProgram): boolean =>
  program.fallback === 0 && program.insertMode !== INSERT_MODE.normal

/** Orders takeovers: the first one wins. */
export const compareRank = (a: ManifestProgram, b: ManifestProgram): number =>
  b.priority - a.priority || b.publishedAt - a.publishedAt || b.id - a.id
