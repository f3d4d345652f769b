import type { ManifestFile } from '@oms/contract/advertise/engine/manifest.ts'
import { readHost, findWebAddressProblem } from '@oms/contract/advertise/web-address.ts'
import { createElement } from '../pages/dom.ts'
import type { Content } from './content.ts'

/** Longest wait for a page. A page that is still loading after this time is shown as far as it has loaded. */
const LOAD_MS = 2_500

function frameContent(frame: HTMLIFrameElement, src: string): Content {
  frame.className = 'content content-frame'
  frame.referrerPolicy = 'no-referrer'
  frame.setAttribute('allow', 'autoplay')
  frame.tabIndex = -1
  frame.src = src
  const ready = new Promise<void>((done) => {
    frame.onload = () => done()
    setTimeout(done, LOAD_MS)
  })
  // A frame that is only hidden continues to play sound, so it is removed.
  return { element: frame, ready, start: () => {}, stop: () => frame.remove(), onFail: () => {} }
}

/** Returns true for a public address of another host: a page of this host could read the player's storage. */
export const isAllowedAddress = (address: string | null): address is string =>
  address !== null && findWebAddressProblem(address) === undefined && readHost(address) !== readHost(location.href)

export function createWebContent(address: string): Content {
  const frame = createElement('iframe')
  frame.setAttribute('sandbox', 'allow-scripts allow-same-origin')
  return frameContent(frame, isAllowedAddress(address) ? address : 'about:blank')
}

/**
 * Shows an HTML package. The policy in the response isolates the package. The frame has no attribute `sandbox`, because
 * such a frame bypasses the service worker.
 */
export function createHtmlPackageContent({ sha256 }: ManifestFile, search: string): Content {
  return frameContent(createElement('iframe'), `/player/package.html#${sha256}${search}`)
}
