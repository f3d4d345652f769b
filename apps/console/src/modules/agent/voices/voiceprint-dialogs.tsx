import type { InputOf } from '@oms/contract/core/endpoint.ts'
import {
  GOOD_SAMPLE_SECONDS,
  VoiceprintChange,
  VoiceprintInput,
  type VoiceprintRow,
  voiceprints,
  type SpeakerScore,
  TEST_RECORDING,
  MAX_OFFERED_TURNS,
  type VoiceTurn,
} from '@oms/contract/agent/voiceprints/voiceprint.ts'
import { Form, Modal, Drawer, Progress, Tag, Empty, Spin } from 'antd'
import { call, readFresh, findErrorMessage } from '#core/api/client.ts'
import { FreshRecord } from '#kit/form/fresh-record.tsx'
import { Field, NoteField, TextField } from '#kit/form/field.tsx'
import { useFormModal } from '#kit/form/use-form-modal.ts'
import { AgentPicker } from '../agent-picker.tsx'
import { UploadOutlined } from '@ant-design/icons'
import {
  SIMILARITY_BANDS,
  type SimilarityBand,
  findBand,
  type SimilarityThresholds,
  parseThresholds,
} from '@oms/contract/agent/voiceprints/similarity.ts'
import { findUploadProblem } from '@oms/contract/core/upload.ts'
import { useState, useId } from 'react'
import { useWrite, useRead } from '#core/api/query.ts'
import { ReasonedButton } from '#kit/feedback/reasoned-button.tsx'
import { FileButton } from '#kit/upload/file-button.tsx'
import { FileProblems, useFileProblems } from '#kit/upload/file-problems.tsx'
import './voiceprint.css'
import { LoadFailed } from '#kit/table/table-state.tsx'
import { VoicePlayer } from './voice.tsx'

interface AddProps {
  readonly initial?: Partial<InputOf<typeof voiceprints.create>>
  readonly onClose: () => void
}

/** Enrols a speaker with the audio of a user turn. */
export function VoiceprintAddForm({ initial, onClose }: AddProps) {
  const { modal, form } = useFormModal(voiceprints.create, { onClose, ...(initial && { initial }) })
  return (
    <Modal title="登记声纹" width={640} {...modal} okText="登记">
      <p className="kit-hint">设备再次听到这个人说话时，智能体会知道是谁。请先征得本人同意。</p>
      <Form {...form}>
        <Field of={VoiceprintInput} name="agentId">
          <AgentPicker from={voiceprints.agents} />
        </Field>
        <TextField of={VoiceprintInput} name="name" />
        <NoteField of={VoiceprintInput} name="introduction" rows={2} />
        <Field
          of={VoiceprintInput}
          name="audioId"
          hint={`请选择 ${GOOD_SAMPLE_SECONDS} 秒以上、只有一个人说话的语音。`}
        >
          <AgentTurnPicker />
        </Field>
      </Form>
    </Modal>
  )
}

interface EditProps {
  readonly row: VoiceprintRow
  readonly onClose: () => void
}

/** Changes a speaker, and replaces the enrolled audio when another turn is chosen. */
export function VoiceprintEditForm({ row, onClose }: EditProps) {
  const read = () => readFresh(voiceprints.get, { id: row.id }, row)
  return (
    <FreshRecord of={row.id} read={read} title="编辑声纹" onClose={onClose}>
      {(fresh) => <EditForm fresh={fresh} onClose={onClose} />}
    </FreshRecord>
  )
}

function EditForm({ fresh, onClose }: { readonly fresh: VoiceprintRow; readonly onClose: () => void }) {
  const { modal, form } = useFormModal(voiceprints.update, {
    onClose,
    initial: fresh,
    latest: () => call(voiceprints.get, { id: fresh.id }),
  })
  return (
    <Modal title={`编辑声纹「${fresh.name}」`} width={640} {...modal}>
      <Form {...form}>
        <TextField of={VoiceprintChange} name="name" />
        <NoteField of={VoiceprintChange} name="introduction" rows={2} />
        <Field of={VoiceprintChange} name="audioId" hint="选择另一段语音会替换已登记的声纹。">
          <VoiceTurnPicker agentId={fresh.agentId} />
        </Field>
      </Form>
    </Modal>
  )
}

const COLOURS: Readonly<Record<SimilarityBand, string>> = {
  high: 'success',
  medium: 'warning',
  low: 'default',
  none: 'error',
}

interface Result {
  readonly list: readonly SpeakerScore[]
  readonly threshold: number
  readonly of: string
}

