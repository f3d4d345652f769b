import { AudioOutlined, FileZipOutlined, FontSizeOutlined, GlobalOutlined, PictureOutlined } from '@ant-design/icons'
import { AD_TYPE } from '@oms/contract/advertise/engine/manifest.ts'
import type { ComponentType } from 'react'
import '../advertise.css'
import { VideoCard } from './video-card.tsx'

const ICONS: Readonly<Record<number, ComponentType>> = {
  1: PictureOutlined,
  3: AudioOutlined,
  4: FontSizeOutlined,
  5: GlobalOutlined,
  6: FileZipOutlined,
}

interface Props {
  readonly ad: { readonly adName: string; readonly adType: number; readonly codec: string; readonly thumbUrl: string }
}

/** Shows the thumbnail of an ad. Without a thumbnail, shows a card for a video and the icon of the type for other ads. */
export function AdThumb({ ad: { adName, adType, codec, thumbUrl: url } }: Props) {
  const Icon = ICONS[adType] ?? PictureOutlined
  if (!url && adType === AD_TYPE.video)
    return (
      <span className="ad-picture">
        <VideoCard name={adName} codec={codec} />
      </span>
    )
  return (
    <span className="ad-picture" aria-hidden>
      {url ? <img src={url} alt="" loading="lazy" draggable={false} /> : <Icon />}
    </span>
  )
}
