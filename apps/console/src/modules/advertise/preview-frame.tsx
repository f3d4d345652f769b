import {
  PREVIEW_PAGE_PATH,
  type PreviewMessage,
  type PreviewPackages,
  type PreviewShow,
} from '@oms/contract/advertise/preview.ts'
import { Button } from 'antd'
import { type RefObject, useEffect, useEffectEvent, useRef, useState } from 'react'
import './advertise.css'

/** Interval of renewing the signed queries of packages, which are valid for a minute. */
const RENEW_MS = 40_000

interface Props {
  readonly title: string
  /** Loads the content each time the frame reports that it is ready. Other content needs a new frame. */
  readonly load: (signal: AbortSignal) => Promise<PreviewShow<Blob>>
  /** Requests new signed queries of packages. */
  readonly renew: (signal: AbortSignal) => Promise<PreviewPackages['packages']>
}

type FrameRef = RefObject<HTMLIFrameElement | null>
const send = (frame: FrameRef, message: PreviewShow<Blob> | PreviewPackages) =>
  frame.current?.contentWindow?.postMessage(message, location.origin)

/** Frame with the player of the screens. */
export function PreviewFrame({ title, load, renew }: Props) {
  const frame = useRef<HTMLIFrameElement>(null)
  const { error, hasPackages, retry } = useContent(frame, load)
  useRenewal(frame, hasPackages, renew)
  return (
    <div className="ad-preview">
      <iframe ref={frame} src={PREVIEW_PAGE_PATH} title={title} />
      {error && (
        <p role="alert">
          {error}
          {retry && (
            <Button type="link" size="small" onClick={retry}>
              重试
            </Button>
          )}
        </p>
      )}
    </div>
  )
}

/** Sends the content to the frame each time the frame is ready. `retry` loads the content again after a failure. */
function useContent(frame: FrameRef, load: Props['load']) {
  const [error, setError] = useState('')
  const [retry, setRetry] = useState<() => void>()
  const [hasPackages, setHasPackages] = useState(false)
  // The frame reports once that it is ready, so a function that changes afterwards must not abort the load.
  const loadContent = useEffectEvent((signal: AbortSignal) => load(signal))
  useEffect(() => {
    const abort = new AbortController()
    const { signal } = abort
    const loadAndSend = async () => {
      const content = await loadContent(signal)
      send(frame, content)
      setHasPackages(Object.keys(content.packages ?? {}).length > 0)
    }
    const show = () => {
      setError('')
      setRetry(undefined)
      loadAndSend().catch(() => {
        if (signal.aborted) return
        setError('素材无法加载')
        setRetry(() => show)
      })
    }
    const onMessage = ({ origin, source, data }: MessageEvent<PreviewMessage>) => {
      if (origin !== location.origin || source !== frame.current?.contentWindow) return
      if (data.type === 'ad-preview:playing') setError(data.error ? '浏览器无法播放该素材，请下载后查看' : '')
      if (data.type === 'ad-preview:ready') show()
    }
    addEventListener('message', onMessage, { signal })
    return () => abort.abort()
  }, [frame])
  return { error, hasPackages, retry }
}

/** Renews the signed queries before they expire. A failed renewal is repeated after the same interval. */
function useRenewal(frame: FrameRef, isNeeded: boolean, renew: Props['renew']) {
  useEffect(() => {
    if (!isNeeded) return undefined
    const abort = new AbortController()
    const timer = setInterval(() => {
      renew(abort.signal).then(
        (packages) => send(frame, { type: 'ad-preview:packages', packages }),
        () => {},
      )
    }, RENEW_MS)
    return () => {
      abort.abort()
      clearInterval(timer)
    }
  }, [frame, isNeeded, renew])
}