/** Compares a recording with all speakers of an agent and shows the band of each similarity. */
export function VoiceprintTest({ onClose }: { readonly onClose: () => void }) {
  const [agentId, setAgentId] = useState<number>()
  const [audioId, setAudioId] = useState<string>()
  const { compareTurn, compareFile, isPending, result, problems, clear } = useComparison(agentId)
  const choose = (next: number | undefined) => {
    setAgentId(next)
    setAudioId(undefined)
    clear()
  }
  return (
    <Drawer open title="测试声纹" size="min(640px, 100vw)" onClose={onClose}>
      <Form layout="vertical">
        <Form.Item label="智能体" required>
          <AgentPicker
            from={voiceprints.agents}
            label="智能体"
            {...(agentId !== undefined && { value: agentId })}
            onChange={choose}
          />
        </Form.Item>
        <Form.Item label="用户语音">
          <VoiceTurnPicker agentId={agentId} {...(audioId && { value: audioId })} onChange={setAudioId} />
        </Form.Item>
      </Form>
      <div className="kit-row">
        <ReasonedButton
          type="primary"
          reason={audioId ? undefined : '请先选择智能体和用户语音'}
          loading={isPending}
          onClick={() => audioId && void compareTurn(audioId)}
        >
          测试所选语音
        </ReasonedButton>
        <FileButton label="选择录音文件" extensions={TEST_RECORDING.extensions} onFiles={compareFile}>
          <ReasonedButton icon={<UploadOutlined />} reason={agentId ? undefined : '请先选择智能体'} loading={isPending}>
            测试 WAV 文件
          </ReasonedButton>
        </FileButton>
      </div>
      <FileProblems problems={problems} />
      {result && <Scores {...result} />}
    </Drawer>
  )
}

function useComparison(agentId: number | undefined) {
  const test = useWrite(voiceprints.test)
  const testFile = useWrite(voiceprints.testFile, { quiet: true })
  const [result, setResult] = useState<Result>()
  const { problems, add, clear } = useFileProblems()
  const show = (of: string, answer: Promise<Omit<Result, 'of'>>, onError?: (error: unknown) => void) => {
    clear()
    return answer.then(
      (scores) => setResult({ ...scores, of }),
      (error: unknown) => {
        setResult(undefined)
        onError?.(error)
      },
    )
  }
  const refuse = (file: File, problem: string) => {
    clear()
    setResult(undefined)
    add(problem, file)
  }
  return {
    result,
    problems,
    clear: () => {
      setResult(undefined)
      clear()
    },
    isPending: test.isPending || testFile.isPending,
    compareTurn: (audioId: string) =>
      agentId === undefined ? undefined : show('所选语音', test.mutateAsync({ agentId, audioId })),
    compareFile: ([file]: File[]) => {
      if (!file || agentId === undefined) return
      const problem = findUploadProblem(TEST_RECORDING, file)
      if (problem) return refuse(file, problem)
      void show(file.name, testFile.mutateAsync({ agentId, file } as { agentId: number }), (error) =>
        refuse(file, findErrorMessage(error)),
      )
    },
  }
}

/** Code of the parameter with the threshold. */
const THRESHOLD = 'server.voiceprint_similarity_threshold'

const scrollTo = (element: HTMLElement | null) => element?.scrollIntoView({ block: 'nearest' })

/** The speakers with their similarity, most similar first. Thresholds are read when a result is shown. */
function Scores({ list, threshold, of }: Result) {
  const [thresholds] = useState(readThresholds)
  return (
    <section ref={scrollTo} className="voiceprint-scores" aria-label="测试结果">
      <h4>{of} 与各说话人的相似度</h4>
      <p className="kit-hint">
        识别阈值 {threshold}（参数 {THRESHOLD}），设备对话中低于阈值不识别为该说话人。
      </p>
      <ul className="kit-plain">
        {list.map(({ id, name, introduction, score }) => {
          const band = findBand(score, thresholds)
          return (
            <li key={id}>
              <span className="kit-main">
                {name}
                {introduction && <small className="kit-muted">{introduction}</small>}
              </span>
              <Progress percent={Math.round(score * 100)} size="small" aria-label={`${name} 的相似度`} />
              <Tag color={COLOURS[band]}>{SIMILARITY_BANDS[band]}</Tag>
              {score < threshold && <Tag>低于阈值</Tag>}
            </li>
          )
        })}
      </ul>
    </section>
  )
}

/** Reads the thresholds from local storage. Uses the defaults when the browser denies access to local storage. */
function readThresholds(): SimilarityThresholds {
  return parseThresholds((key) => {
    try {
      return localStorage.getItem(key)
    } catch {
      return null
    }
  })
}

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
      <Empty description="该智能体还没有带录音的对话。请把智能体的「对话记录」设为「文字和录音」，再与设备说话。" />
    )
  return <TurnList turns={data.list} {...control} />
}

const isShort = ({ seconds }: VoiceTurn) => seconds < GOOD_SAMPLE_SECONDS
/** Lists the turns that are long enough before the others, each in the order of the server: the latest first. */
const sortTurns = (turns: readonly VoiceTurn[]) => turns.toSorted((a, b) => Number(isShort(a)) - Number(isShort(b)))

function TurnList({ turns, value, onChange, id }: Omit<PickerProps, 'agentId'> & { turns: readonly VoiceTurn[] }) {
  const name = useId()
  return (
    <ul className="kit-plain voiceprint-turns" id={id} aria-label={`最近 ${MAX_OFFERED_TURNS} 条用户语音`}>
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
function AgentTurnPicker(control: Omit<PickerProps, 'agentId'>) {
  const agentId = Form.useWatch<number | undefined>('agentId', Form.useFormInstance())
  return <VoiceTurnPicker agentId={agentId} {...control} />
}
