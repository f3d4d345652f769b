import { agentHistory, joinSentences, type SessionRow, type TurnRow } from '@oms/contract/agent/history/history.ts'
import { Drawer, Input, Button } from 'antd'
import { useState, useEffect } from 'react'
import { call, buildSessionHeaders } from '#core/api/client.ts'
import { useFormRecord } from '#core/api/query.ts'
import { ExportButton } from '#kit/list/export-button.tsx'
import { LoadFailed, RowsSkeleton } from '#kit/table/table-state.tsx'
import { time } from '#kit/record/time.tsx'
import { parseToolName, parseToolParts } from '../agents/tool-parts.ts'
import './history.css'
import { toRequestParts } from '#core/api/wire.ts'
import { toast } from '#core/loading/toast.ts'
import { CodeBlock } from '#kit/record/code-block.tsx'

/** Shows the turns of one conversation as bubbles. The server logs the access. */
export function SessionDrawer({ session, onClose }: { session: SessionRow; onClose(): void }) {
  const { data, error, refetch } = useFormRecord(() => call(agentHistory.open, { id: session.id }, { quiet: true }))
  const [keyword, setKeyword] = useState('')
  const turns = data && joinSentences(data.turns).filter(({ content }) => keyword === '' || content.includes(keyword))
  return (
    <Drawer
      open
      title={session.title || '未命名的对话'}
      size="min(640px, 100vw)"
      onClose={onClose}
      extra={<ExportButton to={agentHistory.export} query={{ sessionId: session.id }} name="对话记录" columns={[]} />}
    >
      <p className="kit-hint">
        {session.agentName} · {session.deviceName} · 开始于 {time(session.firstTime)}。查看对话会记入操作日志。
      </p>
      <Input.Search
        placeholder="在对话中查找"
        aria-label="在对话中查找"
        allowClear
        onSearch={setKeyword}
        onChange={(event) => event.target.value === '' && setKeyword('')}
      />
      {!data && !error && <RowsSkeleton rows={6} />}
      {error && <LoadFailed refusal={error} onRetry={refetch} />}
      {turns?.length === 0 && <p className="kit-hint">{keyword ? '没有找到。' : '这次对话没有保存内容。'}</p>}
      <ol className="kit-plain talk-turns">
        {turns?.map((turn) => (
          <Turn key={turn.id} turn={turn} />
        ))}
      </ol>
      {data?.isCut && <p className="kit-hint">只显示前 500 条。</p>}
    </Drawer>
  )
}

/** Shows a tool turn in collapsed form: the name of the tool, its arguments or its result. */
function ToolTurn({ content }: { content: string }) {
  if (content === '') return <p>工具调用（未保存内容）</p>
  const parts = parseToolParts(content)
  const name = parseToolName(parts)
  return (
    <details>
      <summary>{name ? `调用工具 ${name}` : '工具返回结果'}</summary>
      {parts.map(({ isResult, text }, at) => (
        <CodeBlock key={at} name={isResult ? '结果' : '调用'}>
          {text}
        </CodeBlock>
      ))}
    </details>
  )
}

const CLASS: Readonly<Record<number, string>> = { 1: 'talk-user', 2: 'talk-agent', 3: 'talk-tool' }

function Turn({ turn }: { turn: TurnRow & { sentences: readonly TurnRow[] } }) {
  const { kind, content, characters, speaker, sentences, reportTime } = turn
  return (
    <li className={CLASS[kind]}>
      {kind === 3 ? <ToolTurn content={content} /> : <p>{content || `未保存内容（${characters} 字）`}</p>}
      <span className="kit-muted kit-row">
        {speaker && <span>{speaker}</span>}
        {time(reportTime)}
        {sentences.map(
          ({ id, audioId, seconds }) => audioId && <HistoryAudio key={id} audioId={audioId} seconds={seconds} />,
        )}
      </span>
    </li>
  )
}

/** Loads the recording of a turn on a click and shows a player. An audio element cannot send the session headers. */
function HistoryAudio({ audioId, seconds }: { audioId: string; seconds: number }) {
  const [url, setUrl] = useState<string>()
  const [isLoading, setLoading] = useState(false)
  useEffect(() => () => (url === undefined ? undefined : URL.revokeObjectURL(url)), [url])
  const load = async () => {
    setLoading(true)
    try {
      const response = await fetch(toRequestParts(agentHistory.audio, { audioId }).url, {
        headers: buildSessionHeaders(),
      })
      if (!response.ok || !(response.headers.get('content-type') ?? '').startsWith('audio/'))
        throw new Error('no audio')
      setUrl(URL.createObjectURL(await response.blob()))
    } catch {
      toast.error('这段语音已过保留期，或无法播放')
    } finally {
      setLoading(false)
    }
  }
  if (url === undefined)
    return (
      <Button size="small" type="link" loading={isLoading} onClick={() => void load()}>
        播放 {seconds} 秒
      </Button>
    )
  return (
    // oxlint-disable-next-line jsx-a11y/media-has-caption -- the bubble shows the words
    <audio src={url} controls autoPlay aria-label="录音" className="talk-audio" />
  )
}
