import { type AgentDetail, agents } from '@oms/contract/agent/agents/agent.ts'
import { Alert, Skeleton, Space, Tabs } from 'antd'
import { type ComponentType, lazy, type ReactNode, Suspense } from 'react'
import { useParams } from 'react-router'
import { useCan } from '#core/auth/session.tsx'
import { useRead } from '#core/api/query.ts'
import { loadChunk } from '#core/loading/load-chunk.ts'
import { type AgentTab, listAgentTabs } from '#core/routing/agent-tabs.ts'
import { useTab, useTabTitle } from '#core/routing/tab.tsx'
import { useView } from '#core/routing/view.ts'
import { Waiting } from '#kit/feedback/waiting.tsx'
import { RowActions } from '#kit/list/row-actions.tsx'
import { CopyText } from '#kit/record/copy-text.tsx'
import { Page, Panel } from '#kit/record/page.tsx'
import { RecordHistory } from '#kit/record/record-history.tsx'
import { RecordPage } from '#kit/record/record-page.tsx'
import { AgentStatus } from './agent-cells.tsx'
import { AgentForm } from './agent-form.tsx'
import { useAgentActions } from './use-agent-actions.tsx'
import { VersionTab } from './version-tab.tsx'
import { WordTab } from './word-tab.tsx'
import './agent.css'

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
  const extra = (
    <Space wrap>
      <span className="kit-muted">
        {agent.deviceCount} 台设备 · 7 日 {agent.turns7} 轮
      </span>
      <AgentStatus row={agent} />
      <RowActions items={changesOf(agent)} />
    </Space>
  )
  return (
    <Page title={agent.agentName} extra={extra} intro={<AgentCode code={agent.agentCode} />}>
      {agent.problem && <Alert type="warning" showIcon title={`待配置：${agent.problem}`} />}
      <Panel>
        <AgentTabs agent={agent} />
      </Panel>
      {dialog}
    </Page>
  )
}

/** Shows the code of an agent, by which the import of bindings names the agent. */
const AgentCode = ({ code }: { code: string }) => (
  <span className="kit-muted">
    智能体编码 <CopyText text={code} />
  </span>
)

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
