import { hash } from 'node:crypto'
import { AD_TYPE, type ManifestAd, type ManifestFile } from '@oms/contract/ad-engine/manifest.ts'
import type { PlannedSlot } from '@oms/contract/ad-engine/playing.ts'
import { chooseRendition } from '@oms/contract/ad-engine/renditions.ts'
import { formatLocalDay, formatLocalTime } from '#core/time/zone.ts'
import type { ManifestSet, RenderedManifest } from '../manifests/manifest-set.ts'
import { computeSmilSchedule } from './smil-schedule.ts'

/** Interval between two requests of the SMIL index in seconds. Players refuse a shorter interval. */
const REFRESH_SECONDS = 60
const LOG_SECONDS = 300
/** Placeholder for the address of the screen in a rendered index. */
const BASE = '{base}'
/** Screen for which renditions are chosen, because SMIL players do not report their size and codecs. */
const SCREEN = { width: 1920, height: 1080, mayPlay: () => true }

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
  /** Time of rendering in milliseconds. */
  readonly at: number
}

const kept = new WeakMap<RenderedManifest, { readonly day: string; readonly index: Promise<SmilIndex> }>()

/**
 * Returns the SMIL index of a set. Renders the index once per local day and after each change of the manifest, in
 * slices. Concurrent requests wait for the same rendering.
 */
export function renderSmilIndex({ zone }: ManifestSet, manifest: RenderedManifest, now: number): Promise<SmilIndex> {
  const day = formatLocalDay(now, zone)
  const known = kept.get(manifest)
  if (known?.day === day) return known.index
  const index = renderIndex(manifest, zone, now).then((text) => ({ text, hash: hash('sha256', text), at: now }))
  kept.set(manifest, { day, index })
  index.catch(() => kept.delete(manifest))
  return index
}

/** Returns the SMIL index with the addresses of one screen. `base` must not contain special characters of XML. */
export const formatSmilIndex = ({ text }: SmilIndex, base: string) => text.replaceAll(BASE, base)

export const computeSmilEtag = ({ hash: of }: SmilIndex, base: string) => hash('sha256', `${of} ${base}`)

async function renderIndex({ schedule }: RenderedManifest, zone: string, now: number): Promise<string> {
  const wallclock = (at: number) => `wallclock(${formatLocalTime(at, zone).replace(' ', 'T')})`
  const sequences = (await computeSmilSchedule(schedule, now)).map(({ start, end, repeats, slots }) => {
    const repeat = repeats ? ' repeatCount="indefinite"' : ''
    const media = slots.map(elementOf).join('')
    return `<seq begin="${wallclock(start)}" end="${wallclock(end)}"${repeat}>\n${media}</seq>\n`
  })
  return `<?xml version="1.0" encoding="UTF-8"?>
<smil xmlns="http://www.w3.org/ns/SMIL" version="3.0">
<head>
<meta http-equiv="Refresh" content="${REFRESH_SECONDS}"/>
<metadata><x-server xmlns="http://schemas.adfotain.org/adapi-1.0"><subscriptionList><subscription>
<type>PlaylogCollection</type><action>${BASE}log</action><method>put</method><refreshInterval>${LOG_SECONDS}</refreshInterval>
</subscription></subscriptionList></x-server></metadata>
<layout><root-layout width="1920" height="1080" backgroundColor="#000000"/><region regionName="main" left="0" top="0" width="100%" height="100%"/></layout>
</head>
<body><par>
${sequences.join('')}</par></body>
</smil>
`
}

/** Returns the media element of a play; empty for an ad that SMIL players cannot show. */
function elementOf({ program, item, ad, ms, hold }: PlannedSlot): string {
  if (!program || !item || !ad) return ''
  const media = mediaOf(ad)
  if (!media) return ''
  const id = [program.id, program.verNo, item.id, ad.id, ad.verNo].join(':')
  // A hold is no play, so the player must not log its element.
  const log = hold ? '' : `<param name="logContentId" value="${id}"/>`
  const params = `${log}<param name="cacheControl" value="onlyIfCached"/>`
  const [tag, source, type] = media
  return `<${tag} src="${BASE}m/${source}"${type} region="main" dur="${ms / 1000}s" fit="meet">${params}</${tag}>\n`
}

function mediaOf(ad: ManifestAd): readonly [tag: string, source: string, type: string] | undefined {
  const widget = ' type="application/widget"'
  if (ad.type === AD_TYPE.text) return ['ref', textWidgetName(ad), widget]
  const file = chooseRendition(ad, SCREEN)
  if (!file || ad.type === AD_TYPE.web) return undefined
  if (ad.type === AD_TYPE.package) return ['ref', `${file.sha256}.wgt`, widget]
  const tag = { [AD_TYPE.image]: 'img', [AD_TYPE.video]: 'video', [AD_TYPE.audio]: 'audio' }[ad.type]
  return [tag, mediaName(file), '']
}

const textWidgetName = ({ id, verNo }: ManifestAd) => `text-${id}-${verNo}.wgt`

/** Name of a file in the addresses of SMIL players, which take the kind of content from the extension. */
export const mediaName = ({ sha256, mime }: ManifestFile) => `${sha256}.${EXTENSION[mime] ?? 'bin'}`
