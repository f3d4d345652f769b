import { MobileOutlined, RobotOutlined, SoundOutlined } from '@ant-design/icons'
import type { AgentRow } from '@oms/contract/agent/agents/agent.ts'
import { Spin } from 'antd'
import type { ReactNode } from 'react'
import { Pager } from '#kit/list/pager.tsx'
import { type RowAction, RowActions } from '#kit/list/row-actions.tsx'
import type { ListTable } from '#kit/list/use-list.ts'
import { Time } from '#kit/record/time.tsx'
import { type EmptyTableState, EmptyRows, LoadFailed, RowsSkeleton } from '#kit/table/table-state.tsx'
import { AgentName, AgentStatus, AgentTags } from './agent-cells.tsx'
import './agent.css'

interface CardsProps extends ListTable<AgentRow> {
  readonly actions: ReactNode
  readonly tools: ReactNode
  readonly empty: EmptyTableState
  actionsOf(row: AgentRow): RowAction[]
}

/** Agents as cards: models, devices and the turns of the last seven days at a glance. */
export function AgentCards(props: CardsProps) {
  const { rows, refusal, pending, turning, empty, actionsOf } = props
  return (
    <section className="kit-card" aria-busy={props.fetching}>
      <div className="agent-cards-bar">
        <div>{props.actions}</div>
        <div className="agent-cards-tools">{props.tools}</div>
      </div>
      <Content {...props} refusal={refusal} pending={pending}>
        {rows.length === 0 && (
          <EmptyRows
            filtered={props.filtered}
            pageNum={props.pageNum}
            pageSize={props.pageSize}
            empty={empty}
            onClear={props.onClear}
            onPage={props.onPage}
          />
        )}
        <Spin spinning={turning} delay={150}>
          <ul className="agent-cards">
            {rows.map((row) => (
              <AgentCard key={row.id} row={row} actions={actionsOf(row)} />
            ))}
          </ul>
        </Spin>
      </Content>
      {props.onPage && props.total > 0 && (
        <Pager
          total={props.total}
          isEstimate={props.isEstimate}
          pageNum={props.pageNum}
          pageSize={props.pageSize}
          onPage={props.onPage}
        />
      )}
    </section>
  )
}

function Content({ refusal, pending, onRefresh, children }: CardsProps & { children: ReactNode }) {
  if (refusal) return <LoadFailed refusal={refusal} onRetry={onRefresh} />
  return pending ? <RowsSkeleton rows={6} /> : children
}

const AgentCard = ({ row, actions }: { row: AgentRow; actions: RowAction[] }) => (
  <li className="agent-card">
    <header>
      <span className="agent-avatar" aria-hidden>
        {[...row.agentName][0]}
      </span>
      <div className="agent-card-title">
        <AgentName row={row} />
        <small>{row.tenantName}</small>
      </div>
      <AgentStatus row={row} />
    </header>
    <Facts row={row} />
    <div className="agent-card-tags">
      v{row.versionNo}
      <AgentTags tags={row.tags} />
    </div>
    <footer>
      <small>{row.lastTalk ? <Time at={row.lastTalk} /> : '还没有对话'}</small>
      <RowActions items={actions} shown={2} />
    </footer>
  </li>
)

const Facts = ({ row }: { row: AgentRow }) => (
  <dl>
    <div>
      <dt>
        <RobotOutlined aria-hidden /> 大语言模型
      </dt>
      <dd>{row.llmName || '未选择'}</dd>
    </div>
    <div>
      <dt>
        <SoundOutlined aria-hidden /> 语音
      </dt>
      <dd>{[row.ttsName || '未选择', row.voiceName].filter(Boolean).join(' · ')}</dd>
    </div>
    <div>
      <dt>
        <MobileOutlined aria-hidden /> 设备
      </dt>
      <dd>
        {row.deviceCount} 台 · 7 日 {row.turns7} 轮
      </dd>
    </div>
  </dl>
)
