import type { Manifest, ManifestAd, ManifestItem, ManifestProgram } from './manifest.ts'

/** Returns an approved picture ad. */
export const buildAd = (id: number, fields: Partial<ManifestAd> = {}): ManifestAd => ({
  id,
  verNo: 1,
  name: `广告${id}`,
  type: 1,
  validFrom: null,
  validTo: null,
  approvalUntil: null,
  linkUrl: null,
  text: null,
  files: [],
  ...fields,
})

/** Returns an item of ten seconds; the ad has the id of the item. */
export const buildItem = (id: number, fields: Partial<ManifestItem> = {}): ManifestItem => ({
  id,
  adId: id,
  ms: 10_000,
  weight: 1,
  maxPlaysPerHour: 0,
  from: null,
  to: null,
  transition: 0,
  ...fields,
})

/** Returns a program of one item that plays all day in November 2026. */
export const buildProgram = (id: number, fields: Partial<ManifestProgram> = {}): ManifestProgram => ({
  id,
  verNo: 1,
  name: `节目单${id}`,
  publishedAt: 0,
  playMode: 1,
  priority: 0,
  insertMode: 0,
  share: null,
  dateFrom: '2026-11-01',
  dateTo: '2026-11-30',
  weekdays: 127,
  dayParts: [],
  fallback: 0,
  items: [buildItem(id * 10)],
  ...fields,
})

/** Returns a manifest with the ads of all items. */
export function buildManifest(programs: ManifestProgram[], fields: Partial<Manifest> = {}): Manifest {
  const ids = new Set(programs.flatMap(({ items }) => items.map(({ adId }) => adId)))
  return { format: 1, zone: 'Asia/Shanghai', programs, ads: [...ids].map((id) => buildAd(id)), ...fields }
}

/** Returns the instant of a wall time in Shanghai, which has no summer time. */
export const parseShanghaiTime = (text: string): number => Date.parse(`${text.replace(' ', 'T')}+08:00`)
