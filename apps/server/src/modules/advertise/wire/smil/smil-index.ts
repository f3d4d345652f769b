import { hash } from 'node:crypto'
import { AD_TYPE, type ManifestAd, type ManifestFile, type Manifest } from '@oms/contract/advertise/engine/manifest.ts'
import type { PlannedSlot } from '@oms/contract/advertise/engine/playing.ts'
import { chooseRendition } from '@oms/contract/advertise/engine/renditions.ts'
import { type SmilSequence, iterateSmilPlan } from '@oms/contract/advertise/engine/smil.ts'
import { runInSlices } from '#core/process/concurrency.ts'
import { formatLocalDay, formatLocalTime } from '#core/time/zone.ts'
import type { ManifestSet, RenderedManifest } from '../../manifests/manifest.ts'
import { FULL_HD, type ScreenSize } from '../../screens/screen-table.ts'

/** Interval between two requests of the SMIL index in seconds. Players refuse a shorter interval. */
const REFRESH_SECONDS = 60
const LOG_SECONDS = 300
/** Placeholder for the address of the screen in a rendered index. */
const BASE = '{base}'
const SHA256_NAME = /^([0-9a-f]{16})[0-9a-f]{48}\./
/** Accepts every codec, because SMIL players do not report their codecs. */
const mayPlay = () => true

const EXTENSION: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/webp': 'webp',
  'video/mp4': 'mp4',
  'video/webm': 'webm',
  'audio/mpeg': 'mp3',
  'audio/mp4': 'm4a',
  'audio/wav': 'wav',
}

export interface SmilIndex {
  readonly hash: string
  readonly text: string
  /** Distinct keys of the files in the index. */
  readonly media: readonly string[]
  /** Time of rendering in milliseconds. */
  readonly at: number
}

interface DayPlan {
  /** Local day of the set. */
  readonly day: string
  readonly sequences: Promise<readonly SmilSequence[]>
  /** Rendered indexes by size, such as `1920×1080`. */
  readonly indexBySize: Map<string, Promise<SmilIndex>>
}

const planByManifest = new WeakMap<RenderedManifest, DayPlan>()

/**
 * Returns the SMIL index of a set for screens of one size. The plan is computed in slices, once per local day and after
 * each change of the manifest. Concurrent requests wait for the same rendering.
 */
export function renderSmilIndex(
  set: ManifestSet,
  manifest: RenderedManifest,
  now: number,
  size: ScreenSize = FULL_HD,
): Promise<SmilIndex> {
  const { sequences, indexBySize } = planDay(set, manifest, now)
  const key = `${size.width}×${size.height}`
  const known = indexBySize.get(key)
  if (known) return known
  const index = sequences.then((planned) => renderIndex(planned, set, { size, at: now }))
  indexBySize.set(key, index)
  index.catch(() => planByManifest.delete(manifest))
  return index
}

/** Returns the plan of the present local day. Indexes of all sizes share its sequences. */
function planDay({ zone }: ManifestSet, manifest: RenderedManifest, now: number): DayPlan {
  const day = formatLocalDay(now, zone)
  const known = planByManifest.get(manifest)
  if (known?.day === day) return known
  const plan = { day, sequences: computeSmilSchedule(manifest.schedule, now), indexBySize: new Map() }
  planByManifest.set(manifest, plan)
  return plan
}

/** Returns the SMIL index with the addresses of one screen. `base` must not contain special characters of XML. */
export const formatSmilIndex = ({ text }: SmilIndex, base: string) => text.replaceAll(BASE, base)

export const computeSmilEtag = ({ hash: of }: SmilIndex, base: string) => hash('sha256', `${of} ${base}`)

interface Rendering {
  readonly size: ScreenSize
  /** Time of rendering in milliseconds. */
  readonly at: number
}

function renderIndex(planned: readonly SmilSequence[], { zone, volume }: ManifestSet, { size, at }: Rendering) {
  const wallclock = (instant: number) => `wallclock(${formatLocalTime(instant, zone).replace(' ', 'T')})`
  const media = new Set<string>()
  const sequences = planned.map(({ start, end, repeats, slots }) => {
    const repeat = repeats ? ' repeatCount="indefinite"' : ''
    const elements = slots.map((slot) => elementOf(slot, { size, volume, media })).join('')
    return `<seq begin="${wallclock(start)}" end="${wallclock(end)}"${repeat}>\n${elements}</seq>\n`
  })
  const text = formatDocument(size, sequences)
  return { text, hash: hash('sha256', text), media: [...media], at }
}

