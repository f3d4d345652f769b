import { agentHistory } from '@oms/contract/agent/history/history.ts'
import { Button } from 'antd'
import { useEffect, useState } from 'react'
import { buildSessionHeaders } from '#core/api/client.ts'
import { toRequestParts } from '#core/api/wire.ts'
import { toast } from '#core/loading/toast.ts'
import './history.css'

/** Loads the recording of a turn on a click and shows a player. An audio element cannot send the session headers. */
export function HistoryAudio({ audioId, seconds }: { audioId: string; seconds: number }) {
  const [url, setUrl] = useState<string>()
  const [isLoading, setLoading] = useState(false)
  useEffect(() => () => (url === undefined ? undefined : URL.revokeObjectURL(url)), [url])
  const load = async () => {
    setLoading(true)
    try {
      const response = await fetch(toRequestParts(agentHistory.audio, { audioId }).url, {
        headers: buildSessionHeaders(),
      })
      if (!response.ok || !(response.headers.get('content-type') ?? '').startsWith('audio/'))
        throw new Error('no audio')
      setUrl(URL.createObjectURL(await response.blob()))
    } catch {
      toast.error('这段语音已过保留期，或无法播放')
    } finally {
      setLoading(false)
    }
  }
  if (url === undefined)
    return (
      <Button size="small" type="link" loading={isLoading} onClick={() => void load()}>
        播放 {seconds} 秒
      </Button>
    )
  return (
    // oxlint-disable-next-line jsx-a11y/media-has-caption -- the bubble shows the words
    <audio src={url} controls autoPlay aria-label="录音" className="talk-audio" />
  )
}
