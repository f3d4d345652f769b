import { UploadOutlined } from '@ant-design/icons'
import { SIMILARITY_BANDS, type SimilarityBand, findBand } from '@oms/contract/agent/voiceprints/similarity.ts'
import { type SpeakerScore, TEST_RECORDING, voiceprints } from '@oms/contract/agent/voiceprints/voiceprint.ts'
import { findUploadProblem } from '@oms/contract/core/upload.ts'
import { Drawer, Form, Progress, Tag } from 'antd'
import { useState } from 'react'
import { useWrite } from '#core/api/query.ts'
import { findErrorMessage } from '#core/api/client.ts'
import { ReasonedButton } from '#kit/feedback/reasoned-button.tsx'
import { FileButton } from '#kit/upload/file-button.tsx'
import { FileProblems, useFileProblems } from '#kit/upload/file-problems.tsx'
import { readThresholds } from './similarity-thresholds.ts'
import { VoiceTurnPicker } from '../voices/voice-turn-picker.tsx'
import { AgentPicker } from './voiceprint-pickers.tsx'
import './voiceprint.css'

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
          <AgentPicker label="智能体" {...(agentId !== undefined && { value: agentId })} onChange={choose} />
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
