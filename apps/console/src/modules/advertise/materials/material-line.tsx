import { FileOutlined, VideoCameraOutlined } from '@ant-design/icons'
import type { AdMaterial } from '@oms/contract/advertise/ad.ts'
import { Spin } from 'antd'
import type { ReactNode } from 'react'
import { useFileUrl } from '#core/api/file-url.ts'
import { findCodecWarning, formatFileFacts, formatCodec } from './material-text.ts'
import '../advertise.css'

const PENDING = 0
const UNUSABLE = 2

/** Shows a file of an ad with its thumbnail and facts, or the reason why the file cannot be used. */
export function MaterialLine({ facts, children }: { facts: AdMaterial | undefined; children?: ReactNode }) {
  const url = useFileUrl(facts?.thumbUrl)
  const isPending = facts === undefined || facts.probeState === PENDING
  const hint = facts && !isPending ? findCodecWarning(facts) : ''
  return (
    <li className="kit-row ad-material">
      {url ? (
        <img className="ad-picture" src={url} alt="" />
      ) : (
        <span className="ad-picture">{isPending ? <Spin size="small" /> : <Placeholder of={facts} />}</span>
      )}
      <div className="kit-main">
        <b className="kit-ellipsis" title={facts?.fileName}>
          {facts?.fileName ?? '素材'}
        </b>
        <small role="status">{isPending ? '正在解析…' : formatFileFacts(facts)}</small>
        {facts?.probeState === UNUSABLE && <small className="kit-problem">{facts.probeError}</small>}
        {hint && <small className="kit-warning">{hint}</small>}
      </div>
      {children && <span className="ad-material-actions">{children}</span>}
    </li>
  )
}

/** Placeholder for the missing thumbnail of a file. */
const Placeholder = ({ of: { fileName, mime, codec } }: { of: AdMaterial }) =>
  mime.startsWith('video/') ? <VideoCard name={fileName} codec={codec} /> : <FileOutlined />

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
