import { agentHistory, MAX_MEMORY } from '@oms/contract/agent/history/history.ts'
import { Alert, Button, Input, Skeleton } from 'antd'
import { useState } from 'react'
import { useRead, useWrite } from '#core/api/query.ts'
import { useMayCall } from '#core/auth/session.tsx'
import { dialogs } from '#core/loading/overlays.ts'
import { countCharacters, showCount } from '#kit/form/text-limit.ts'
import { Link } from '#core/routing/router.tsx'
import { LoadFailed } from '#kit/table/table-state.tsx'
import './history.css'

interface Props {
  readonly of: { readonly agentId: number } | { readonly deviceId: number }
}

/** Shows the memory of an agent or a device, with actions to edit and erase it. */
export function MemoryPanel({ of }: Props) {
  const { data, error, refetch } = useRead(agentHistory.memory, of, { quiet: true })
  if (error) return <LoadFailed refusal={error} onRetry={() => void refetch()} />
  if (!data) return <Skeleton active />
  if ('agentId' in of && !data.isShared) return <SeparateMemories agentId={of.agentId} memory={data.memory} />
  return (
    <>
      <p className="talk-hint">
        {data.isShared ? '该智能体的全部设备共用这份记忆。' : '这台设备自己的记忆。'}设备下次连接时带上它。
      </p>
      <MemoryEditor of={of} memory={data.memory} />
    </>
  )
}

/**
 * Links to the devices of an agent whose devices keep separate memories. A memory that the devices shared earlier can
 * be erased.
 */
function SeparateMemories({ agentId, memory }: { agentId: number; memory: string }) {
  const mayEdit = useMayCall()(agentHistory.saveMemory)
  const save = useWrite(agentHistory.saveMemory)
  return (
    <>
      <p className="talk-hint">
        该智能体的设备各自保存记忆。打开<Link to={`/agent/device?agentId=${agentId}`}>它的设备</Link>
        可查看和修改；要共用一份记忆，请把记忆范围改为「全部设备共用」。
      </p>
      {memory !== '' && (
        <>
          <p className="talk-hint">以下是以前共用的记忆，设备不再使用：</p>
          <p className="talk-memory">{memory}</p>
          {mayEdit && (
            <Button danger onClick={() => askErase(() => save.mutateAsync({ agentId, memory: '' }))}>
              清除记忆
            </Button>
          )}
        </>
      )}
    </>
  )
}

/** Returns the edited text, which follows the memory until the user types. */
function useMemoryText(memory: string) {
  const [base, setBase] = useState(memory)
  const [text, setText] = useState(memory)
  if (base !== memory && (text === base || text === memory)) {
    setBase(memory)
    setText(memory)
  }
  return { text, setText, isBehind: base !== memory }
}

/**
 * Edits a memory. A memory that changes while the user types, such as at the end of a session, is shown above the text
 * and never replaces the text.
 */
function MemoryEditor({ of, memory }: Props & { memory: string }) {
  const mayEdit = useMayCall()(agentHistory.saveMemory)
  const save = useWrite(agentHistory.saveMemory)
  const { text, setText, isBehind } = useMemoryText(memory)
  const ask = () => askErase(() => save.mutateAsync({ ...of, memory: '' }))
  return (
    <>
      {isBehind && <NewerMemory memory={memory} onLoad={() => askReplace(() => setText(memory))} />}
      <Input.TextArea
        aria-label="记忆"
        placeholder="还没有记忆"
        autoSize={{ minRows: 4, maxRows: 16 }}
        {...showCount(MAX_MEMORY)}
        readOnly={!mayEdit}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      {mayEdit && (
        <div className="talk-buttons talk-after-count">
          <Button
            type="primary"
            loading={save.isPending}
            disabled={text === memory || countCharacters(text) > MAX_MEMORY}
            onClick={() =>
              save.mutate({ ...of, memory: text, before: memory }, { onSuccess: () => setText(text.trim()) })
            }
          >
            保存
          </Button>
          <Button danger disabled={memory === ''} onClick={ask}>
            清除记忆
          </Button>
        </div>
      )}
    </>
  )
}

const NewerMemory = ({ memory, onLoad }: { memory: string; onLoad(): void }) => (
  <Alert
    type="warning"
    showIcon
    title="记忆刚被更新，保存会替换最新内容"
    description={<p className="talk-memory">{memory || '还没有记忆'}</p>}
    action={
      <Button size="small" onClick={onLoad}>
        加载最新
      </Button>
    }
  />
)

/** Asks before the latest memory replaces the typed text, which is shown nowhere else. */
const askReplace = (onOk: () => void) =>
  void dialogs.confirm({
    title: '用最新记忆替换您填写的内容？',
    content: '您填写的“记忆”将丢失。需要保留的，请先复制。',
    okText: '替换',
    okButtonProps: { danger: true },
    cancelText: '继续编辑',
    onOk,
  })

const askErase = (onOk: () => Promise<unknown>) =>
  void dialogs.confirm({
    title: '清除记忆？',
    content: '清除后不能恢复。',
    okText: '清除',
    okButtonProps: { danger: true },
    cancelText: '取消',
    onOk,
  })
