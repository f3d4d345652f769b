import { AD_TYPE, type ManifestAd, type ManifestFile } from '@oms/contract/advertise/engine/manifest.ts'
import { createElement } from '../pages/dom.ts'
import { createHtmlPackageContent, createWebContent } from './frames.ts'
import { createMediaContent } from './media.ts'
import { createTextContent } from './text.ts'

/** An ad on a layer of the stage. */
export interface Content {
  readonly element: HTMLElement
  /** Resolves when the content can be shown without delay. */
  readonly ready: Promise<void>
  /** Starts playing at an offset from the beginning of the ad. */
  start(offsetMs: number): void
  /** Ends playing and frees the memory. */
  stop(): void
  /** Called at most once, when the content fails or stalls after its start. */
  onFail: (error: string) => void
}

/** Functions of the player that contents use. */
export interface ContentHost {
  /** Playback rate; above 1 only in the preview. */
  rate(): number
  /** 0 to 1. */
  volume(): number
  read(file: ManifestFile): Promise<Blob>
  /** Query string for the address of a package; used in the preview only. */
  packageSearch(file: ManifestFile): string
  /** Called when the browser refuses sound. */
  onMuted(): void
}

/** Creates the content of an ad. `file` is the chosen rendition of ads that need one. */
export function createContent(host: ContentHost, ad: ManifestAd, file: ManifestFile | undefined): Content {
  if (ad.type === AD_TYPE.text && ad.text) return createTextContent(host, ad.text)
  if (ad.type === AD_TYPE.web && ad.linkUrl !== null) return createWebContent(ad.linkUrl)
  if (!file) return failedContent('file')
  if (ad.type === AD_TYPE.package) return createHtmlPackageContent(file, host.packageSearch(file))
  return createMediaContent(host, ad, file)
}

const failedContent = (error: string): Content => ({
  element: createElement('div'),
  ready: Promise.reject(new Error(error)),
  start: () => {},
  stop: () => {},
  onFail: () => {},
})
