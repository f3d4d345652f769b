import { voiceprints } from '@oms/contract/agent/voiceprints/voiceprint.ts'
import { toRequestParts } from '#core/api/wire.ts'
import { useCan } from '#core/auth/session.tsx'
import { AudioButton } from './audio-button.tsx'

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
