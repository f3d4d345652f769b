import {
  GOOD_SAMPLE_SECONDS,
  MAX_OFFERED_TURNS,
  type VoiceTurn,
  voiceprints,
} from '@oms/contract/agent/voiceprints/voiceprint.ts'
import { Empty, Form, Spin, Tag } from 'antd'
import { useId } from 'react'
import { useRead } from '#core/api/query.ts'
import { LoadFailed } from '#kit/table/table-state.tsx'
import { VoicePlayer } from './voice-player.tsx'
import '../voiceprints/voiceprint.css'

interface PickerProps {
  /** Set by the form: id of the chosen audio. */
  readonly value?: string
  readonly onChange?: (audioId: string) => void
  readonly id?: string
  readonly agentId: number | undefined
}

/** Offers the latest user turns of an agent that have audio. A user can play each of them and select one. */
export function VoiceTurnPicker({ agentId, ...control }: PickerProps) {
  if (!agentId) return <p className="kit-hint">请先选择智能体。</p>
  return <Turns key={agentId} agentId={agentId} {...control} />
}

function Turns({ agentId, ...control }: PickerProps & { readonly agentId: number }) {
  const { data, error, isPending, refetch } = useRead(
    voiceprints.turns,
    { agentId },
    { quiet: true, keepPrevious: false, staleTime: Number.POSITIVE_INFINITY },
  )
  if (error) return <LoadFailed refusal={error} onRetry={() => void refetch()} />
  if (isPending || !data) return <Spin size="small" />
  if (data.list.length === 0)
    return (
      <Empty
        image={Empty.PRESENTED_IMAGE_SIMPLE}
        description="该智能体还没有带录音的对话。请把智能体的「对话记录」设为「文字和录音」，再与设备说话。"
      />
    )
  return <TurnList turns={data.list} {...control} />
}

const isShort = ({ seconds }: VoiceTurn) => seconds < GOOD_SAMPLE_SECONDS
/** Lists the turns that are long enough before the others, each in the order of the server: the latest first. */
const sortTurns = (turns: readonly VoiceTurn[]) => turns.toSorted((a, b) => Number(isShort(a)) - Number(isShort(b)))

function TurnList({ turns, value, onChange, id }: Omit<PickerProps, 'agentId'> & { turns: readonly VoiceTurn[] }) {
  const name = useId()
  return (
    <ul className="kit-plain voiceprint-turns" id={id} aria-label={`最近${MAX_OFFERED_TURNS}条用户语音`}>
      {sortTurns(turns).map((turn) => (
        <li key={turn.audioId}>
          <label>
            <input
              type="radio"
              name={name}
              aria-label={turn.content || turn.reportTime}
              checked={turn.audioId === value}
              onChange={() => onChange?.(turn.audioId)}
            />
            <span>{turn.content || '（未保存文字）'}</span>
            <small>
              {turn.reportTime} · {turn.deviceName || '-'} · {turn.seconds} 秒{turn.speaker && ` · ${turn.speaker}`}
              {isShort(turn) && <Tag color="warning">不足 {GOOD_SAMPLE_SECONDS} 秒</Tag>}
            </small>
          </label>
          <VoicePlayer audioId={turn.audioId} name={turn.content || turn.reportTime} />
        </li>
      ))}
    </ul>
  )
}

/** Selects a voice turn of the agent that is selected in the form field `agentId`. */
export function AgentTurnPicker(control: Omit<PickerProps, 'agentId'>) {
  const agentId = Form.useWatch<number | undefined>('agentId', Form.useFormInstance())
  return <VoiceTurnPicker agentId={agentId} {...control} />
}
