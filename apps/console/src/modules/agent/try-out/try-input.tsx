import { MAX_MESSAGE } from '@oms/contract/agent/try-out/try-out.ts'
import { SendOutlined, StopOutlined } from '@ant-design/icons'
import { Button, Input } from 'antd'
import type { TextAreaRef } from 'antd/es/input/TextArea'
import { useEffect, useRef, useState } from 'react'
import { showCount } from '#kit/form/text-limit.ts'

/**
 * An earlier question that is edited. Each press of 编辑 creates a new object, so that the same question can be chosen
 * again.
 */
export interface EditedQuestion {
  /** Number of turns from this turn to the last turn. The new answer replaces them. */
  readonly fromEnd: number
}

/** Holds the text of the question, and the earlier question that it replaces. */
export function useQuestion() {
  const [text, setText] = useState('')
  const [edited, setEdited] = useState<EditedQuestion>()
  const edit = (question: string, fromEnd: number) => {
    setText(question)
    setEdited({ fromEnd })
  }
  const cancelEdit = () => {
    setText('')
    setEdited(undefined)
  }
  return { text, setText, edited, edit, cancelEdit }
}

interface Props {
  readonly text: string
  readonly isRunning: boolean
  readonly edited: EditedQuestion | undefined
  onText(text: string): void
  onSend(): void
  onStop(): void
  onCancel(): void
}

/**
 * Input of the question. Enter sends the question, and Shift+Enter inserts a line break. While an input method composes
 * a character, Enter does neither. Escape ends the editing of an earlier question.
 */
export function TryInput({ text, isRunning, edited, onText, onSend, onStop, onCancel }: Props) {
  const input = useRef<TextAreaRef>(null)
  const isTooLong = text.length > MAX_MESSAGE
  useEffect(() => {
    if (edited) input.current?.focus({ cursor: 'end' })
  }, [edited])
  return (
    <div className="agent-try-input">
      {edited && <Button onClick={onCancel}>取消编辑</Button>}
      <Input.TextArea
        ref={input}
        aria-label="对智能体说"
        placeholder="对智能体说点什么，Enter 发送，Shift+Enter 换行"
        autoSize={{ minRows: 1, maxRows: 6 }}
        {...(isTooLong && showCount(MAX_MESSAGE))}
        value={text}
        onChange={({ target }) => onText(target.value)}
        onKeyDown={({ key, nativeEvent }) => {
          if (key === 'Escape' && edited && !nativeEvent.isComposing) onCancel()
        }}
        onPressEnter={(event) => {
          if (event.shiftKey || event.nativeEvent.isComposing) return
          event.preventDefault()
          if (!isRunning && !isTooLong) onSend()
        }}
      />
      {isRunning ? (
        <Button icon={<StopOutlined />} onClick={onStop}>
          停止
        </Button>
      ) : (
        <Button type="primary" icon={<SendOutlined />} disabled={isTooLong || text.trim() === ''} onClick={onSend}>
          {edited ? '重新发送' : '发送'}
        </Button>
      )}
    </div>
  )
}
