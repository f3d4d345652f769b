import { PauseCircleOutlined, PlayCircleOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import { useEffect, useRef, useState } from 'react'
import { buildSessionHeaders } from '#core/api/client.ts'
import { toast } from '#core/loading/toast.ts'

interface Playing {
  readonly url: string
  readonly audio: HTMLAudioElement
}

/** Fetches the audio with the session headers, which an audio element cannot send. */
async function fetchAudio(url: string): Promise<Playing> {
  const response = await fetch(url, { headers: buildSessionHeaders() })
  const type = response.headers.get('content-type') ?? ''
  if (!response.ok || type.includes('json')) throw new Error('the audio is missing')
  const blob = new Blob([await response.blob()], { type: type.startsWith('audio/') ? type : 'audio/wav' })
  const address = URL.createObjectURL(blob)
  return { url: address, audio: new Audio(address) }
}

interface AudioButtonProps {
  /** URL on this server. */
  readonly url: string
  readonly name: string
  /** Message of the toast when the audio is missing or cannot be played. */
  readonly failure: string
}

/** Button that plays an audio file of this server, and stops it. */
export function AudioButton({ url, name, failure }: AudioButtonProps) {
  const playing = useRef<Playing>(undefined)
  const [state, setState] = useState<'stopped' | 'loading' | 'playing'>('stopped')
  const release = () => {
    playing.current?.audio.pause()
    if (playing.current) URL.revokeObjectURL(playing.current.url)
    playing.current = undefined
  }
  const stop = () => {
    release()
    setState('stopped')
  }
  useEffect(() => release, [])
  const play = async () => {
    setState('loading')
    try {
      playing.current = await fetchAudio(url)
      playing.current.audio.addEventListener('ended', stop)
      await playing.current.audio.play()
      setState('playing')
    } catch {
      stop()
      toast.error(failure)
    }
  }
  const isPlaying = state === 'playing'
  return (
    <Button
      type="text"
      size="small"
      aria-label={`${isPlaying ? '停止' : '播放'} ${name}`}
      loading={state === 'loading'}
      icon={isPlaying ? <PauseCircleOutlined /> : <PlayCircleOutlined />}
      onClick={() => (isPlaying ? stop() : void play())}
    />
  )
}
