import { type AgentDetail, agents } from '@oms/contract/agent/agents/agent.ts'
import { Alert, Skeleton, Space, Tabs, Tag, Button } from 'antd'
import { type ComponentType, lazy, type ReactNode, Suspense, useState } from 'react'
import { useParams } from 'react-router'
import { useCan, Allowed } from '#core/auth/session.tsx'
import { useRead, useWrite } from '#core/api/query.ts'
import { loadChunk } from '#core/loading/load-chunk.ts'
import { type AgentTab, listAgentTabs } from '#core/routing/agent-tabs.ts'
import { useTab, useTabTitle } from '#core/routing/tab.tsx'
import { useView } from '#core/routing/view.ts'
import { Waiting } from '#kit/feedback/waiting.tsx'
import { RowActions } from '#kit/list/row-actions.tsx'
import { CopyText } from '#kit/record/copy-text.tsx'
import { Page, Panel } from '#kit/record/page.tsx'
import { HeadActions, RecordHead } from '#kit/record/record-head.tsx'
import { RecordHistory } from '#kit/record/record-history.tsx'
import { RecordPage } from '#kit/record/record-page.tsx'
import { AgentStatus, useAgentActions } from './agent.tsx'
import { AgentForm } from './agent-form.tsx'
import './agent.css'
import { agentVersions, VERSION_SOURCE, type VersionRow } from '@oms/contract/agent/agents/agent-version.ts'
import { ERASURE_WARNING } from '@oms/contract/agent/agents/agent-input.ts'
import { lazyAfterRender } from '#core/loading/deferred.tsx'
import { Time, time } from '#kit/record/time.tsx'
import { PlusOutlined, RobotOutlined } from '@ant-design/icons'
import { WordFileRow, wordFiles } from '@oms/contract/agent/agents/word-file.ts'
import { useInnerList } from '#kit/list/use-list.ts'
import { createColumns } from '#kit/table/columns.tsx'
import { DataTable } from '#kit/table/data-table.tsx'

const LIST = '/agent/agent'

/** Page of an agent: form with try-out, versions, word files, and the tabs that other features declare. */
export default function AgentDetailPage() {
  const id = Number(useParams()['id'])
  const read = useRead(agents.get, { id }, { quiet: true, keepPrevious: false })
  useTabTitle(read.data?.agentName)
  return (
    <RecordPage read={read} list={LIST}>
      {(agent) => <Shown agent={agent} />}
    </RecordPage>
  )
}

function Shown({ agent }: { agent: AgentDetail }) {
  const tab = useTab()
  const { changesOf, dialog } = useAgentActions({ onRemoved: () => tab.close(LIST) })
  return (
    <Page>
      <RecordHead
        name={agent.agentName}
        icon={<RobotOutlined />}
        state={<AgentStatus row={agent} />}
        facts={[
          ['设备', `${agent.deviceCount} 台`],
          ['近 7 日', `${agent.turns7} 轮`],
          ['编码', <CopyText key="code" text={agent.agentCode} />],
        ]}
        actions={<HeadActions items={changesOf(agent)} hasPrimary={false} />}
      />
      {agent.problem && <Alert type="warning" showIcon title={`待配置：${agent.problem}`} />}
      <Panel>
        <AgentTabs agent={agent} />
      </Panel>
      {dialog}
    </Page>
  )
}

type TabPanel = ComponentType<{ agentId: number; agentName: string }>
const panels = new Map<string, TabPanel>()

/** Loads the code of a tab when the tab is opened. */
function panelOf({ key, panel }: AgentTab): TabPanel {
  const known = panels.get(key)
  if (known) return known
  const made = lazy(() => loadChunk(panel))
  panels.set(key, made)
  return made
}

interface Item {
  readonly key: string
  readonly label: string
  readonly order: number
  readonly children: ReactNode
}

function AgentTabs({ agent }: { agent: AgentDetail }) {
  const can = useCan()
  const { id, agentName } = agent
  const [tab, setTab] = useView('form')
  const own: Item[] = [
    { key: 'form', label: '设定与试用', order: 10, children: <FormTab agent={agent} /> },
    { key: 'versions', label: '版本', order: 20, children: <VersionTab agent={agent} /> },
    { key: 'words', label: '替换词', order: 40, children: <WordTab agent={agent} /> },
    { key: 'log', label: '操作记录', order: 90, children: <RecordHistory bizType="agent" bizId={id} /> },
  ]
  const added = listAgentTabs()
    .filter(({ access }) => can(access))
    .map((tab): Item => {
      const Content = panelOf(tab)
      return { ...tab, children: <Content agentId={id} agentName={agentName} /> }
    })
  const items = [...own, ...added].sort((a, b) => a.order - b.order)
  return (
    <Tabs
      className="agent-tabs"
      activeKey={items.some(({ key }) => key === tab) ? tab : 'form'}
      onChange={setTab}
      items={items.map(({ key, label, children }) => ({
        key,
        label,
        children: <Suspense fallback={<Skeleton active title={false} />}>{children}</Suspense>,
      }))}
    />
  )
}

