import type { TryFigures } from '@oms/contract/agent/agents/try-out.ts'
import { Modal } from 'antd'
import { useState } from 'react'
import { copyToClipboard } from '#kit/record/copy-to-clipboard.ts'
import type { Turn } from '../history/use-conversation.ts'
import './agent.css'

interface Props {
  readonly turn: Turn
  /** Absent while an answer is running. */
  onAgain: (() => void) | undefined
}

/** Shows a question and its answer with figures and actions. */
export const TryTurn = ({ turn, onAgain }: Props) => (
  <>
    <li className="agent-turn agent-turn-user">
      <div className="agent-bubble">{turn.question}</div>
      {turn.corrected && <div className="kit-muted kit-row agent-turn-foot">替换词后：{turn.corrected}</div>}
    </li>
    <li className="agent-turn">
      <Answer turn={turn} />
      <AnswerFoot turn={turn} onAgain={onAgain} />
    </li>
  </>
)

function Answer({ turn }: { turn: Turn }) {
  const isRunning = turn.state === 'running'
  return (
    <>
      {turn.reasoning && (
        <details className="kit-muted agent-thought" open={isRunning && turn.answer === ''}>
          <summary>思考过程</summary>
          <p>{turn.reasoning}</p>
        </details>
      )}
      {turn.tools.map(({ name, args }, at) => (
        // oxlint-disable-next-line react/no-array-index-key -- calls have no id and keep their order
        <code key={at} className="kit-muted agent-thought">
          调用 {name}（{args}）
        </code>
      ))}
      {(turn.answer || isRunning) && (
        <div className={`agent-bubble${isRunning ? ' agent-caret' : ''}`} aria-live={isRunning ? 'polite' : 'off'}>
          {turn.answer}
        </div>
      )}
      {turn.error && (
        <div className="agent-bubble agent-bubble-failed" role="alert">
          {turn.error}
        </div>
      )}
    </>
  )
}

/**
 * Formats milliseconds. Shows times below one second in whole milliseconds, because vendors near the server answer
 * within a few milliseconds.
 */
export const formatDuration = (ms: number) =>
  ms < 1000 ? `${Math.max(1, Math.round(ms))} 毫秒` : `${(ms / 1000).toFixed(ms < 9950 ? 2 : 1)} 秒`
const yuan = (fen: number) => (fen === 0 ? '' : `¥${(fen / 100).toFixed(fen < 1 ? 5 : 4)}`)

/** Formats the figures of an answer. */
export const formatAnswerFigures = ({ firstMs, totalMs, input, output, cached, isEstimate, cost }: TryFigures) => [
  `首字 ${formatDuration(firstMs)}`,
  `共 ${formatDuration(totalMs)}`,
  `${isEstimate ? '约 ' : ''}${input} + ${output} Token${cached > 0 ? `（缓存 ${cached}）` : ''}`,
  ...(cost > 0 ? [yuan(cost)] : []),
]

function AnswerFoot({ turn, onAgain }: Props) {
  const [isShown, setShown] = useState(false)
  if (turn.state === 'running')
    return turn.answer ? null : <div className="kit-muted kit-row agent-turn-foot">等待模型回答…</div>
  return (
    <div className="kit-muted kit-row agent-turn-foot">
      {turn.state === 'stopped' && <span>已停止</span>}
      {turn.figures && formatAnswerFigures(turn.figures).map((text) => <span key={text}>{text}</span>)}
      {turn.answer && (
        <button type="button" onClick={() => void copyToClipboard(turn.answer)}>
          复制
        </button>
      )}
      {onAgain && (
        <button type="button" onClick={onAgain}>
          重新回答
        </button>
      )}
      {turn.request && (
        <button type="button" onClick={() => setShown(true)}>
          查看请求
        </button>
      )}
      <Modal
        open={isShown}
        title={`发送给「${turn.model}」的请求（不含密钥）`}
        footer={null}
        width="min(760px, 96vw)"
        onCancel={() => setShown(false)}
      >
        <pre className="kit-code">{turn.request}</pre>
      </Modal>
    </div>
  )
}
