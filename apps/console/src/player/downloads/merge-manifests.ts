import type { ManifestAd } from '@oms/contract/advertise/engine/manifest.ts'
import type { PlayerManifest } from '../wire.ts'

type Program = PlayerManifest['programs'][number]

/**
 * Returns the current manifest without the programs that the pending manifest lacks, and without the ads that the
 * pending programs list and the pending manifest lacks. An ad that a new version of a program replaced stays. Returns
 * the same object when nothing is withdrawn.
 */
export function removeWithdrawn(current: PlayerManifest, pending: PlayerManifest): PlayerManifest {
  const programIds = new Set(pending.programs.map(({ id }) => id))
  const withdrawnAds = new Set(pending.programs.flatMap(({ items }) => items.map(({ adId }) => adId)))
  for (const { id } of pending.ads) withdrawnAds.delete(id)
  const programs = current.programs.filter(({ id }) => programIds.has(id))
  const ads = current.ads.filter(({ id }) => !withdrawnAds.has(id))
  const isUnchanged = programs.length === current.programs.length && ads.length === current.ads.length
  return isUnchanged ? current : { ...current, programs, ads }
}

/** Returns a manifest with only those takeovers whose version the current manifest does not contain. */
export function keepNewTakeovers(manifest: PlayerManifest, current: PlayerManifest): PlayerManifest {
  const versions = new Map(current.programs.map(({ id, verNo }) => [id, verNo]))
  const isNewTakeover = ({ id, verNo, insertMode }: Program) => insertMode > 0 && versions.get(id) !== verNo
  return { ...manifest, programs: manifest.programs.filter(isNewTakeover) }
}

/**
 * Returns the pending manifest, with earlier versions of some programs. A program keeps its earlier version and the
 * earlier versions of its ads when none of its enabled ads has its file. Omits such programs without an earlier
 * version, and the ads that no program uses. `isReady` is true for an ad that is stored or needs no file.
 */
export function keepEarlierVersions(
  pending: PlayerManifest,
  current: PlayerManifest,
  isReady: (manifest: PlayerManifest, ad: ManifestAd) => boolean,
): PlayerManifest {
  const ads = new Map(pending.ads.map((ad) => [ad.id, ad]))
  const ready = new Set(pending.ads.filter((ad) => isReady(pending, ad)).map(({ id }) => id))
  const earlierAds = new Map(current.ads.filter((ad) => isReady(current, ad)).map((ad) => [ad.id, ad]))
  const earlierPrograms = new Map(current.programs.map((program) => [program.id, program]))
  const lacksFiles = ({ items }: Program) => {
    const enabled = items.filter(({ adId }) => ads.has(adId))
    return enabled.length > 0 && !enabled.some(({ adId }) => ready.has(adId))
  }
  const playableItems = ({ items }: Program) => items.filter(({ adId }) => earlierAds.has(adId) && !ready.has(adId))
  const kept = new Map<Program, readonly Program[]>()
  for (const program of pending.programs.filter(lacksFiles)) {
    const earlier = earlierPrograms.get(program.id)
    const items = earlier ? playableItems(earlier) : []
    kept.set(program, earlier && items.length > 0 ? [{ ...earlier, items }] : [])
  }
  const replaced = new Set(
    [...kept.values()].flatMap((each) => each.flatMap(({ items }) => items.map(({ adId }) => adId))),
  )
  // An item of the new programs may be planned for another length than the earlier version of its ad has.
  const withoutReplaced = (program: Program): Program => {
    const items = program.items.filter(({ adId }) => !replaced.has(adId))
    return items.length === program.items.length ? program : { ...program, items }
  }
  const programs = pending.programs.flatMap((program) => kept.get(program) ?? [withoutReplaced(program)])
  const used = new Set(programs.flatMap(({ items }) => items.map(({ adId }) => adId)))
  const mixedAds = [
    ...pending.ads.filter(({ id }) => !replaced.has(id)),
    ...[...replaced].map((id) => earlierAds.get(id)!),
  ]
  return { ...pending, programs, ads: mixedAds.filter(({ id }) => used.has(id)) }
}

/** True when two manifests contain the same versions of programs and ads. */
export function haveSameContent(a: PlayerManifest, b: PlayerManifest): boolean {
  return a === b || describeContent(a) === describeContent(b)
}

const describeContent = ({ zone, volume, programs, ads }: PlayerManifest) =>
  [
    `${zone} ${volume}`,
    ...programs.map(({ id, verNo, items }) => `p${id}:${verNo}:${items.map((item) => item.id).join('.')}`).sort(),
    ...ads.map(({ id, verNo }) => `a${id}:${verNo}`).sort(),
  ].join()
