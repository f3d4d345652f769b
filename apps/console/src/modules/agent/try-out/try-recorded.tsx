import { agentHistory } from '@oms/contract/agent/history/history.ts'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { call, findErrorMessage } from '#core/api/client.ts'
import { toConversation } from './recorded-turns.ts'
import type { Turn } from '../history/use-conversation.ts'
import type { TrySession } from './use-try-session.ts'
import '../agents/agent.css'

interface Recorded {
  readonly text: string
  readonly isError: boolean
}

/** Opens a recorded conversation in the try-out. The operation log records who opened the conversation. */
export function useRecorded(session: TrySession | undefined, onTurns: (turns: readonly Turn[]) => void) {
  const [note, setNote] = useState<Recorded>()
  const open = useEffectEvent(async (id: number) => {
    setNote({ text: '正在打开对话…', isError: false })
    try {
      const { session: row, turns: said } = await call(agentHistory.open, { id, forTry: 1 }, { quiet: true })
      const { turns, isCut } = toConversation(said)
      onTurns(turns)
      const of = `「${row.deviceName}」于 ${row.firstTime} 的对话`
      setNote(
        turns.length === 0
          ? { text: `${of}没有保存文字，不能在这里重新提问。`, isError: true }
          : {
              text: `${of}${isCut ? `（最后 ${turns.length} 轮）` : ''}。点“现在会怎么说？”重新提问，点“编辑”修改问题；之后的内容会被替换。`,
              isError: false,
            },
      )
    } catch (refusal) {
      setNote({ text: `打开对话失败：${findErrorMessage(refusal)}`, isError: true })
    }
  })
  const opened = useRef<TrySession>(undefined)
  useEffect(() => {
    // React runs effects again when a hidden page is shown again.
    if (session === undefined || opened.current === session) return
    opened.current = session
    void open(session.id)
  }, [session])
  return { note, close: () => setNote(undefined) }
}

/** Shows which recorded conversation is open. */
export const RecordedNote = ({ note }: { note: Recorded | undefined }) =>
  note && (
    <p className={`agent-try-note${note.isError ? ' agent-try-note-failed' : ''}`} role="status">
      {note.text}
    </p>
  )