function FormTab({ agent }: { agent: AgentDetail }) {
  const { data, error, refetch } = useRead(agents.choices, { tenantId: agent.tenantId }, { quiet: true })
  if (!data) return <Waiting reads={[{ error, refetch }]} />
  return <AgentForm agent={agent} choices={data} />
}

const DiffDialog = lazyAfterRender(() => import('./agent-dialogs.tsx'), 'DiffDialog')

/** Versions of an agent, newest first. */
function VersionTab({ agent }: { agent: AgentDetail }) {
  const { data, error, refetch } = useRead(agentVersions.list, { id: agent.id }, { quiet: true })
  const [compared, setCompared] = useState<number>()
  if (!data) return <Waiting reads={[{ error, refetch }]} />
  return (
    <>
      <ul className="kit-items">
        {data.list.map((version) => (
          <Version key={version.versionNo} agent={agent} version={version} onCompare={setCompared} />
        ))}
      </ul>
      {compared !== undefined && (
        <DiffDialog agentId={agent.id} versionNo={compared} onClose={() => setCompared(undefined)} />
      )}
    </>
  )
}

interface VersionProps {
  readonly agent: AgentDetail
  readonly version: VersionRow
  onCompare(versionNo: number): void
}

const changedText = ({ versionNo, changed }: VersionRow) =>
  changed.length > 0 ? `修改：${changed.join('、')}` : versionNo === 1 ? '首个版本' : '没有字段变化'

function Version({ agent, version, onCompare }: VersionProps) {
  const { versionNo, source, note, createName, createTime, sessions, turns, erases } = version
  const restore = useWrite(agentVersions.restore)
  const isCurrent = versionNo === agent.versionNo
  const actions = isCurrent
    ? []
    : [
        { label: '对比当前', to: agentVersions.diff, onClick: () => onCompare(versionNo) },
        {
          label: '恢复',
          to: agentVersions.restore,
          confirm: `恢复版本 v${versionNo}？将生成一个新版本，设备下次连接时生效。${erases ? ERASURE_WARNING[erases] : ''}`,
          // The confirmation dialog above names the data that is erased.
          onClick: () => restore.mutateAsync({ id: agent.id, versionNo, rev: agent.rev, confirmErase: erases ? 1 : 0 }),
        },
      ]
  return (
    <li className="kit-row">
      <div className="kit-main">
        <Space size={8} wrap>
          <b>v{versionNo}</b>
          {isCurrent && <Tag color="success">当前</Tag>}
          <span>{VERSION_SOURCE[source as keyof typeof VERSION_SOURCE]}</span>
          {note && <span>{note}</span>}
        </Space>
        <div className="kit-muted">{changedText(version)}</div>
        <small>
          <Time at={createTime} /> {createName} · 30 日 {sessions} 次对话 {turns} 轮
        </small>
      </div>
      <RowActions items={actions} />
    </li>
  )
}

const WordForm = lazyAfterRender(() => import('./agent-dialogs.tsx'), 'WordForm')

const { col, actions } = createColumns(WordFileRow)
const COLUMNS = [
  col('name', { width: 220 }),
  col('count', { width: 90, align: 'right' }),
  col('usedBy', { width: 120, align: 'right' }),
  col('updateTime', time, { width: 170 }),
]

/** Word files of the agent's tenant. */
function WordTab({ agent }: { agent: Pick<AgentDetail, 'id' | 'agentName' | 'tenantId'> }) {
  const list = useInnerList(wordFiles.list, { tenantId: agent.tenantId })
  const [edited, setEdited] = useState<WordFileRow | 'new'>()
  const remove = useWrite(wordFiles.remove)
  const rowActions = (row: WordFileRow) => (
    <RowActions
      items={[
        { label: '编辑', to: wordFiles.update, onClick: () => setEdited(row) },
        {
          label: '删除',
          to: wordFiles.remove,
          danger: true,
          confirm: `删除替换词文件「${row.name}」？`,
          onClick: () => remove.mutateAsync({ id: row.id }),
        },
      ]}
    />
  )
  const add = (
    <Allowed to={wordFiles.create}>
      <Button type="primary" icon={<PlusOutlined />} onClick={() => setEdited('new')}>
        新增替换词文件
      </Button>
    </Allowed>
  )
  return (
    <>
      <DataTable
        {...list.table}
        name="words"
        rowKey="id"
        columns={[...COLUMNS, actions(rowActions, 120, [wordFiles.update, wordFiles.remove])]}
        actions={add}
        empty={{ text: '还没有替换词文件', hint: '每行“原词|替换词”，纠正语音识别的错字' }}
      />
      {edited && <WordForm row={edited} agent={agent} onClose={() => setEdited(undefined)} />}
    </>
  )
}