const formatDocument = ({ width, height }: ScreenSize, sequences: readonly string[]) =>
  `<?xml version="1.0" encoding="UTF-8"?>
<smil xmlns="http://www.w3.org/ns/SMIL" version="3.0">
<head>
<meta http-equiv="Refresh" content="${REFRESH_SECONDS}"/>
<metadata><x-server xmlns="http://schemas.adfotain.org/adapi-1.0"><subscriptionList><subscription>
<type>PlaylogCollection</type><action>${BASE}log</action><method>put</method><refreshInterval>${LOG_SECONDS}</refreshInterval>
</subscription></subscriptionList></x-server></metadata>
<layout><root-layout width="${width}" height="${height}" backgroundColor="#000000"/><region regionName="main" left="0" top="0" width="100%" height="100%"/></layout>
</head>
<body><par>
${sequences.join('')}</par></body>
</smil>
`

interface ElementFacts {
  readonly size: ScreenSize
  /** Percent. */
  readonly volume: number
  /** Receives the key of each file in the index. */
  readonly media: Set<string>
}

/** Returns the media element of a play; empty for an ad that SMIL players cannot show. */
function elementOf({ program, item, ad, ms, hold }: PlannedSlot, { size, volume, media }: ElementFacts): string {
  if (!program || !item || !ad) return ''
  const medium = mediaOf(ad, size)
  if (!medium) return ''
  const id = [program.id, program.verNo, item.id, ad.id, ad.verNo].join(':')
  // A hold is no play, so the player must not log its element.
  const log = hold ? '' : `<param name="logContentId" value="${id}"/>`
  const params = `${log}<param name="cacheControl" value="onlyIfCached"/>`
  const [tag, source, type] = medium
  media.add(toMediaKey(source))
  // IAdea and garlic-player read the volume of the media element, not of the region.
  const sound = tag === 'video' || tag === 'audio' ? ` soundLevel="${volume}%"` : ''
  const play = `${type} region="main" dur="${ms / 1000}s" fit="meet"${sound}`
  return `<${tag} src="${BASE}m/${source}"${play}>${params}</${tag}>\n`
}

function mediaOf(ad: ManifestAd, size: ScreenSize): readonly [tag: string, source: string, type: string] | undefined {
  const widget = ' type="application/widget"'
  if (ad.type === AD_TYPE.text) return ['ref', textWidgetName(ad), widget]
  const file = chooseRendition(ad, { ...size, mayPlay })
  if (!file || ad.type === AD_TYPE.web) return undefined
  if (ad.type === AD_TYPE.package) return ['ref', `${file.sha256}.wgt`, widget]
  const tag = { [AD_TYPE.image]: 'img', [AD_TYPE.video]: 'video', [AD_TYPE.audio]: 'audio' }[ad.type]
  return [tag, mediaName(file), '']
}

const textWidgetName = ({ id, verNo }: ManifestAd) => `text-${id}-${verNo}.wgt`

/**
 * Returns the key that identifies a file in `ad_screens.smil_media` and `held_media`: the first 16 digits of the sha256,
 * or the name of a text widget without its extension.
 */
export const toMediaKey = (source: string) => SHA256_NAME.exec(source)?.[1] ?? source.replace(/\.wgt$/, '')

/**
 * Returns the key of the file that a SMIL player of this size plays for an ad; undefined when the player skips the ad.
 */
export function findMediaKey(ad: ManifestAd, size: ScreenSize): string | undefined {
  const medium = mediaOf(ad, size)
  return medium && toMediaKey(medium[1])
}

/** Name of a file in the addresses of SMIL players, which take the kind of content from the extension. */
export const mediaName = ({ sha256, mime }: ManifestFile) => `${sha256}.${EXTENSION[mime] ?? 'bin'}`

/**
 * Returns the sequences for 2 to 14 days, beginning with the segment that contains `from`. A gap between sequences
 * shows the idle picture.
 */
const computeSmilSchedule = async (manifest: Manifest, from: number): Promise<SmilSequence[]> =>
  (await runInSlices(iterateSmilPlan(manifest, from))).sequences
    .map((sequence) => ({ ...sequence, slots: joinHolds(sequence.slots) }))
    .filter(({ slots }) => slots.length > 0)

/**
 * Adds each hold to the slot before the hold. During a hold the screen keeps its content and nothing else plays. A hold
 * at the beginning stays: it continues the content from before the sequence.
 */
function joinHolds(slots: readonly PlannedSlot[]): PlannedSlot[] {
  const joined: PlannedSlot[] = []
  for (const slot of slots) {
    const before = joined.at(-1)
    if (!slot.hold || !before) joined.push(slot)
    else joined[joined.length - 1] = { ...before, ms: before.ms + slot.ms }
  }
  return joined
}
