import {
  AudioOutlined,
  FileZipOutlined,
  FontSizeOutlined,
  GlobalOutlined,
  PictureOutlined,
  VideoCameraOutlined,
} from '@ant-design/icons'
import type { ComponentType } from 'react'
import '../programs/program.css'

const ICONS: Readonly<Record<number, ComponentType>> = {
  1: PictureOutlined,
  2: VideoCameraOutlined,
  3: AudioOutlined,
  4: FontSizeOutlined,
  5: GlobalOutlined,
  6: FileZipOutlined,
}

/** Shows a thumbnail, or the icon of the kind of ad when `url` is empty. */
export function AdThumb({ url, type }: { url: string; type: number }) {
  const Icon = ICONS[type] ?? PictureOutlined
  return (
    <span className="ad-thumb" aria-hidden>
      {url ? <img src={url} alt="" loading="lazy" draggable={false} /> : <Icon />}
    </span>
  )
}
