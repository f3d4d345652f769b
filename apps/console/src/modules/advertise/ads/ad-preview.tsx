import { AD_TYPE, type ManifestAd } from '@oms/contract/advertise/engine/manifest.ts'
import { type AdDetail, type AdMaterial, ads } from '@oms/contract/advertise/ad.ts'
import { type PreviewShow, buildAdPreview } from '@oms/contract/advertise/preview.ts'
import { useCallback } from 'react'
import { call, buildSessionHeaders } from '#core/api/client.ts'
import { PreviewFrame } from '../preview-frame.tsx'

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
