import { AD_TYPE, type ManifestAd, type ManifestFile } from '@oms/contract/advertise/engine/manifest.ts'
import type { ScreenState } from '@oms/contract/advertise/engine/program.ts'
import type { PreviewShow } from '@oms/contract/advertise/preview.ts'
import { isAllowedAddress } from '../contents/frames.ts'
import type { Orientation } from './preview-bar.ts'
import { chooseRendition, needsFile } from '../downloads/renditions.ts'
import { canPlayCodec } from '../reports/screen-facts.ts'

const SIZES = { landscape: { width: 1920, height: 1080 }, portrait: { width: 1080, height: 1920 } }

/** Files of a preview, read from this server when they are needed. */
export class PreviewFiles {
  readonly #shown: PreviewShow<Blob>
  readonly #blobs = new Map<string, Promise<Blob>>()
  readonly state: ScreenState
  orientation: Orientation = 'landscape'
  /** Signed queries by sha256, as the page renews them. */
  packages: NonNullable<PreviewShow['packages']>

  constructor(shown: PreviewShow<Blob>) {
    this.#shown = shown
    this.packages = shown.packages ?? {}
    const { ads } = shown.manifest
    const isMissing = (ad: ManifestAd) => (ad.type === AD_TYPE.web ? !isAllowedAddress(ad.linkUrl) : !this.#hasFile(ad))
    this.state = {
      filesNotReady: ads.filter(isMissing).map(({ id }) => id),
      codecsUnsupported: ads.filter((ad) => needsFile(ad) && !this.fileOf(ad)).map(({ id }) => id),
    }
  }

  fileOf = (ad: ManifestAd): ManifestFile | undefined =>
    needsFile(ad) ? chooseRendition(ad, { ...SIZES[this.orientation], mayPlay: canPlayCodec }) : undefined

  #hasFile(ad: ManifestAd) {
    const { files } = this.#shown
    const file = this.fileOf(ad)
    if (!file) return true
    return ad.type === AD_TYPE.package ? this.packages[file.sha256] !== undefined : files[file.sha256] !== undefined
  }

  packageSearch = ({ sha256 }: ManifestFile) => {
    const search = this.packages[sha256] ?? ''
    return search === '' || search.startsWith('?') ? search : `?${search}`
  }

  read = (file: ManifestFile): Promise<Blob> => {
    const known = this.#blobs.get(file.sha256)
    if (known) return known
    const reading = this.#read(file)
    this.#blobs.set(file.sha256, reading)
    reading.catch(() => this.#blobs.delete(file.sha256))
    return reading
  }

  async #read({ sha256, mime }: ManifestFile): Promise<Blob> {
    const source = this.#shown.files[sha256]
    if (source === undefined) throw new Error('file')
    if (typeof source !== 'string') return source
    const response = await fetch(source, { credentials: 'same-origin' })
    if (!response.ok) throw new Error(`HTTP ${response.status}`)
    return new Blob([await response.arrayBuffer()], { type: mime })
  }
}
