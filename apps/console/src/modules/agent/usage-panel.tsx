import { INCOME_GROUP_CODE } from '@oms/contract/agent/orders/order-income.ts'
import {
  agentUsage,
  USAGE_GROUP_CODE,
  USAGE_GROUP,
  type UsageFigures,
  UsageRow,
} from '@oms/contract/agent/usage/usage.ts'
import { Segmented, Tag, Drawer } from 'antd'
import { type ReactElement, useState } from 'react'
import { useCan } from '#core/auth/session.tsx'
import { lazyAfterRender } from '#core/loading/deferred.tsx'
import { CHART_HEIGHT } from '#kit/chart/chart-height.ts'
import { SERIES_COLORS } from '#kit/chart/palette.ts'
import { Chart } from '#kit/chart/chart.tsx'
import { StatPanel } from '#kit/chart/stat-panel.tsx'
import { ExportButton } from '#kit/list/export-button.tsx'
import { Filter, SelectFilter } from '#kit/list/filter.tsx'
import { DateRangeFilter } from '#kit/list/filter-date.tsx'
import { type ListState, omitEmptyFilters } from '#kit/list/list-state.ts'
import { SearchForm } from '#kit/list/search-form.tsx'
import { useStoredList } from '#kit/list/use-list.ts'
import { createColumns } from '#kit/table/columns.tsx'
import { DataTable } from '#kit/table/data-table.tsx'
import { FIGURE_FORMATS, formatFigure, UsageName } from './usage-cells.tsx'
import {
  changeTableState,
  changeUsageState,
  type UsageMeasure,
  parseTableState,
  parseUsageState,
  type UsageBy,
  type UsageState,
} from './usage-state.ts'

const UsageTalks = lazyAfterRender(() => import('./history/history-panel.tsx'), 'UsageTalks')

/** Agent or device whose usage is shown. Without both, the panel shows all usage that the account may see. */
interface Owner {
  readonly agentId?: number
  readonly deviceId?: number
}
interface Tenant {
  readonly id: number
  readonly name: string
}
/** State of the panel as URL parameters, and a function that changes the parameters. */
type Address = readonly [params: URLSearchParams, setParams: (next: URLSearchParams) => void]

interface ExtraProps {
  readonly query: { readonly startDate: string; readonly endDate: string; readonly tenantId?: number }
  readonly address: Address
  onTenant(tenant: Tenant): void
}

interface Props {
  readonly of?: Owner
  /** URL parameters that store the state. Without `address`, the panel stores its state in memory. */
  readonly address?: Address
  /** Field that filters by customer. Without this field, a chosen customer is shown as a tag. */
  readonly tenantSelect?: ReactElement
  /** Renders further figures of the same period and customer. */
  readonly extra?: (of: ExtraProps) => ReactElement
  /** Ways of grouping that the table offers. */
  readonly groups?: readonly UsageBy[]
}

const MEASURES = Object.entries(FIGURE_FORMATS).map(([value, { title }]) => ({
  value: value as UsageMeasure,
  label: title,
}))
const ALL_GROUPS = [
  USAGE_GROUP_CODE.tenant,
  USAGE_GROUP_CODE.agent,
  USAGE_GROUP_CODE.device,
  USAGE_GROUP_CODE.model,
  USAGE_GROUP_CODE.source,
] as const

/** Shows the usage: a chart of one measure by day, and a table of all measures by tenant, agent, device or model. */
export function UsagePanel({ of = {}, address: given, groups = ALL_GROUPS, tenantSelect, extra }: Props) {
  const own = useState(() => new URLSearchParams())
  const address = given ?? own
  const [params, setParams] = address
  const { measure, by, incomeBy: _, source, ...period } = parseUsageState(params, groups)
  const [tenant, setTenant] = useState<Tenant>()
  const change = (changes: object) => setParams(changeUsageState(params, { ...changes }))
  const query = { ...of, ...period, ...(source && { source }) }
  const choose = (chosen: Tenant, more: object) => {
    setTenant(chosen)
    change({ tenantId: chosen.id, ...more })
  }
  return (
    <div className="kit-stack">
      {!tenantSelect && tenant && period.tenantId && (
        <ChosenTenant tenant={tenant} onClose={() => change({ tenantId: undefined })} />
      )}
      <UsageSearch initial={query} tenantSelect={tenantSelect} onSearch={change} />
      <MeasureChoice value={measure} onChange={(next) => change({ measure: next })} />
      <DayChart query={query} measure={measure} onDay={(day) => change({ startDate: day, endDate: day })} />
      <Groups
        query={query}
        by={by}
        groups={groups}
        address={address}
        onBy={(next) => change({ by: next })}
        onTenant={(chosen) => choose(chosen, { by: USAGE_GROUP_CODE.agent })}
      />
      <p className="kit-muted">{ESTIMATE_NOTE}</p>
      {extra?.({
        query: period,
        address,
        onTenant: (chosen) => choose(chosen, { incomeBy: INCOME_GROUP_CODE.package }),
      })}
    </div>
  )
}

