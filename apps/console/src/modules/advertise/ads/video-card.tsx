import { VideoCameraOutlined } from '@ant-design/icons'
import { formatCodec } from '../materials/material-text.ts'
import '../advertise.css'

interface Props {
  readonly name: string
  /** Codec as in the contract; empty: unknown. */
  readonly codec: string
}

/** Placeholder with codec and name for a video without a poster, which the uploading browser could not draw. */
export function VideoCard({ name, codec }: Props) {
  const text = codec === '' ? '视频' : formatCodec(codec)
  return (
    <span className="ad-video-card" role="img" aria-label={`${name} ${text}`} title={`${name} · ${text}`}>
      <VideoCameraOutlined />
      <small>{text}</small>
    </span>
  )
}
