import { agentUsage, USAGE_BY, USAGE_GROUP, type UsageFigures, UsageRow } from '@oms/contract/agent/usage/usage.ts'
import { Form, type FormInstance, Segmented, Tag } from 'antd'
import { type ReactElement, useState } from 'react'
import { useCan } from '#core/auth/session.tsx'
import { lazyAfterRender } from '#core/loading/deferred.tsx'
import { formatDayBeforeToday } from '#core/text/format.ts'
import { Chart } from '#kit/chart/chart.tsx'
import { StatPanel } from '#kit/chart/stat-panel.tsx'
import { ExportButton } from '#kit/list/export-button.tsx'
import { SelectFilter } from '#kit/list/filter.tsx'
import { DateRangeFilter } from '#kit/list/filter-date.tsx'
import { useInnerList } from '#kit/list/use-list.ts'
import { createColumns } from '#kit/table/columns.tsx'
import { DataTable } from '#kit/table/data-table.tsx'
import { FIGURE_FORMATS, formatFigure, UsageName } from './usage-cells.tsx'
import './usage.css'

const UsageTalks = lazyAfterRender(() => import('./usage-talks.tsx'), 'UsageTalks')

/** Agent, device or tenant whose use is shown. Without values, the panel shows all use that the account may see. */
interface Owner {
  readonly agentId?: number
  readonly deviceId?: number
  readonly tenantId?: number
}
interface Tenant {
  readonly id: number
  readonly name: string
}
type By = keyof typeof USAGE_GROUP
type Measure = keyof typeof FIGURE_FORMATS

/** Initial customer and period of the panel. */
interface Start {
  readonly tenantId?: number | undefined
  readonly startDate?: string | undefined
  readonly endDate?: string | undefined
}

interface ExtraProps {
  readonly query: { readonly startDate: string; readonly endDate: string; readonly tenantId?: number }
  onTenant(tenant: Tenant): void
}

interface Props {
  readonly of?: Owner
  readonly start?: Start
  /** Field that filters by customer. Without this field, a chosen customer is shown as a tag. */
  readonly tenantSelect?: ReactElement
  /** Renders further figures of the same period and customer. */
  readonly extra?: (of: ExtraProps) => ReactElement
  /** Ways of grouping that the table offers. */
  readonly groups?: readonly By[]
}

const MEASURES = Object.entries(FIGURE_FORMATS).map(([value, { title }]) => ({ value: value as Measure, label: title }))
const ALL_GROUPS = [USAGE_BY.tenant, USAGE_BY.agent, USAGE_BY.device, USAGE_BY.model, USAGE_BY.source] as const

/** Shows the measured usage: one figure by day, and all figures by tenant, agent, device or model. */
export function UsagePanel({ of = {}, start = {}, groups = ALL_GROUPS, tenantSelect, extra }: Props) {
  const { form, range, tenantId, source } = useFilters(start)
  const [by, setBy] = useState<By>(groups[0]!)
  const [tenant, setTenant] = useState<Tenant>()
  const period = { ...of, ...range, ...(tenant && { tenantId: tenant.id }), ...(tenantId && { tenantId }) }
  const query = { ...period, ...(source && { source }) }
  const choose = (chosen: Tenant) => (tenantSelect ? form.setFieldsValue({ tenantId: chosen.id }) : setTenant(chosen))
  const onTenant = (chosen: Tenant) => {
    choose(chosen)
    setBy(USAGE_BY.agent)
  }
  return (
    <div className="agent-usage">
      {tenant && (
        <div>
          <Tag closable onClose={() => setTenant(undefined)}>
            客户：{tenant.name}
          </Tag>
        </div>
      )}
      <Days query={query} form={form} tenantSelect={tenantSelect} />
      <Groups
        key={JSON.stringify([query, by])}
        query={query}
        by={by}
        groups={groups}
        onBy={setBy}
        onTenant={onTenant}
      />
      <p className="agent-usage-note">
        “约”表示含估算：没有录音的语音按字数估算时长，未经中转的模型按字数估算 tokens。删除对话不减少用量。
      </p>
      {extra?.({ query: period, onTenant: choose })}
    </div>
  )
}

interface DaysProps {
  readonly query: Query
  readonly form: FormInstance
  readonly tenantSelect: ReactElement | undefined
}

