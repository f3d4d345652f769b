import { PauseCircleOutlined, PlayCircleOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import { useEffect, useRef, useState } from 'react'
import { buildSessionHeaders } from '#core/api/client.ts'
import { toast } from '#core/loading/toast.ts'
import { voiceprints } from '@oms/contract/agent/voiceprints/voiceprint.ts'
import { toRequestParts } from '#core/api/wire.ts'
import { useCan } from '#core/auth/session.tsx'
import { agentModels } from '@oms/contract/agent/models/config.ts'
import { useRead } from '#core/api/query.ts'
import { useKeyword } from '#kit/list/use-keyword.ts'
import { RecordSelect, type RecordSelectProps } from '#kit/pickers/record-select.tsx'

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

interface VoicePlayerProps {
  readonly audioId: string
  readonly name: string
}

/** Button that plays the audio of a turn or a speaker. Hidden without the permission to play audio. */
export const VoicePlayer = ({ audioId, name }: VoicePlayerProps) =>
  useCan()(voiceprints.audio.access) && (
    <AudioButton
      url={toRequestParts(voiceprints.audio, { audioId }).url}
      name={name}
      failure="这段语音已过保留期，或无法播放"
    />
  )

/** Selects a text-to-speech model. */
export function SpeechModelSelect(props: RecordSelectProps) {
  const [keyword, onSearch] = useKeyword()
  const read = useRead(agentModels.options, { type: 'TTS', keyword }, { quiet: true })
  const options = (read.data?.list ?? []).map(({ id, name, code }) => ({ value: id, label: `${name}（${code}）` }))
  return <RecordSelect {...props} placeholder="请选择语音合成模型" source={{ options, read, onSearch }} />
}
