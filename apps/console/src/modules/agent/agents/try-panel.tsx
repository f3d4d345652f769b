import { ClearOutlined, SendOutlined, StopOutlined } from '@ant-design/icons'
import { agents } from '@oms/contract/agent/agents/agent.ts'
import { MAX_MESSAGE, type TryFigures } from '@oms/contract/agent/agents/try-out.ts'
import { Button, Input, Tooltip, Modal } from 'antd'
import { useEffect, useRef, useState } from 'react'
import { useRead } from '#core/api/query.ts'
import { showCount } from '#kit/form/text-limit.ts'
import { useKeyword } from '#kit/list/use-keyword.ts'
import { RecordSelect } from '#kit/pickers/record-select.tsx'
import { type Conversation, type TrySubject, useConversation, type Turn } from './conversation.ts'
import './agent.css'
import { copyToClipboard } from '#kit/record/copy-to-clipboard.ts'
import { CodeBlock } from '#kit/record/code-block.tsx'

const STARTERS = ['你好，你是谁？', '今天适合出门吗？', '给我讲个笑话']

interface TryPanelProps {
  readonly agentId: number
  /** Returns the current values of the form, saved or not. */
  subject(): Omit<TrySubject, 'id' | 'deviceId'>
}

/** Chat with the agent of the unsaved form. */
export function TryPanel({ agentId, subject }: TryPanelProps) {
  const conversation = useConversation()
  const [deviceId, setDevice] = useState<number>()
  const ask = (question: string, before?: number) => {
    const shared = { id: agentId, ...(deviceId !== undefined && { deviceId }) }
    void conversation.ask({ ...subject(), ...shared }, question.trim(), before)
  }
  return (
    <section className="agent-try" aria-label="试用">
      <header>
        <h3 className="kit-heading">试用</h3>
        <div className="agent-try-device">
          <DevicePicker agentId={agentId} value={deviceId} onChange={setDevice} />
        </div>
        <Tooltip title="清空对话">
          <Button aria-label="清空对话" icon={<ClearOutlined />} onClick={conversation.clear} />
        </Tooltip>
      </header>
      <Turns conversation={conversation} onAsk={ask} />
      <TryInput isRunning={conversation.isRunning} onSend={ask} onStop={conversation.stop} />
    </section>
  )
}

interface DeviceProps {
  readonly agentId: number
  readonly value: number | undefined
  onChange(id: number | undefined): void
}

/** Selects a device whose memory the agent uses. */
function DevicePicker({ agentId, value, onChange }: DeviceProps) {
  const [keyword, onSearch] = useKeyword()
  const read = useRead(agents.devices, { id: agentId, keyword }, { quiet: true })
  const options = (read.data?.list ?? []).map(({ id, name }) => ({ value: id, label: name }))
  return (
    <RecordSelect
      label="使用设备的记忆"
      placeholder="使用设备的记忆"
      {...(value !== undefined && { value })}
      onChange={(id) => onChange(id ?? undefined)}
      source={{ options, read, onSearch }}
    />
  )
}

interface TurnsProps {
  readonly conversation: Conversation
  onAsk(question: string, before?: number): void
}

function Turns({ conversation: { turns, isRunning }, onAsk }: TurnsProps) {
  const list = useRef<HTMLUListElement>(null)
  const written = turns.reduce((sum, turn) => sum + turn.answer.length + turn.reasoning.length, turns.length)
  useEffect(() => {
    const element = list.current
    if (element) element.scrollTop = element.scrollHeight
    // The figures and actions of a finished answer take a line more, so scrolls again.
  }, [written, isRunning])
  if (turns.length === 0)
    return (
      <div className="agent-try-empty">
        <div>按左侧表单的当前内容回答，不用先保存</div>
        <div className="kit-row">
          {STARTERS.map((question) => (
            <Button key={question} size="small" shape="round" onClick={() => onAsk(question)}>
              {question}
            </Button>
          ))}
        </div>
      </div>
    )
  return (
    <ul className="agent-try-turns" ref={list}>
      {turns.map((turn) => (
        <TryTurn key={turn.id} turn={turn} onAgain={isRunning ? undefined : () => onAsk(turn.question, turn.id)} />
      ))}
    </ul>
  )
}

interface InputProps {
  readonly isRunning: boolean
  onSend(text: string): void
  onStop(): void
}

/**
 * Input of the question. Enter sends the question, and Shift+Enter inserts a line break. While an input method composes
 * a character, Enter does neither.
 */
function TryInput({ isRunning, onSend, onStop }: InputProps) {
  const [text, setText] = useState('')
  const isTooLong = text.length > MAX_MESSAGE
  const send = () => {
    if (isRunning || isTooLong || text.trim() === '') return
    setText('')
    onSend(text)
  }
  return (
    <div className="agent-try-input">
      <Input.TextArea
        aria-label="对智能体说"
        placeholder="对智能体说点什么，Enter 发送，Shift+Enter 换行"
        autoSize={{ minRows: 1, maxRows: 6 }}
        {...(isTooLong && showCount(MAX_MESSAGE))}
        value={text}
        onChange={({ target }) => setText(target.value)}
        onPressEnter={(event) => {
          if (event.shiftKey || event.nativeEvent.isComposing) return
          event.preventDefault()
          send()
        }}
      />
      {isRunning ? (
        <Button icon={<StopOutlined />} onClick={onStop}>
          停止
        </Button>
      ) : (
        <Button type="primary" icon={<SendOutlined />} disabled={isTooLong || text.trim() === ''} onClick={send}>
          发送
        </Button>
      )}
    </div>
  )
}

interface TryTurnProps {
  readonly turn: Turn
  /** Absent while an answer is running. */
  onAgain: (() => void) | undefined
}

/** Shows a question and its answer with figures and actions. */
const TryTurn = ({ turn, onAgain }: TryTurnProps) => (
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
const formatDuration = (ms: number) =>
  ms < 1000 ? `${Math.max(1, Math.round(ms))} 毫秒` : `${(ms / 1000).toFixed(ms < 9950 ? 2 : 1)} 秒`
const yuan = (fen: number) => (fen === 0 ? '' : `¥${(fen / 100).toFixed(fen < 1 ? 5 : 4)}`)

/** Formats the figures of an answer. */
const formatAnswerFigures = ({ firstMs, totalMs, input, output, cached, isEstimate, cost }: TryFigures) => [
  `首字 ${formatDuration(firstMs)}`,
  `共 ${formatDuration(totalMs)}`,
  `${isEstimate ? '约 ' : ''}${input} + ${output} Token${cached > 0 ? `（缓存 ${cached}）` : ''}`,
  ...(cost > 0 ? [yuan(cost)] : []),
]

function AnswerFoot({ turn, onAgain }: TryTurnProps) {
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
        <CodeBlock name="请求">{turn.request}</CodeBlock>
      </Modal>
    </div>
  )
}
