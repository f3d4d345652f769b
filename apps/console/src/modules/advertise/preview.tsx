import {
  PREVIEW_PAGE_PATH,
  type PreviewMessage,
  type PreviewPackages,
  type PreviewShow,
  buildAdPreview,
} from '@oms/contract/advertise/preview.ts'
import { Button, Modal } from 'antd'
import { type RefObject, useEffect, useEffectEvent, useRef, useState, useCallback } from 'react'
import './advertise.css'
import { type Manifest, AD_TYPE, type ManifestAd } from '@oms/contract/advertise/engine/manifest.ts'
import { loadZone } from '@oms/contract/advertise/engine/zone.ts'
import { programOptions } from '@oms/contract/advertise/program-options.ts'
import { buildTimelineStrip } from '@oms/contract/advertise/program-strip.ts'
import { call, buildSessionHeaders } from '#core/api/client.ts'
import { type AdDetail, type AdMaterial, ads } from '@oms/contract/advertise/ad.ts'

/** Interval of renewing the signed queries of packages, which are valid for a minute. */
const RENEW_MS = 40_000

interface PreviewFrameProps {
  readonly title: string
  /** Loads the content each time the frame reports that it is ready. Other content needs a new frame. */
  readonly load: (signal: AbortSignal) => Promise<PreviewShow<Blob>>
  /** Requests new signed queries of packages. */
  readonly renew: (signal: AbortSignal) => Promise<PreviewPackages['packages']>
}

type FrameRef = RefObject<HTMLIFrameElement | null>
const send = (frame: FrameRef, message: PreviewShow<Blob> | PreviewPackages) =>
  frame.current?.contentWindow?.postMessage(message, location.origin)

/** Frame with the player of the screens. */
function PreviewFrame({ title, load, renew }: PreviewFrameProps) {
  const frame = useRef<HTMLIFrameElement>(null)
  const { error, hasPackages, retry } = useContent(frame, load)
  useRenewal(frame, hasPackages, renew)
  return (
    <div className="ad-preview">
      <iframe ref={frame} src={PREVIEW_PAGE_PATH} title={title} />
      {error && (
        <p role="alert">
          {error}
          {retry && (
            <Button type="link" size="small" onClick={retry}>
              重试
            </Button>
          )}
        </p>
      )}
    </div>
  )
}

/** Sends the content to the frame each time the frame is ready. `retry` loads the content again after a failure. */
function useContent(frame: FrameRef, load: PreviewFrameProps['load']) {
  const [error, setError] = useState('')
  const [retry, setRetry] = useState<() => void>()
  const [hasPackages, setHasPackages] = useState(false)
  // The frame reports once that it is ready, so a function that changes afterwards must not abort the load.
  const loadContent = useEffectEvent((signal: AbortSignal) => load(signal))
  useEffect(() => {
    const abort = new AbortController()
    const { signal } = abort
    const loadAndSend = async () => {
      const content = await loadContent(signal)
      send(frame, content)
      setHasPackages(Object.keys(content.packages ?? {}).length > 0)
    }
    const show = () => {
      setError('')
      setRetry(undefined)
      loadAndSend().catch(() => {
        if (signal.aborted) return
        setError('素材无法加载')
        setRetry(() => show)
      })
    }
    const onMessage = ({ origin, source, data }: MessageEvent<PreviewMessage>) => {
      if (origin !== location.origin || source !== frame.current?.contentWindow) return
      if (data.type === 'ad-preview:playing') setError(data.error ? '浏览器无法播放该素材，请下载后查看' : '')
      if (data.type === 'ad-preview:ready') show()
    }
    addEventListener('message', onMessage, { signal })
    return () => abort.abort()
  }, [frame])
  return { error, hasPackages, retry }
}

/** Renews the signed queries before they expire. A failed renewal is repeated after the same interval. */
function useRenewal(frame: FrameRef, isNeeded: boolean, renew: PreviewFrameProps['renew']) {
  useEffect(() => {
    if (!isNeeded) return undefined
    const abort = new AbortController()
    const timer = setInterval(() => {
      renew(abort.signal).then(
        (packages) => send(frame, { type: 'ad-preview:packages', packages }),
        () => {},
      )
    }, RENEW_MS)
    return () => {
      abort.abort()
      clearInterval(timer)
    }
  }, [frame, isNeeded, renew])
}

/** Number of days that are searched for the first play of the program. */
const SEARCHED_DAYS = 8

interface ProgramPreviewProps {
  readonly manifest: Manifest
  /** Program that is edited; 0: a new program. */
  readonly id: number
  onClose(): void
}

const filesOf = ({ ads }: Manifest, signal: AbortSignal) =>
  call(programOptions.files, { adIds: ads.map(({ id }) => id) }, { quiet: true, signal })
