import type { KnownObstacles } from './because.ts'
import type { Conflict } from './conflict.ts'
import { formatDate, parseMinute } from '../dates.ts'
import { type Manifest, type ManifestAd, type ManifestItem, PLAY_MODE } from '../manifest.ts'
import type { CompiledProgram } from '../program.ts'
import { isDueOn } from '../windows.ts'
import { loadZone } from '../zone.ts'

type ConflictFields = Omit<Conflict, 'text'>

/**
 * Returns the conflicts between the ads of a program and its dates and dayparts. Each conflict code names an ad once.
 */
export function listAdConflicts(
  compiled: CompiledProgram,
  manifest: Manifest,
  known: KnownObstacles,
): { errors: ConflictFields[]; warnings: ConflictFields[] } {
  const ads = new Map(manifest.ads.map((ad) => [ad.id, ad]))
  const missing = new Map((known.ads ?? []).map((each) => [each.id, each]))
  const [errors, warnings] = [new Map<string, ConflictFields>(), new Map<string, ConflictFields>()]
  const last = lastDay(compiled)
  for (const item of compiled.program.items) {
    const ad = ads.get(item.adId)
    const adName = ad?.name ?? missing.get(item.adId)?.name ?? `#${item.adId}`
    const ofAd = (code: Conflict['code'], fields: Partial<ConflictFields> = {}): ConflictFields => {
      return { code, ms: 0, dueMs: 0, by: null, adId: item.adId, adName, date: null, detail: null, ...fields }
    }
    const found = ad
      ? endConflicts(item, ad, last, manifest.zone, ofAd)
      : [ofAd(missing.get(item.adId)?.obstacle === 'adDisabled' ? 'adDisabled' : 'adNotApproved')]
    for (const conflict of found) errors.set(`${conflict.code}:${item.adId}`, conflict)
    for (const part of shorterParts(compiled, item))
      warnings.set(`${part}:${item.adId}`, ofAd('itemLongerThanPart', { detail: part }))
  }
  return { errors: [...errors.values()], warnings: [...warnings.values()] }
}

function endConflicts(
  { to }: ManifestItem,
  { validTo, approvalUntil }: ManifestAd,
  last: string | null,
  zoneName: string,
  ofAd: (code: Conflict['code'], fields: Partial<ConflictFields>) => ConflictFields,
): ConflictFields[] {
  if (last === null) return []
  const zone = loadZone(zoneName)
  const itemEnds = to === null ? last : formatDate(zone.dayAt(to - 1))
  const needed = itemEnds < last ? itemEnds : last
  return [
    ...(validTo && validTo < needed ? [ofAd('adEndsEarlier', { date: validTo })] : []),
    ...(approvalUntil && approvalUntil < needed ? [ofAd('approvalEndsEarlier', { date: approvalUntil })] : []),
  ]
}

/** Returns the last date on which a window of the program begins. */
function lastDay(compiled: CompiledProgram): string | null {
  for (let day = compiled.lastDay; day > compiled.lastDay - 7; day -= 1)
    if (isDueOn(compiled, day)) return formatDate(day)
  return null
}

/** Returns the dayparts that are shorter than the item or its block. Assumes a day without a clock change. */
function shorterParts({ program }: CompiledProgram, item: ManifestItem): string[] {
  const isBlock = program.playMode === PLAY_MODE.block
  const ms = isBlock ? program.items.reduce((sum, each) => sum + each.ms, 0) : item.ms
  return program.dayParts
    .filter(({ start, end }) => ((parseMinute(end) - parseMinute(start) + 1440) % 1440 || 1440) * 60_000 < ms)
    .map(({ start, end }) => `${start}–${end}`)
}
