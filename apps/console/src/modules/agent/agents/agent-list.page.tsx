import { PlusOutlined, BarChartOutlined } from '@ant-design/icons'
import { AgentRow, agents } from '@oms/contract/agent/agents/agent.ts'
import { Button } from 'antd'
import { useState } from 'react'
import { Allowed } from '#core/auth/session.tsx'
import { lazyAfterRender } from '#core/loading/deferred.tsx'
import { ExportButton } from '#kit/list/export-button.tsx'
import { Filter, SelectFilter } from '#kit/list/filter.tsx'
import { DateRangeFilter } from '#kit/list/filter-date.tsx'
import { SearchForm, type SearchProps } from '#kit/list/search-form.tsx'
import { useList } from '#kit/list/use-list.ts'
import { TenantPicker, useHasManyTenants } from '#kit/pickers/tenant-picker.tsx'
import { Page } from '#kit/record/page.tsx'
import { time } from '#kit/record/time.tsx'
import { createColumns } from '#kit/table/columns.tsx'
import { DataTable } from '#kit/table/data-table.tsx'
import { AgentName, AgentStatus, AgentTags, AGENT_ACTION_CALLS, useAgentActions } from './agent.tsx'
import { agentUsage } from '@oms/contract/agent/usage/usage.ts'

const AgentAddForm = lazyAfterRender(() => import('./agent-dialogs.tsx'), 'AgentAddForm')

const { col, actions } = createColumns(AgentRow)
const QUERY = agents.list.input
const COLUMNS = [
  col('agentName', (_, row) => <AgentName row={row} />, { width: 146, sort: true }),
  col('status', (_, row) => <AgentStatus row={row} />, { width: 84 }),
  col('llmName', { width: 120 }),
  col('ttsName', (name, { voiceName }) => (voiceName ? `${name}（${voiceName}）` : name), { width: 140 }),
  col('deviceCount', { width: 80, align: 'right' }),
  col('turns7', { width: 90, align: 'right' }),
  col('lastTalk', time, { width: 152 }),
  col('tags', (tags) => <AgentTags tags={tags} />, { width: 110 }),
  col('versionNo', (no) => `v${no}`, { width: 80, hidden: true }),
  col('tenantName', { width: 150, hidden: true }),
  col('agentCode', { width: 190, hidden: true }),
  col('createTime', time, { width: 170, sort: true, hidden: true }),
  col('updateTime', time, { width: 170, sort: true, hidden: true }),
]
/** Lists the agents. */
export default function AgentListPage() {
  const list = useList(agents.list)
  const [isAdding, setAdding] = useState(false)
  const { rowActions, dialog } = useAgentActions()
  const add = <AddButton onAdd={() => setAdding(true)} />
  return (
    <Page>
      <AgentSearch {...list.search} />
      <DataTable
        {...list.table}
        rowKey="id"
        columns={[...COLUMNS, actions(rowActions, 130, AGENT_ACTION_CALLS)]}
        actions={add}
        tools={
          <>
            <UsageButton />
            <ExportButton to={agents.export} query={list.query} name="智能体" />
          </>
        }
        empty={{ text: '还没有智能体', hint: '从模板新增一个，几秒后就能试着和它说话', action: add }}
      />
      {isAdding && <AgentAddForm onClose={() => setAdding(false)} />}
      {dialog}
    </Page>
  )
}

function AgentSearch(search: SearchProps) {
  const isMany = useHasManyTenants()
  return (
    <SearchForm {...search}>
      <Filter of={QUERY} name="agentName" />
      <Filter of={QUERY} name="agentCode" />
      <Filter of={QUERY} name="tag" />
      <Filter of={QUERY} name="mac" />
      <SelectFilter of={QUERY} name="status" />
      {isMany && (
        <Filter of={QUERY} name="tenantId">
          <TenantPicker />
        </Filter>
      )}
      <DateRangeFilter label="创建时间" />
    </SearchForm>
  )
}

const AddButton = ({ onAdd }: { onAdd(): void }) => (
  <Allowed to={agents.create}>
    <Button type="primary" icon={<PlusOutlined />} onClick={onAdd}>
      新增智能体
    </Button>
  </Allowed>
)

const UsageDrawer = lazyAfterRender(() => import('../usage-panel.tsx'), 'UsageDrawer')

/** Button that opens the usage of all agents. */
function UsageButton() {
  const [isOpen, setOpen] = useState(false)
  return (
    <Allowed to={agentUsage.list}>
      <Button icon={<BarChartOutlined />} onClick={() => setOpen(true)}>
        用量
      </Button>
      {isOpen && <UsageDrawer onClose={() => setOpen(false)} />}
    </Allowed>
  )
}