const MeasureChoice = (props: { readonly value: UsageMeasure; onChange(next: UsageMeasure): void }) => (
  <Segmented aria-label="用量" options={MEASURES} {...props} />
)

const ESTIMATE_NOTE =
  '“约”表示含估算：没有录音的语音按字数估算时长，未经中转的模型按字数估算 Token。删除对话不减少用量。'

const ChosenTenant = ({ tenant, onClose }: { readonly tenant: Tenant; onClose(): void }) => (
  <div>
    <Tag closable onClose={onClose}>
      客户：{tenant.name}
    </Tag>
  </div>
)

interface SearchProps {
  readonly initial: Query
  readonly tenantSelect: ReactElement | undefined
  onSearch(changes: object): void
}

/** Filters of the panel. An empty filter is removed from the URL. */
function UsageSearch({ initial, tenantSelect, onSearch }: SearchProps) {
  const { startDate, endDate, tenantId, source } = initial
  const search = (values: object) =>
    onSearch({ startDate: undefined, endDate: undefined, source: undefined, tenantId: undefined, ...values })
  return (
    <SearchForm initial={omitEmptyFilters({ startDate, endDate, tenantId, source })} onSearch={search}>
      <DateRangeFilter label="日期" begin="startDate" end="endDate" />
      {tenantSelect && (
        <Filter of={agentUsage.list.input} name="tenantId">
          {tenantSelect}
        </Filter>
      )}
      <SelectFilter of={agentUsage.list.input} name="source" all="全部" />
    </SearchForm>
  )
}

type Query = Owner & Pick<UsageState, 'startDate' | 'endDate' | 'tenantId' | 'source'>

interface DayChartProps {
  readonly query: Query
  readonly measure: UsageMeasure
  /** Filters the panel by a day. */
  onDay(day: string): void
}

/** Chart of one measure by day. A click on a day filters the panel by this day. */
function DayChart({ query, measure, onDay }: DayChartProps) {
  const { title, value } = FIGURE_FORMATS[measure]
  const sum = (figures: UsageFigures) => formatFigure(measure, figures)
  const isOneDay = query.startDate === query.endDate
  return (
    <StatPanel
      title={`每日${title}`}
      to={agentUsage.days}
      chart={CHART_HEIGHT}
      input={query}
      emptyText={({ total }) => (value(total) > 0 ? undefined : `这段时间没有${title}`)}
    >
      {({ total, days }) => (
        <>
          <p className="kit-muted kit-sum">
            合计 <b>{sum(total)}</b>
          </p>
          <Chart
            name={`每日${title}`}
            data={{
              kind: 'column',
              categoryTitle: '日期',
              categories: days.map(({ day }) => ({ label: day.slice(5), title: day })),
              series: [
                {
                  name: title,
                  color: SERIES_COLORS.created,
                  values: days.map(value),
                  ...(!isOneDay && { links: days.map(({ day }) => day) }),
                },
              ],
            }}
            onOpen={onDay}
          />
        </>
      )}
    </StatPanel>
  )
}

interface GroupsProps {
  readonly query: Query
  readonly by: UsageBy
  readonly groups: readonly UsageBy[]
  readonly address: Address
  onBy(by: UsageBy): void
  onTenant(tenant: Tenant): void
}

