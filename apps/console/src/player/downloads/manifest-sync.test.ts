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

/** A screen whose server sends the given manifests, with these stored and failed files. */
function screen() {
  const stored = new Set<string>()
  const failed = new Set<string>()
  let sent = manifestOf()
  const api = {
    call: async () => ({
      status: 200,
      headers: new Headers({ etag: sent.ads.map(({ files }) => files[0]!.sha256).join() }),
      body: new TextEncoder().encode(JSON.stringify(sent)).buffer,
    }),
  } as unknown as Api
  const stateOf = ({ ads }: PlayerManifest, assumesFiles: boolean) => ({
    filesNotReady: ads.filter(({ files }) => !assumesFiles && !stored.has(files[0]!.sha256)).map(({ id }) => id),
  })
  const shownMs = (manifest: PlayerManifest, to: number, assumesFiles: boolean) =>
    computeShownMs(manifest, NOW, to, stateOf(manifest, assumesFiles))
  const sync = new ManifestSync(api, { sn: 'S', token: 't' } as never, { now: () => NOW } as PlayerClock, {
    filesOf: (manifest, ids) => manifest.ads.filter(({ id }) => [...ids].includes(id)).flatMap(({ files }) => files),
    isStored: ({ sha256 }) => stored.has(sha256),
    hasFailed: ({ sha256 }) => failed.has(sha256),
    isPlayable: (manifest) => shownMs(manifest, NOW + 1000, false) > 0,
    shownMs,
    onChange: () => undefined,
    onPolled: () => undefined,
  })
  const take = async (...hashes: string[]) => {
    sent = manifestOf(...hashes)
    await sync.poll()
    return sync.appliedEtag
  }
  const swap = () => {
    sync.swap()
    return sync.appliedEtag
  }
  return { stored, failed, take, swap }
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