const byHash = (list: readonly { sha256: string; query: string }[]) =>
  Object.fromEntries(list.map(({ sha256, query }) => [sha256, query]))

/** Returns now while the program plays, otherwise the beginning of its next segment. */
export function findFirstPlay(manifest: Manifest, id: number, now: number): number {
  const zone = loadZone(manifest.zone)
  const program = manifest.programs.find((each) => each.id === id)
  const today = zone.dayAt(now)
  const first = program ? Math.max(today, Math.round(Date.parse(program.dateFrom) / 86_400_000)) : today
  for (let day = first; day < first + SEARCHED_DAYS; day += 1) {
    const segments = buildTimelineStrip(manifest, zone.startOf(day, 0), zone.startOf(day + 1, 0))
    const found = segments.find(({ end, programs }) => end > now && programs.some((each) => each.id === id))
    if (found) return Math.max(now, found.start)
  }
  return now
}

/** Plays the edited content of a program with the player of the screens. */
export function ProgramPreview({ manifest, id, onClose }: ProgramPreviewProps) {
  const load = useCallback(
    async (signal: AbortSignal): Promise<PreviewShow<Blob>> => {
      const { files, packages } = await filesOf(manifest, signal)
      return {
        type: 'ad-preview:show',
        manifest,
        files: Object.fromEntries(files.map(({ sha256, url }) => [sha256, url])),
        packages: byHash(packages),
        at: findFirstPlay(manifest, id, Date.now()),
      }
    },
    [manifest, id],
  )
  const renew = useCallback(
    async (signal: AbortSignal) => byHash((await filesOf(manifest, signal)).packages),
    [manifest],
  )
  return (
    <Modal open title="预览" footer={null} onCancel={onClose} width="min(960px, 100vw)" destroyOnHidden>
      <div className="ad-program-preview">
        <PreviewFrame title="预览节目单" load={load} renew={renew} />
      </div>
    </Modal>
  )
}

const READ = 1
const SECOND_MS = 1000
/** Zone of the preview. The schedule of a preview does not depend on the zone. */
const ZONE = 'Asia/Shanghai'

const fileOf = ({ sha256, size, mime, width, height, codec }: AdMaterial, index: number) => ({
  materialId: index + 1,
  sha256,
  size,
  mime,
  width,
  height,
  codec,
  chunks: [],
})

/** Returns the ad as players get it, with the content that is edited or submitted now. */
const manifestAdOf = (ad: AdDetail): ManifestAd => ({
  id: ad.id,
  verNo: ad.verNo,
  name: ad.adName,
  type: ad.adType as ManifestAd['type'],
  validFrom: null,
  validTo: null,
  approvalUntil: null,
  linkUrl: ad.linkUrl || null,
  text: ad.text,
  files: ad.materials.filter(({ probeState }) => probeState === READ).map(fileOf),
})

async function blobsOf(ad: AdDetail, signal: AbortSignal): Promise<Record<string, Blob>> {
  if (ad.adType === AD_TYPE.package) return {}
  const entries = ad.materials.map(async ({ sha256, url }) => {
    const response = await fetch(url, { headers: buildSessionHeaders(), signal })
    return response.ok ? ([[sha256, await response.blob()]] as const) : []
  })
  return Object.fromEntries((await Promise.all(entries)).flat())
}

async function packagesOf(ad: AdDetail, signal: AbortSignal): Promise<Record<string, string>> {
  if (ad.adType !== AD_TYPE.package) return {}
  const { packages } = await call(ads.preview, { id: ad.id }, { quiet: true, signal })
  return Object.fromEntries(packages.map(({ sha256, query }) => [sha256, query]))
}

/** Requests everything that the preview of an ad shows. */
async function contentOf(ad: AdDetail, signal: AbortSignal): Promise<PreviewShow<Blob>> {
  const files = await blobsOf(ad, signal)
  const packages = await packagesOf(ad, signal)
  const ms = (ad.duration || 10) * SECOND_MS
  return {
    type: 'ad-preview:show',
    manifest: buildAdPreview([{ ad: manifestAdOf(ad), ms }], ZONE),
    files,
    packages,
    orientation: ad.orientation === 2 ? 'portrait' : 'landscape',
  }
}

/** Shows the creative of an ad with the player of the screens. */
export function AdPreview({ ad }: { ad: AdDetail }) {
  const load = useCallback((signal: AbortSignal) => contentOf(ad, signal), [ad])
  const renew = useCallback((signal: AbortSignal) => packagesOf(ad, signal), [ad])
  // Another content gets a new frame, which reports again when it is ready.
  return <PreviewFrame key={`${ad.id}:${ad.rev}`} title={`预览 ${ad.adName}`} load={load} renew={renew} />
}
