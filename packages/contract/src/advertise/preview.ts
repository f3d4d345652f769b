import type { Manifest, ManifestAd } from './engine/manifest.ts'

/** Page that plays a manifest in a frame of the console, with the engine and the contents of the web player. */
export const PREVIEW_PAGE_PATH = '/player/preview.html'

/** Message of the preview to the embedding page: the preview is ready for messages. */
export interface PreviewReady {
  readonly type: 'ad-preview:ready'
}

/**
 * Message of the page to the preview: the manifest to play. A later message replaces the earlier one. `Content` is
 * `Blob` in a browser; this package has no browser types.
 */
export interface PreviewShow<Content = never> {
  readonly type: 'ad-preview:show'
  readonly manifest: Manifest
  /** Address of each file on this server, or its content, by sha256. */
  readonly files: Readonly<Record<string, string | Content>>
  /** Signed query string of `/player/pkg/{sha256}/` for each HTML package, by sha256. */
  readonly packages?: Readonly<Record<string, string>>
  /** First instant; absent: now. */
  readonly at?: number
  readonly orientation?: 'landscape' | 'portrait'
}

/**
 * Message of the page to the preview: new signed query strings for the URLs of the packages, because signatures expire.
 */
export interface PreviewPackages {
  readonly type: 'ad-preview:packages'
  readonly packages: Readonly<Record<string, string>>
}

/** Message of the preview to the page: the content that is shown. */
export interface PreviewPlaying {
  readonly type: 'ad-preview:playing'
  readonly at: number
  /** All three are null while the idle picture is shown. */
  readonly programId: number | null
  readonly itemId: number | null
  readonly adId: number | null
  /** Set when the ad failed: `codec`, `decode`, `stall` and others. */
  readonly error?: string
}

export type PreviewMessage = PreviewReady | PreviewPlaying

/** Returns a manifest that plays these ads in turn, to preview ads without a program. */
export function buildAdPreview(
  ads: readonly { readonly ad: ManifestAd; readonly ms: number }[],
  zone: string,
): Manifest {
  const items = ads.map(({ ad, ms }, index) => ({
    id: index + 1,
    adId: ad.id,
    ms,
    weight: 1,
    maxPlaysPerHour: 0,
    from: null,
    to: null,
    transition: 0 as const,
  }))
  const program = {
    id: 1,
    verNo: 1,
    name: '预览',
    publishedAt: 0,
    playMode: 1 as const,
    priority: 0,
    insertMode: 0 as const,
    share: null,
    dateFrom: '2000-01-01',
    dateTo: '2999-12-31',
    weekdays: 127,
    dayParts: [],
    fallback: 0 as const,
    items,
  }
  const always = { validFrom: null, validTo: null, approvalUntil: null }
  return { format: 1, zone, programs: [program], ads: ads.map(({ ad }) => ({ ...ad, ...always })) }
}