const { col } = createColumns(UsageRow)
const figure = (measure: UsageMeasure) => (_value: unknown, row: UsageRow) => formatFigure(measure, row)
const RIGHT = { align: 'right', sort: true, width: 110 } as const

/** Columns that are hidden by default. */
const MORE = (['toolCalls', 'tokensIn', 'tokensOut', 'tokensCached'] as const).map((key) =>
  col(key, (n) => (n as number).toLocaleString(), { align: 'right', width: 110, hidden: true }),
)

interface ColumnParts {
  readonly by: UsageBy
  onTenant(tenant: Tenant): void
  /** Opens the conversations of a row; absent for groups without conversations. */
  readonly onTalks: ((row: UsageRow) => void) | undefined
}

const columnsFor = ({ by, onTenant, onTalks }: ColumnParts) => [
  col('name', (_name, row) => <UsageName row={row} by={by} onTenant={onTenant} />, {
    title: USAGE_GROUP[by],
    width: 190,
  }),
  ...(by === USAGE_GROUP_CODE.tenant || by === USAGE_GROUP_CODE.source ? [] : [col('tenantName', { width: 140 })]),
  col('sessions', figure('sessions'), RIGHT),
  col('turns', (_turns, row) => <Turns row={row} onOpen={onTalks} />, RIGHT),
  col('minutes', figure('minutes'), RIGHT),
  col('characters', figure('characters'), RIGHT),
  col('tokens', figure('tokens'), { ...RIGHT, width: 130 }),
  col('deviceDays', figure('deviceDays'), { align: 'right', width: 100 }),
  col('cost', figure('cost'), { ...RIGHT, title: '成本（元）' }),
  ...MORE,
]

interface TurnsProps {
  readonly row: UsageRow
  readonly onOpen: ColumnParts['onTalks']
}

function Turns({ row, onOpen }: TurnsProps) {
  const text = formatFigure('turns', row)
  if (!onOpen || row.id === 0 || row.turns === 0) return text
  return (
    <button type="button" className="kit-link" onClick={() => onOpen(row)}>
      {text}
    </button>
  )
}

/** All figures by group. The turns of an agent or a device open its conversations. */
function Groups({ query, by, groups, address: [params, setParams], onBy, onTenant }: GroupsProps) {
  const onTable = (next: ListState) => setParams(changeTableState(params, 'usage', next))
  const list = useStoredList(agentUsage.list, [parseTableState(params, 'usage'), onTable], { ...query, by })
  const [shown, setShown] = useState<UsageRow>()
  const can = useCan()
  const hasTalks = (by === USAGE_GROUP_CODE.agent || by === USAGE_GROUP_CODE.device) && can('agent:agent:history')
  const choice = (
    <Segmented
      aria-label="统计方式"
      value={by}
      onChange={onBy}
      options={groups.map((value) => ({ value, label: `按${USAGE_GROUP[value]}` }))}
    />
  )
  return (
    <>
      <DataTable
        {...list.table}
        name={`agent-usage-${by}`}
        rowKey="id"
        columns={columnsFor({ by, onTenant, onTalks: hasTalks ? setShown : undefined })}
        actions={groups.length > 1 && choice}
        tools={<ExportButton to={agentUsage.export} query={{ ...query, by }} name="智能体用量" columns={[]} />}
        empty={{ text: '这段时间没有用量', hint: '设备对话、试用和后台任务的用量会出现在这里' }}
      />
      {shown && (
        <UsageTalks
          row={shown}
          isDevice={by === USAGE_GROUP_CODE.device}
          period={query}
          onClose={() => setShown(undefined)}
        />
      )}
    </>
  )
}

const GROUPS = [USAGE_GROUP_CODE.device, USAGE_GROUP_CODE.model] as const

/** Tab of an agent's page: its use by day, device and model. */
const AgentUsageTab = ({ agentId }: { readonly agentId: number }) => <UsagePanel of={{ agentId }} groups={GROUPS} />
export default AgentUsageTab

/** Drawer with the usage of all agents. */
export const UsageDrawer = ({ onClose }: { onClose(): void }) => (
  <Drawer open size="min(1160px, 100vw)" title="用量" onClose={onClose}>
    <UsagePanel />
  </Drawer>
)
