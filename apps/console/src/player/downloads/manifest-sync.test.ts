import { AD_TYPE, type ManifestAd, type ManifestFile } from '@oms/contract/ad-engine/manifest.ts'
import { beforeEach, expect, test, vi } from 'vitest'
import type { Api } from '../api.ts'
import type { PlayerClock } from '../clock.ts'
import type { PlayerManifest } from '../wire.ts'
import { ManifestSync } from './manifest-sync.ts'
import { computeShownMs } from './shown-time.ts'

vi.mock('../database.ts', () => ({
  readSetting: async () => undefined,
  writeSetting: async () => undefined,
  removeSetting: async () => undefined,
}))
beforeEach(() => {
  vi.useFakeTimers()
  vi.stubGlobal('window', globalThis)
})

const NOW = Date.parse('2026-11-26T04:00:00Z')
const file = (sha256: string): ManifestFile => ({
  materialId: 1,
  sha256,
  size: 10,
  mime: 'image/png',
  width: 1920,
  height: 1080,
  codec: '',
  chunks: ['c'],
})
const picture = (id: number, sha256: string): ManifestAd => ({
  id,
  verNo: 1,
  name: `广告${id}`,
  type: AD_TYPE.image,
  validFrom: null,
  validTo: null,
  approvalUntil: null,
  linkUrl: null,
  text: null,
  files: [file(sha256)],
})
/** A program that plays pictures with these files all day. */
const manifestOf = (...hashes: string[]) =>
  ({
    format: 1,
    zone: 'Asia/Shanghai',
    programs: [
      {
        id: 1,
        verNo: 1,
        name: '节目',
        publishedAt: 1,
        playMode: 1,
        priority: 0,
        insertMode: 0,
        share: null,
        dateFrom: '2026-01-01',
        dateTo: '2026-12-31',
        weekdays: 127,
        dayParts: [],
        fallback: 0,
        items: hashes.map((_, at) => ({
          id: at + 1,
          adId: at + 1,
          ms: 10_000,
          weight: 1,
          maxPlaysPerHour: 0,
          from: null,
          to: null,
          transition: 0,
        })),
      },
    ],
    ads: hashes.map((hash, at) => picture(at + 1, hash)),
  }) as unknown as PlayerManifest

interface Planned {
  readonly id: number
  readonly verNo?: number
  readonly insertMode?: number
  /** Hashes of the files by the ids of the ads; undefined for a disabled ad. */
  readonly ads: Readonly<Record<number, string | undefined>>
}
/** Programs that play all day. */
function planOf(...programs: Planned[]) {
  const base = manifestOf('x')
  return {
    ...base,
    programs: programs.map(({ ads, ...fields }) => {
      const [item] = base.programs[0]!.items
      return {
        ...base.programs[0]!,
        ...fields,
        items: Object.keys(ads).map((adId) => ({ ...item!, adId: Number(adId) })),
      }
    }),
    ads: programs.flatMap(({ ads }) =>
      Object.entries(ads).flatMap(([adId, hash]) => (hash === undefined ? [] : [picture(Number(adId), hash)])),
    ),
  } as PlayerManifest
}

/** A screen whose server sends the given manifests, with these stored and failed files. */
function screen() {
  const stored = new Set<string>()
  const failed = new Set<string>()
  const now = { ms: NOW }
  let sent: PlayerManifest | undefined = manifestOf()
  const api = {
    call: async () => {
      if (!sent) throw new TypeError('no network')
      return {
        status: 200,
        headers: new Headers({ etag: sent.ads.map(({ files }) => files[0]!.sha256).join() }),
        body: new TextEncoder().encode(JSON.stringify(sent)).buffer,
      }
    },
  } as unknown as Api
  const stateOf = ({ ads }: PlayerManifest, assumesFiles: boolean) => ({
    filesNotReady: ads.filter(({ files }) => !assumesFiles && !stored.has(files[0]!.sha256)).map(({ id }) => id),
  })
  const shownMs = (manifest: PlayerManifest, to: number, assumesFiles: boolean) =>
    computeShownMs(manifest, now.ms, to, stateOf(manifest, assumesFiles))
  const sync = new ManifestSync(api, { sn: 'S', token: 't' } as never, { now: () => now.ms } as PlayerClock, {
    filesOf: (manifest, ids) => manifest.ads.filter(({ id }) => [...ids].includes(id)).flatMap(({ files }) => files),
    isStored: ({ sha256 }) => stored.has(sha256),
    hasFailed: ({ sha256 }) => failed.has(sha256),
    isPlayable: (manifest) => shownMs(manifest, now.ms + 1000, false) > 0,
    shownMs,
    onChange: () => undefined,
    onPolled: () => undefined,
  })
  const takePlan = async (plan: PlayerManifest | undefined) => {
    sent = plan
    await sync.poll()
    return sync.appliedEtag
  }
  const take = (...hashes: string[]) => takePlan(manifestOf(...hashes))
  const swap = () => {
    sync.swap()
    return sync.appliedEtag
  }
  return { sync, now, stored, failed, take, takePlan, swap }
}

