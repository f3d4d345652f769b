import { ClearOutlined, ColumnWidthOutlined } from '@ant-design/icons'
import type { AgentDetail, ModelChoice } from '@oms/contract/agent/agents/agent.ts'
import { Button, Tooltip } from 'antd'
import { useEffect, useRef, useState } from 'react'
import { type EditedQuestion, TryInput, useQuestion } from './try-input.tsx'
import { TryTurn } from './try-turn.tsx'
import { FORM_OPTION, DevicePicker, ComparisonSelect, parseOverrides } from './try-pickers.tsx'
import { RecordedNote, useRecorded } from './try-recorded.tsx'
import { type Conversation, type TrySubject, type Turn, useConversation } from '../history/use-conversation.ts'
import type { TrySession } from './use-try-session.ts'
import '../agents/agent.css'

const STARTERS = ['你好，你是谁？', '今天适合出门吗？', '给我讲个笑话']

interface Props {
  readonly agent: AgentDetail
  readonly models: readonly ModelChoice[]
  /** Recorded conversation to open. */
  readonly session?: TrySession | undefined
  /** Returns the current values of the form, saved or not. */
  subject(): Omit<TrySubject, 'id' | 'deviceId' | 'versionNo'>
}

/** Title of the first column. */
const OWN_SUBJECT = <div className="agent-try-subject agent-try-form">当前表单</div>

/** Chat with the agent of the unsaved form. A second column sends the same question to another model or version. */
export function TryPanel({ agent, models, session, subject }: Props) {
  const panel = useTryPanel(agent.id, subject)
  const recorded = useRecorded(session, panel.load)
  const { one, two, columns, hasTwo, toggleTwo, other, setOther, deviceId, setDevice, text, setText } = panel
  const { edited, isRunning, send, stop, edit, cancelEdit } = panel
  const column = { edited, onSend: send, onEdit: edit }
  const picker = <ComparisonSelect agentId={agent.id} models={models} value={other} onChange={setOther} />
  return (
    <section className="agent-try" aria-label="试用">
      <TryHeader
        agentId={agent.id}
        deviceId={deviceId}
        hasTwo={hasTwo}
        onDevice={setDevice}
        onTwo={toggleTwo}
        onClear={() => {
          columns.forEach((column) => column.clear())
          recorded.close()
        }}
      />
      <RecordedNote {...recorded} />
      <div className="agent-try-columns">
        <Column {...column} conversation={one} title={hasTwo && OWN_SUBJECT} />
        {hasTwo && <Column {...column} conversation={two} title={picker} />}
      </div>
      <TryInput
        text={text}
        isRunning={isRunning}
        edited={edited}
        onText={setText}
        onSend={() => send(text, edited?.fromEnd)}
        onCancel={cancelEdit}
        onStop={stop}
      />
    </section>
  )
}

/**
 * Returns the turns with which a new second column starts. Both columns then answer the next question after the same
 * history.
 */
const finishedTurns = (turns: readonly Turn[]) => turns.filter(({ state }) => state !== 'running')

/**
 * Returns one function for each column. A function returns the agent configuration to test: the form values, or the
 * form values with the model or version of the second column.
 */
const subjectsOf = (subject: Props['subject'], shared: { id: number; deviceId?: number }, other: string) =>
  [() => ({ ...subject(), ...shared }), () => ({ ...subject(), ...parseOverrides(other), ...shared })] as const

/** State of the panel: both conversations, the question, and the device. */
function useTryPanel(agentId: number, subject: Props['subject']) {
  const [one, two] = [useConversation(), useConversation()]
  const [hasTwo, setTwo] = useState(false)
  const [other, setOther] = useState(FORM_OPTION)
  const [deviceId, setDevice] = useState<number>()
  const question = useQuestion()
  const shared = { id: agentId, ...(deviceId !== undefined && { deviceId }) }
  const columns = hasTwo ? [one, two] : [one]
  const subjects = subjectsOf(subject, shared, other)
  /**
   * Sends the question in every column. Counts the position of an edited question from the end, because the second
   * column may have fewer turns.
   */
  const send = (text: string, fromEnd?: number) => {
    if (text.trim() === '') return
    question.cancelEdit()
    columns.forEach((column, at) => {
      const replaced = fromEnd === undefined ? undefined : (column.turns.at(-fromEnd) ?? column.turns[0])
      void column.ask(subjects[at as 0 | 1](), text.trim(), replaced?.id)
    })
  }
  const stop = () => columns.forEach((column) => column.stop())
  const isRunning = columns.some((each) => each.isRunning)
  const toggleTwo = () => {
    two.load(finishedTurns(one.turns))
    setTwo(!hasTwo)
  }
  const load = (turns: readonly Turn[]) => [one, two].forEach((column) => column.load(turns))
  const columnState = { one, two, columns, hasTwo, toggleTwo, isRunning, load }
  return { ...question, ...columnState, other, setOther, deviceId, setDevice, send, stop }
}

interface HeaderProps {
  readonly agentId: number
  readonly deviceId: number | undefined
  readonly hasTwo: boolean
  onDevice(id: number | undefined): void
  onTwo(): void
  onClear(): void
}

const TryHeader = ({ agentId, deviceId, hasTwo, onDevice, onTwo, onClear }: HeaderProps) => (
  <header>
    <h3>试用</h3>
    <div className="agent-try-device">
      <DevicePicker agentId={agentId} value={deviceId} onChange={onDevice} />
    </div>
    <Tooltip title="两列对比：同一个问题问两个模型或版本">
      <Button
        aria-label="两列对比"
        aria-pressed={hasTwo}
        type={hasTwo ? 'primary' : 'default'}
        icon={<ColumnWidthOutlined />}
        onClick={onTwo}
      />
    </Tooltip>
    <Tooltip title="清空对话">
      <Button aria-label="清空对话" icon={<ClearOutlined />} onClick={onClear} />
    </Tooltip>
  </header>
)

interface ColumnProps {
  readonly conversation: Conversation
  readonly title: React.ReactNode
  readonly edited: EditedQuestion | undefined
  onSend(question: string, fromEnd?: number): void
  onEdit(question: string, fromEnd: number): void
}

function Column({ conversation: { turns, isRunning }, edited, onSend, onEdit, title }: ColumnProps) {
  const editedAt = edited ? turns.length - edited.fromEnd : turns.length
  const list = useRef<HTMLUListElement>(null)
  const written = turns.reduce((sum, turn) => sum + turn.answer.length + turn.reasoning.length, turns.length)
  useEffect(() => {
    const element = list.current
    if (element) element.scrollTop = element.scrollHeight
    // The figures and actions of a finished answer take a line more, so scrolls again.
  }, [written, isRunning])
  return (
    <div className="agent-try-column">
      {title}
      {turns.length === 0 ? (
        <div className="agent-try-empty">
          <div>按左侧表单的当前内容回答，不用先保存</div>
          <div className="agent-try-starters">
            {STARTERS.map((question) => (
              <Button key={question} size="small" shape="round" onClick={() => onSend(question)}>
                {question}
              </Button>
            ))}
          </div>
        </div>
      ) : (
        <ul className="agent-try-turns" ref={list}>
          {turns.map((turn, at) => (
            <TryTurn
              key={turn.id}
              turn={turn}
              mark={at < editedAt ? undefined : at === editedAt ? 'edited' : 'dropped'}
              onEdit={isRunning ? undefined : () => onEdit(turn.question, turns.length - at)}
              onAgain={isRunning ? undefined : () => onSend(turn.question, turns.length - at)}
            />
          ))}
        </ul>
      )}
    </div>
  )
}
