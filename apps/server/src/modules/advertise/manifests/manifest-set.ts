import { hash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import type { Manifest, ManifestAd, ManifestFile, ManifestProgram } from '@oms/contract/advertise/engine/manifest.ts'
import type { ProgramBody } from '../schema.ts'
import { withFileDurations } from '../file-durations.ts'
import { resolveItemLimits } from '../item-limits.ts'
import { fitPrograms } from './capacity.ts'

/** A program in force with the JSON of its version. */
export interface LiveProgram {
  readonly id: number
  readonly body: ProgramBody
  readonly json: string
}

/** An approved and enabled ad with its JSON. */
export interface LiveAd {
  readonly body: ManifestAd
  readonly json: string
  /** Milliseconds of the file of a video or an audio; undefined for other kinds. */
  readonly fileMs: number | undefined
}

/** A manifest as players receive it. */
export interface RenderedManifest {
  /** sha256 of the body. */
  readonly etag: string
  readonly body: Buffer
  /** Compressed at the first request that accepts gzip. */
  readonly gzip: () => Buffer
  readonly files: ReadonlyMap<string, ManifestFile>
  /** Input of the schedule engine, which remembers what it planned for this object. */
  readonly schedule: Manifest
  /** Ids of the programs that are left out, because they exceed the limits of a screen. */
  readonly left: readonly number[]
}

/** Screens with the same zone, volume and programs, which share one rendered manifest. */
export interface ManifestSet {
  readonly number: number
  readonly key: string
  readonly zone: string
  readonly volume: number
  /** Sorted ids. */
  readonly programs: readonly number[]
  screens: number
  rendered: RenderedManifest | undefined
}

interface Source {
  readonly programs: ReadonlyMap<number, LiveProgram>
  readonly ads: ReadonlyMap<number, LiveAd>
  /** Hours of the day and rate at which players download. */
  readonly download: object
}

/** Renders the manifest of a set within the limits of a screen. */
export function renderManifest({ zone, volume, programs }: ManifestSet, source: Source): RenderedManifest {
  const live = programs.flatMap((id) => source.programs.get(id) ?? [])
  const { kept, left, files } = fitPrograms(live, (adId) => source.ads.get(adId)?.body.files ?? [])
  const ads = new Map(kept.flatMap((program) => adsOf(program, source).map((ad) => [ad.body.id, ad] as const)))
  const played = kept.map((program) => toPlayed(program, ads, zone)).toSorted((a, b) => a.id - b.id)
  const sortedAds = [...ads.values()].toSorted((a, b) => a.body.id - b.body.id)
  const text = `{"format":1,"zone":${JSON.stringify(zone)},"volume":${volume},"download":${JSON.stringify(source.download)},"programs":[${played.map(({ json }) => json).join(',')}],"ads":[${sortedAds.map(({ json }) => json).join(',')}]}`
  const body = Buffer.from(text)
  let packed: Buffer | undefined
  return {
    etag: hash('sha256', body),
    body,
    gzip: () => (packed ??= gzipSync(body)),
    files,
    schedule: { format: 1, zone, programs: played.map((each) => each.body), ads: sortedAds.map((each) => each.body) },
    left: left.map(({ id }) => id),
  }
}

/**
 * Returns the program as the manifest contains it, and its JSON: with the durations of the approved files, and instants
 * as limits.
 */
function toPlayed({ id, body, json }: LiveProgram, ads: ReadonlyMap<number, LiveAd>, zone: string) {
  const played: ManifestProgram = resolveItemLimits(
    withFileDurations(body, (adId) => ads.get(adId)?.fileMs),
    zone,
  )
  return { id, body: played, json: played === body ? json : JSON.stringify(played) }
}

function adsOf({ body }: LiveProgram, { ads }: Source): LiveAd[] {
  const ids = new Set(body.items.map(({ adId }) => adId))
  return [...ids].flatMap((id) => ads.get(id) ?? [])
}

const keyOf = (zone: string, volume: number, programs: readonly number[]) => `${zone} ${volume} ${programs.join(',')}`

/** The sets in use, by number. Set 0 stands for a screen in the console's zone without programs. */
export class ManifestSets {
  readonly #byKey = new Map<string, ManifestSet>()
  readonly #byNumber: (ManifestSet | undefined)[] = []
  readonly #free: number[] = []

  constructor(zone: string, volume: number) {
    this.of(zone, volume, [])
  }

  get count() {
    return this.#byKey.size
  }

  at(number: number): ManifestSet {
    return this.#byNumber[number]!
  }

  /** Returns the set with these sorted programs. */
  of(zone: string, volume: number, programs: readonly number[]): ManifestSet {
    const key = keyOf(zone, volume, programs)
    const known = this.#byKey.get(key)
    if (known) return known
    const number = this.#free.pop() ?? this.#byNumber.length
    const made = { number, key, zone, volume, programs, screens: 0, rendered: undefined }
    this.#byKey.set(key, made)
    this.#byNumber[number] = made
    return made
  }

  /** Removes the sets that no screen uses. */
  prune() {
    for (const set of this.#byKey.values()) {
      if (set.screens > 0 || set.number === 0) continue
      this.#byKey.delete(set.key)
      this.#byNumber[set.number] = undefined
      this.#free.push(set.number)
    }
  }

  /** Discards the rendered manifests of the sets with one of these programs. */
  markStale(programIds: ReadonlySet<number>) {
    for (const set of this.#byKey.values()) if (set.programs.some((id) => programIds.has(id))) set.rendered = undefined
  }

  values() {
    return this.#byKey.values()
  }
}