test('AD-07 the old manifest goes on while no file of the new one can be stored', async () => {
  const { stored, failed, take, swap } = screen()
  stored.add('old')
  expect(await take('old')).toBe('old')
  expect(await take('new1', 'new2')).toBe('old')
  for (const each of ['new1', 'new2']) failed.add(each)
  expect(swap()).toBe('old')
  stored.add('new1').add('new2')
  expect(swap()).toBe('new1,new2')
})

test('AD-07 a new manifest with one failed file takes over when its other ads fill the time', async () => {
  const { stored, failed, take, swap } = screen()
  stored.add('old')
  await take('old')
  await take('new1', 'broken')
  failed.add('broken')
  expect(swap()).toBe('old')
  stored.add('new1')
  expect(swap()).toBe('new1,broken')
})

test('AD-07 a manifest without programs takes over at once: a withdrawn program ends', async () => {
  const { stored, take } = screen()
  stored.add('old')
  await take('old')
  expect(await take()).toBe('')
})

test('AD-07 a withdrawn program ends while another program waits for a failed file', async () => {
  const { sync, stored, failed, takePlan, swap } = screen()
  stored.add('a').add('b')
  await takePlan(planOf({ id: 1, ads: { 1: 'a' } }, { id: 2, ads: { 2: 'b' } }))
  await takePlan(planOf({ id: 2, verNo: 2, ads: { 2: 'broken' } }))
  expect(sync.manifest?.programs.map(({ id }) => id)).toEqual([1, 2])
  failed.add('broken')
  expect(swap()).toBe('a,b')
  expect(sync.manifest?.programs.map(({ id, verNo }) => [id, verNo])).toEqual([[2, 1]])
  stored.add('broken')
  expect(swap()).toBe('broken')
})

test('AD-07 a disabled ad ends while its program waits for a failed file; a replaced ad plays on', async () => {
  const { sync, stored, failed, takePlan, swap } = screen()
  stored.add('a').add('b')
  failed.add('broken')
  await takePlan(planOf({ id: 1, ads: { 1: 'a', 2: 'b' } }))
  await takePlan(planOf({ id: 1, verNo: 2, ads: { 2: undefined, 3: 'broken' } }))
  expect(swap()).toBe('a,b')
  expect(sync.manifest?.ads.map(({ id }) => id)).toEqual([1])
})

test('AD-07 a new takeover with a stored file is not delayed by the failed file of another program', async () => {
  const { stored, failed, takePlan } = screen()
  stored.add('a')
  failed.add('broken').add('missing')
  const changed = { id: 1, verNo: 2, ads: { 1: 'broken' } }
  // The takeover fills an hour, so the new manifest shows ads shorter than the current one.
  const takeoverOf = (hash: string) => {
    const plan = planOf(changed, { id: 3, insertMode: 1, ads: { 3: hash } })
    plan.programs[1]!.dayParts = [{ start: '11:30', end: '12:30' }]
    return plan
  }
  await takePlan(planOf({ id: 1, ads: { 1: 'a' } }))
  expect(await takePlan(takeoverOf('missing'))).toBe('a')
  stored.add('news')
  expect(await takePlan(takeoverOf('news'))).toBe('broken,news')
})

test('AD-07 without a network the waiting manifest takes over when the plan of the current one ends', async () => {
  const { now, stored, failed, takePlan } = screen()
  stored.add('a')
  failed.add('broken')
  const ending = planOf({ id: 1, ads: { 1: 'a' } })
  ending.programs[0]!.dateTo = '2026-11-26'
  await takePlan(ending)
  expect(await takePlan(planOf({ id: 1, verNo: 2, ads: { 1: 'broken' } }))).toBe('a')
  now.ms += 24 * 3_600_000
  expect(await takePlan(undefined)).toBe('broken')
})
