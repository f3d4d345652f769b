import { FullscreenOutlined } from '@ant-design/icons'
import { Alert, Button } from 'antd'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { formatDateTime } from '#core/text/format.ts'
import Hls from 'hls.js/light'
import { Watermark } from './watermark.tsx'
import './playback.css'

interface PlayerProps {
  /** Address of the playlist. */
  readonly url: string
  /** True for H.265, which many browsers cannot play. */
  readonly isHevc: boolean
  /** Text over the picture that names the viewer. */
  readonly watermark: string
  /** Requests a new address after the address expired. */
  readonly onReload: () => void
  /** Reports that the server refuses the address: it has expired, or the consent was withdrawn. */
  readonly onRefused: () => void
}

const ADDRESS_EXPIRED = '播放地址已失效，请重新获取'
/**
 * Seconds that the player reads ahead. A longer buffer would still play after the consent is withdrawn or the camera
 * unbound.
 */
const AHEAD_SECONDS = 30
/** HTTP statuses of a refused play address. hls.js does not repeat such a request. */
const REFUSED: readonly (number | undefined)[] = [403, 410]
const UNPLAYABLE = '浏览器不支持播放该录像格式'
const UNPLAYABLE_HEVC = '录像为H.265编码，当前浏览器不支持播放，请换用支持H.265的浏览器或设备用户的 App'

interface PlayHandlers {
  readonly isHevc: boolean
  onTime(at: Date | null): void
  onFail(text: string): void
  onRefused(): void
}

/**
 * Attaches a playlist to a video element. Returns the function that detaches it. hls.js runs without a worker, because the
 * page's content policy permits none.
 */
function attachPlaylist(video: HTMLVideoElement, url: string, { isHevc, onTime, onFail, onRefused }: PlayHandlers) {
  const unplayable = isHevc ? UNPLAYABLE_HEVC : UNPLAYABLE
  if (!Hls.isSupported()) {
    video.src = url
    video.onerror = () => onFail(unplayable)
    return () => video.removeAttribute('src')
  }
  const hls = new Hls({ enableWorker: false, maxBufferLength: AHEAD_SECONDS, maxMaxBufferLength: AHEAD_SECONDS })
  hls.on(Hls.Events.ERROR, (_event, { fatal, type, details, response }) => {
    if (REFUSED.includes(response?.code)) {
      // Detaching the media also discards the recordings that are already buffered.
      hls.detachMedia()
      onRefused()
      onFail(ADDRESS_EXPIRED)
      return
    }
    if (details === Hls.ErrorDetails.BUFFER_ADD_CODEC_ERROR) onFail(unplayable)
    if (!fatal) return
    if (type === Hls.ErrorTypes.MEDIA_ERROR && !recovered) {
      recovered = true
      hls.recoverMediaError()
    } else onFail(type === Hls.ErrorTypes.MEDIA_ERROR ? unplayable : ADDRESS_EXPIRED)
  })
  let recovered = false
  const tick = () => onTime(hls.playingDate)
  video.addEventListener('timeupdate', tick)
  hls.loadSource(url)
  hls.attachMedia(video)
  return () => {
    video.removeEventListener('timeupdate', tick)
    hls.destroy()
  }
}

/** Plays recordings with the wall-clock time of the camera and the viewer's name over the picture. */
export function RecordingPlayer({ url, isHevc, watermark, onReload, onRefused }: PlayerProps) {
  const video = useRef<HTMLVideoElement>(null)
  const screen = useRef<HTMLDivElement>(null)
  const [at, setAt] = useState<Date | null>(null)
  const [failure, setFailure] = useState<string>()
  const refuse = useEffectEvent(onRefused)
  useEffect(() => {
    const handlers = { isHevc, onTime: setAt, onFail: setFailure, onRefused: () => refuse() }
    return video.current ? attachPlaylist(video.current, url, handlers) : undefined
  }, [url, isHevc])
  return (
    <div className="kit-stack">
      <div className="playback-screen" ref={screen}>
        {/* The video's own full screen and its separate window would show the picture without the watermark. */}
        {/* oxlint-disable-next-line jsx-a11y/media-has-caption -- recordings of cameras have no captions */}
        <video
          ref={video}
          aria-label="录像"
          controls
          autoPlay
          muted
          playsInline
          disablePictureInPicture
          disableRemotePlayback
          controlsList="nodownload nofullscreen noremoteplayback"
        />
        <Watermark text={watermark} />
      </div>
      <div className="kit-row kit-apart">
        <p className="kit-muted" role="status">
          {at ? `录像时间 ${formatDateTime(at)}` : '正在加载录像…'}
        </p>
        <Button size="small" icon={<FullscreenOutlined />} onClick={() => void screen.current?.requestFullscreen()}>
          全屏
        </Button>
      </div>
      {failure && <Alert type="error" showIcon title={failure} action={<ReloadButton onReload={onReload} />} />}
    </div>
  )
}

const ReloadButton = ({ onReload }: Pick<PlayerProps, 'onReload'>) => (
  <Button size="small" onClick={onReload}>
    重新获取
  </Button>
)
