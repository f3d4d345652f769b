import { agentHistory, MAX_MEMORY } from '@oms/contract/agent/history/history.ts'
import { Alert, Button, Input, Space } from 'antd'
import { useState } from 'react'
import { useRead, useWrite } from '#core/api/query.ts'
import { useMayCall } from '#core/auth/session.tsx'
import { dialogs } from '#core/loading/overlays.ts'
import { countCharacters, showCount } from '#kit/form/text-limit.ts'
import { Link } from '#core/routing/router.tsx'
import { useUnsaved } from '#core/routing/tab.tsx'
import { Waiting } from '#kit/feedback/waiting.tsx'
import './history.css'
import { agentReminders, ReminderRow } from '@oms/contract/agent/history/reminder.ts'
import { RowActions } from '#kit/list/row-actions.tsx'
import { useInnerList } from '#kit/list/use-list.ts'
import { time } from '#kit/record/time.tsx'
import { createColumns } from '#kit/table/columns.tsx'
import { DataTable } from '#kit/table/data-table.tsx'

interface Props {
  readonly of: { readonly agentId: number } | { readonly deviceId: number }
}

/** Shows the memory of an agent or a device, with actions to edit and erase it. */
export function MemoryPanel({ of }: Props) {
  // Conversations change the memory without an event, so opening the panel always loads the memory again.
  const { data, error, refetch } = useRead(agentHistory.memory, of, { quiet: true, staleTime: 0 })
  if (!data) return <Waiting reads={[{ error, refetch }]} rows={4} />
  if ('agentId' in of && !data.isShared) return <SeparateMemories agentId={of.agentId} memory={data.memory} />
  return (
    <>
      <p className="kit-hint">
        {data.isShared ? '该智能体的全部设备共用这份记忆。' : '这台设备自己的记忆。'}设备下次连接时带上它。
      </p>
      <MemoryEditor of={of} memory={data.memory} onRefused={() => void refetch()} />
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
      <p className="kit-hint">
        该智能体的设备各自保存记忆。打开<Link to={`/agent/device?agentId=${agentId}`}>它的设备</Link>
        可查看和修改；要共用一份记忆，请把记忆范围改为「全部设备共用」。
      </p>
      {memory !== '' && (
        <>
          <p className="kit-hint">以下是以前共用的记忆，设备不再使用：</p>
          <p className="kit-words">{memory}</p>
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

/**
 * Returns the edited text. The text follows the stored memory until the user types. `isBehind` is true when the stored
 * memory has changed since. The user then chooses the stored memory or the typed text.
 */
function useMemoryText(memory: string) {
  const [base, setBase] = useState(memory)
  const [text, setText] = useState(memory)
  const load = (latest: string) => {
    setBase(latest)
    setText(latest)
  }
  if (base !== memory && (text === base || text === memory)) load(memory)
  return {
    text,
    base,
    setText,
    isBehind: base !== memory,
    loadLatest: () => load(memory),
    keepText: () => setBase(memory),
  }
}

interface EditorProps extends Props {
  readonly memory: string
  /** Reads the memory again after a refused save. */
  onRefused(): void
}

/**
 * Edits a memory. The memory can change while the user types, such as at the end of a session. The new memory is then
 * shown above the typed text, and replaces the typed text only when the user chooses so.
 */
function MemoryEditor({ of, memory, onRefused }: EditorProps) {
  const mayEdit = useMayCall()(agentHistory.saveMemory)
  const write = useWrite(agentHistory.saveMemory)
  const { text, base, setText, isBehind, loadLatest, keepText } = useMemoryText(memory)
  const unmark = useUnsaved(mayEdit && text !== base)
  const save = () =>
    write.mutate(
      { ...of, memory: text, before: base },
      { onSuccess: () => (unmark(), setText(text.trim())), onError: ({ field }) => field === 'memory' && onRefused() },
    )
  const erase = () => write.mutateAsync({ ...of, memory: '' }).then(() => setText(''))
  return (
    <>
      {isBehind && <NewerMemory memory={memory} onLoad={() => askReplace(loadLatest)} onKeep={keepText} />}
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
        <EditorButtons
          isSaving={write.isPending}
          canSave={!isBehind && text !== base && countCharacters(text) <= MAX_MEMORY}
          onSave={save}
          canErase={memory !== ''}
          onErase={() => askErase(erase)}
        />
      )}
    </>
  )
}

interface ButtonsProps {
  readonly isSaving: boolean
  readonly canSave: boolean
  readonly canErase: boolean
  onSave(): void
  onErase(): void
}

const EditorButtons = ({ isSaving, canSave, canErase, onSave, onErase }: ButtonsProps) => (
  <div className="kit-row talk-after-count">
    <Button type="primary" loading={isSaving} disabled={!canSave} onClick={onSave}>
      保存
    </Button>
    <Button danger disabled={!canErase} onClick={onErase}>
      清除记忆
    </Button>
  </div>
)

/**
 * Shows the latest memory above the typed text. One button loads the latest memory, the other button keeps the typed
 * text.
 */
const NewerMemory = ({ memory, onLoad, onKeep }: { memory: string; onLoad(): void; onKeep(): void }) => (
  <Alert
    type="warning"
    showIcon
    title="记忆刚被更新，请选择要用的内容"
    description={
      <>
        <p className="kit-words">{memory || '还没有记忆'}</p>
        <Space wrap>
          <Button size="small" onClick={onLoad}>
            使用最新
          </Button>
          <Button size="small" onClick={onKeep}>
            保留我的修改
          </Button>
        </Space>
      </>
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

const { col, actions } = createColumns(ReminderRow)
const COLUMNS = [
  col('content', { width: 220 }),
  col('remindTime', time, { width: 170, sort: true }),
  col('state', { width: 100 }),
  col('toldTime', time, { width: 170 }),
]

/** Reminders that the user of a voice device set by talking to it. */
export function ReminderPanel({ deviceId }: { readonly deviceId: number }) {
  const list = useInnerList(agentReminders.list, { deviceId })
  const remove = useWrite(agentReminders.remove)
  const rowActions = (row: ReminderRow) => (
    <RowActions
      items={[
        {
          label: '删除',
          to: agentReminders.remove,
          danger: true,
          confirm: `删除提醒「${row.content}」？`,
          onClick: () => remove.mutateAsync({ id: row.id }),
        },
      ]}
    />
  )
  return (
    <DataTable
      {...list.table}
      name="reminders"
      rowKey="id"
      columns={[...COLUMNS, actions(rowActions, 80, [agentReminders.remove])]}
      empty={{
        text: '还没有提醒',
        hint: '智能体选用设备工具「设置提醒」后，用户可以对设备说出提醒；到时间后，下次对话时告知',
      }}
    />
  )
}

/** Tab of an agent's page: its memory. */
const AgentMemoryTab = ({ agentId }: { agentId: number }) => <MemoryPanel of={{ agentId }} />
export default AgentMemoryTab
