import { AD_TYPE, type ManifestAd, type ManifestFile } from '@oms/contract/advertise/engine/manifest.ts'
import { createElement } from '../pages/dom.ts'
import type { Content, ContentHost } from './content.ts'
import { TimedMedia } from './timed-media.ts'

/** Shows an image, a video or a sound from an object URL, which is revoked at the end. */
export function createMediaContent(host: ContentHost, { type }: ManifestAd, file: ManifestFile): Content {
  if (type === AD_TYPE.image) return imageContent(host, file)
  if (type === AD_TYPE.video) return new TimedMedia(host, file, document.createElement('video'))
  const sound = document.createElement('audio')
  const picture = createElement('div', 'content content-audio', createElement('div', 'content-audio-mark'), sound)
  return new TimedMedia(host, file, sound, picture)
}

function imageContent(host: ContentHost, file: ManifestFile): Content {
  const image = createElement('img', 'content')
  image.alt = ''
  let url = ''
  const load = async () => {
    url = URL.createObjectURL(await host.read(file))
    image.src = url
    await image.decode()
  }
  return {
    element: image,
    ready: load(),
    start: () => {},
    stop: () => URL.revokeObjectURL(url),
    onFail: () => {},
  }
}