/** Chart of one figure by day, with inputs for the figure and the period. */
function Days({ query, form, tenantSelect }: DaysProps) {
  const [measure, setMeasure] = useState<Measure>('turns')
  return (
    <>
      <div className="agent-usage-tools">
        <Segmented aria-label="用量" value={measure} onChange={setMeasure} options={MEASURES} />
        <Form
          form={form}
          className="agent-usage-period"
          initialValues={{ startDate: query.startDate, endDate: query.endDate, tenantId: query.tenantId }}
        >
          {tenantSelect && (
            <Form.Item label="客户" name="tenantId">
              {tenantSelect}
            </Form.Item>
          )}
          <SelectFilter of={agentUsage.list.input} name="source" all="全部" />
          <DateRangeFilter label="日期" begin="startDate" end="endDate" />
        </Form>
      </div>
      <DayChart query={query} measure={measure} />
    </>
  )
}

/** Holds the period and the customer in form fields. The default period is the last 30 days. */
function useFilters(start: Start) {
  const [form] = Form.useForm()
  const watched = { form, preserve: true } as const
  const startDate =
    (Form.useWatch('startDate', watched) as string | undefined) ?? start.startDate ?? formatDayBeforeToday(29)
  const endDate = (Form.useWatch('endDate', watched) as string | undefined) ?? start.endDate ?? formatDayBeforeToday(0)
  const chosen = Form.useWatch('tenantId', watched) as number | undefined
  const source = Number(Form.useWatch('source', watched)) || undefined
  // The form has no value before its first render.
  const tenantId = form.isFieldsTouched() || chosen !== undefined ? chosen : start.tenantId
  return { form, range: { startDate, endDate }, tenantId, source }
}

type Query = Owner & ReturnType<typeof useFilters>['range'] & { readonly source?: number }

function DayChart({ query, measure }: { readonly query: Query; readonly measure: Measure }) {
  const { title, value } = FIGURE_FORMATS[measure]
  const sum = (figures: UsageFigures) => formatFigure(measure, figures)
  return (
    <StatPanel
      title={`每日${title}`}
      to={agentUsage.days}
      input={query}
      emptyText={({ total }) => (value(total) > 0 ? undefined : '这段时间没有用量')}
    >
      {({ total, days }) => (
        <>
          <p className="agent-usage-total">
            合计 <b>{sum(total)}</b>
          </p>
          <Chart
            name={`每日${title}`}
            data={{
              kind: 'column',
              categoryTitle: '日期',
              categories: days.map(({ day }) => ({ label: day.slice(5), title: day })),
              series: [{ name: title, color: '#3b82f6', values: days.map(value) }],
            }}
          />
        </>
      )}
    </StatPanel>
  )
}

interface GroupsProps {
  readonly query: Query
  readonly by: By
  readonly groups: readonly By[]
  onBy(by: By): void
  onTenant(tenant: Tenant): void
}

const { col } = createColumns(UsageRow)
const figure = (measure: Measure) => (_value: unknown, row: UsageRow) => formatFigure(measure, row)
const RIGHT = { align: 'right', sort: true, width: 110 } as const

/** Columns that are hidden by default. */
const MORE = (['toolCalls', 'tokensIn', 'tokensOut', 'tokensCached'] as const).map((key) =>
  col(key, (n) => (n as number).toLocaleString(), { align: 'right', width: 110, hidden: true }),
)

interface ColumnParts {
  readonly by: By
  onTenant(tenant: Tenant): void
  /** Opens the conversations of a row; absent for groups without conversations. */
  readonly onTalks: ((row: UsageRow) => void) | undefined
}

const columnsFor = ({ by, onTenant, onTalks }: ColumnParts) => [
  col('name', (_name, row) => <UsageName row={row} by={by} onTenant={onTenant} />, {
    title: USAGE_GROUP[by],
    width: 190,
  }),
  ...(by === USAGE_BY.tenant || by === USAGE_BY.source ? [] : [col('tenantName', { width: 140 })]),
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
    <button type="button" className="agent-usage-link" onClick={() => onOpen(row)}>
      {text}
    </button>
  )
}

/** All figures by group. The turns of an agent or a device open its conversations. */
function Groups({ query, by, groups, onBy, onTenant }: GroupsProps) {
  const list = useInnerList(agentUsage.list, { ...query, by })
  const [shown, setShown] = useState<UsageRow>()
  const can = useCan()
  const hasTalks = (by === USAGE_BY.agent || by === USAGE_BY.device) && can('agent:agent:history')
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
      {shown && <UsageTalks row={shown} isDevice={by === USAGE_BY.device} onClose={() => setShown(undefined)} />}
    </>
  )
}
