import { join } from 'node:path'
import type { ManifestAd } from '@oms/contract/advertise/engine/manifest.ts'
import { median, print, remark } from './report.ts'

const SCREENS = 100_000
const PROGRAMS = 20
const ROUNDS = 9
const KNOWN = 1000
const source = (path: string) => import(join(import.meta.dirname, '../../apps/server/src/modules/advertise', path))

const adOf = (id: number): ManifestAd => {
  const sha256 = String(id).padStart(64, '0')
  const file = {
    materialId: id,
    sha256,
    size: 2_000_000,
    mime: 'image/png',
    width: 1920,
    height: 1080,
    codec: '',
    chunks: [sha256],
  }
  const dates = { validFrom: null, validTo: null, approvalUntil: null }
  return { id, verNo: 1, name: `A${id}`, type: 1, ...dates, linkUrl: null, text: null, files: [file] }
}
const programOf = (id: number) => {
  const limits = { weight: 1, maxPlaysPerHour: 0, from: null, to: null, transition: 0 as const }
  const items = Array.from({ length: 12 }, (_, at) => ({
    id: at + 1,
    adId: 1 + ((id * 7 + at) % 100),
    ms: 15_000,
    ...limits,
  }))
  const rule = { playMode: 1, priority: 0, insertMode: 0, share: null, fallback: 0 } as const
  const days = { dateFrom: '2020-01-01', dateTo: '2099-12-31', weekdays: 127, dayParts: [] }
  return { id, verNo: 1, name: `P${id}`, publishedAt: 1, ...rule, ...days, items }
}

/** Measures the manifest and the SMIL index of a known set against their first rendering, and the columns by screen. */
export async function renderings() {
  const { ManifestSets, renderManifest } = (await source(
    'manifests/manifest.ts',
  )) as typeof import('../../apps/server/src/modules/advertise/manifests/manifest.ts')
  const { renderSmilIndex } = (await source(
    'wire/smil/smil-index.ts',
  )) as typeof import('../../apps/server/src/modules/advertise/wire/smil/smil-index.ts')
  const { InMemoryScreenTable } = (await source(
    'screens/screen-table.ts',
  )) as typeof import('../../apps/server/src/modules/advertise/screens/screen-table.ts')
  const programs = new Map(
    Array.from({ length: PROGRAMS }, (_, at) => [at + 1, programOf(at + 1)] as const).map(([id, body]) => [
      id,
      { id, body, json: JSON.stringify(body) },
    ]),
  )
  const ads = new Map(
    Array.from({ length: 100 }, (_, at) => adOf(at + 1)).map((body) => [
      body.id,
      { body, json: JSON.stringify(body), fileMs: undefined },
    ]),
  )
  const set = new ManifestSets('Asia/Shanghai', 100).of('Asia/Shanghai', 100, [...programs.keys()])
  const now = Date.now()
  const first = { manifest: [] as number[], smil: [] as number[] }
  const known = { manifest: [] as number[], smil: [] as number[] }
  const msOf = async (work: () => unknown) => {
    const from = performance.now()
    await work()
    return performance.now() - from
  }
  const perCall = async (work: () => unknown) =>
    (await msOf(() => Promise.all(Array.from({ length: KNOWN }, work)))) / KNOWN
  for (let round = 0; round < ROUNDS; round++) {
    set.rendered = undefined
    const manifestOf = () => (set.rendered ??= renderManifest(set, { programs, ads, download: {} }))
    first.manifest.push(await msOf(manifestOf))
    known.manifest.push(await perCall(manifestOf))
    const indexOf = () => renderSmilIndex(set, manifestOf(), now)
    first.smil.push(await msOf(indexOf))
    known.smil.push(await perCall(indexOf))
  }
  for (const kind of ['manifest', 'smil'] as const) {
    const [fresh, kept] = [median(first[kind]), median(known[kind])]
    remark(`${kind} of ${PROGRAMS} programs: first ${fresh.toFixed(2)} ms, known ${(kept * 1000).toFixed(2)} µs`)
    print({
      name: `${kind} of a known set ÷ first rendering`,
      value: kept / fresh,
      unit: '×',
      bar: 0.02,
      better: 'less',
    })
  }
  const table = new InMemoryScreenTable()
  table.reserve(SCREENS)
  print({ name: 'columns of a screen', value: table.bytes / SCREENS, unit: 'bytes', bar: 8, better: 'less' })
}
