import { AD_TYPE, type ManifestAd, type ManifestFile } from '@oms/contract/advertise/engine/manifest.ts'
import { beforeEach, vi } from 'vitest'
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

/** Replaces timers and the window before each test, and returns the factory of screens. */
export function useScreens() {
  beforeEach(() => {
    vi.useFakeTimers()
    vi.stubGlobal('window', globalThis)
  })
  return { createScreen }
}

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
  readonly isLate?: boolean
  /** Hashes of the files by the ids of the ads; undefined for a disabled ad. */
  readonly ads: Readonly<Record<number, string | undefined>>
}
/** Programs that play all day, or in the second half of the day with `isLate`, or in the first with `isLate` false. */
export function planOf(...programs: Planned[]) {
  const base = manifestOf('x')
  return {
    ...base,
    programs: programs.map(({ ads, isLate, ...fields }) => {
      const [item] = base.programs[0]!.items
      const [start, end] = isLate ? ['12:00', '24:00'] : ['00:00', '12:00']
      return {
        ...base.programs[0]!,
        ...fields,
        dayParts: isLate === undefined ? [] : [{ start, end }],
        items: Object.keys(ads).map((adId) => ({ ...item!, adId: Number(adId) })),
      }
    }),
    ads: programs.flatMap(({ ads }) =>
      Object.entries(ads).flatMap(([adId, hash]) => (hash === undefined ? [] : [picture(Number(adId), hash)])),
    ),
  } as PlayerManifest
}

/** A screen whose server sends the given manifests, with these stored and failed files. */
function createScreen() {
  const stored = new Set<string>()
  const failed = new Set<string>()
  const now = { ms: NOW }
  /** ETags that the screen sent. */
  const requests: (string | undefined)[] = []
  let sent: PlayerManifest | undefined = manifestOf()
  /** True while the device is disabled or the screen is unpaired. */
  const server = { refuses: false }
  const api = {
    call: async (_path: string, { headers = {} }: { headers?: Record<string, string> }) => {
      requests.push(headers['if-none-match'])
      if (!sent) throw new TypeError('no network')
      if (server.refuses) return { status: 401, headers: new Headers(), body: new ArrayBuffer(0) }
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
  return { sync, requests, now, server, stored, failed, take, takePlan, swap }
}
