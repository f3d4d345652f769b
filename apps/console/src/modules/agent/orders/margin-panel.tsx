import { agentMargins, MARGIN_GROUP_CODE, MARGIN_GROUP, MarginRow } from '@oms/contract/agent/orders/order-margin.ts'
import { formatCurrency } from '@oms/contract/core/money.ts'
import { Segmented } from 'antd'
import { useEffect, useRef } from 'react'
import { useLocation } from 'react-router'
import { Waiting } from '#kit/feedback/waiting.tsx'
import { ExportButton } from '#kit/list/export-button.tsx'
import type { ListState } from '#kit/list/list-state.ts'
import { useStoredList } from '#kit/list/use-list.ts'
import { useRead } from '#core/api/query.ts'
import { createColumns } from '#kit/table/columns.tsx'
import { DASH, formatRate } from '#core/text/format.ts'
import { DataTable } from '#kit/table/data-table.tsx'
import { PermittedLink } from '#kit/record/known-link.tsx'
import { agentDetailPath } from '../agents/agent-cells.tsx'
import { changeTableState, changeUsageState, parseTableState, parseUsageState } from '../usage/usage-state.ts'
import '../usage/usage.css'

type By = keyof typeof MARGIN_GROUP

interface Query {
  readonly startDate: string
  readonly endDate: string
  readonly tenantId?: number
}
interface Named {
  readonly id: number
  readonly name: string
}
interface Props {
  readonly query: Query
  /** State of the panel in the URL. */
  readonly address: readonly [params: URLSearchParams, setParams: (next: URLSearchParams) => void]
  /** Called to show the packages of a customer. */
  onTenant(tenant: Named): void
}

const { col } = createColumns(MarginRow)
const RIGHT = { align: 'right', sort: true, width: 130 } as const
type Amount = 'received' | 'income' | 'cost' | 'margin'
type Figures = Pick<MarginRow, Amount | 'hasEstimates'>

/**
 * Formats an amount. Marks cost and margin as estimates when they contain estimates; payments and income contain none.
 */
const amountText = (key: Amount, row: Figures) =>
  `${row.hasEstimates && (key === 'cost' || key === 'margin') ? '约 ' : ''}${formatCurrency(row[key])}`
const amount = (key: Amount, title: string) =>
  col(key, (_, row) => <span className={row[key] < 0 ? 'agent-loss' : undefined}>{amountText(key, row)}</span>, {
    ...RIGHT,
    title,
  })
const rateText = ({ income, margin }: Figures) => (income > 0 ? formatRate(margin / income) : DASH)

const BY = Object.values(MARGIN_GROUP_CODE)
/** Name of the row with the id 0. */
const NAME_OF_NONE: Readonly<Partial<Record<By, string>>> = {
  [MARGIN_GROUP_CODE.package]: '未归入套餐',
  [MARGIN_GROUP_CODE.agent]: '客户共用的套餐等',
  [MARGIN_GROUP_CODE.device]: '智能体或客户共用的套餐等',
}
const LINKS: Readonly<Partial<Record<By, (id: number) => string>>> = {
  [MARGIN_GROUP_CODE.agent]: agentDetailPath,
  [MARGIN_GROUP_CODE.device]: (id) => `/device/apkManage/detail/${id}`,
}
const TITLES = { received: '收款净额', income: '收入', cost: '成本', margin: '毛利' } as const
const AMOUNTS = ['received', 'income', 'cost', 'margin'] as const

/** Income and cost of the voice packages in a period, by customer, package, day, agent or device. */
export function MarginPanel({ query, address, onTenant }: Props) {
  const section = useRef<HTMLElement>(null)
  const isWanted = useLocation().hash === '#margin'
  useEffect(() => {
    if (isWanted) section.current?.scrollIntoView()
  }, [isWanted])
  return (
    <section className="agent-margin" aria-label="收入与成本" ref={section}>
      <div className="kit-card">
        <h2 className="kit-card-title">收入与成本</h2>
        <Sums query={query} />
      </div>
      <Rows query={query} address={address} onTenant={onTenant} />
      <p className="agent-usage-note">
        收款净额按确认收款日减退款；收入按套餐的使用和失效确认，与流水的日期相同，不限量的按有效期平均；成本归入当日使用中的套餐。
        智能体或客户共用的套餐不分摊到设备。来源筛选只用于上面的用量。
      </p>
    </section>
  )
}

/** Shows the sums over all rows. */
function Sums({ query }: { readonly query: Query }) {
  const asked = { ...query, by: MARGIN_GROUP_CODE.tenant, pageSize: 1 }
  const { data, error, refetch } = useRead(agentMargins.list, asked, { quiet: true })
  if (!data || error) return <Waiting reads={[{ error, refetch }]} rows={2} />
  const { sums } = data
  return (
    <dl className="agent-margin-sums">
      {AMOUNTS.map((key) => (
        <div key={key}>
          <dt>{TITLES[key]}</dt>
          <dd className={sums[key] < 0 ? 'agent-loss' : undefined}>{amountText(key, sums)}</dd>
        </div>
      ))}
      <div>
        <dt>毛利率</dt>
        <dd>{rateText(sums)}</dd>
      </div>
    </dl>
  )
}

/** Column with the name of each group. Sortable only when the rows are grouped by day. */
function nameColumn(by: By, onTenant: Props['onTenant']) {
  const render = (_: unknown, row: MarginRow) => <RowName row={row} by={by} onTenant={onTenant} />
  const title = MARGIN_GROUP[by]
  return by === MARGIN_GROUP_CODE.day
    ? col('id', render, { title, width: 190, sort: true })
    : col('name', render, { title, width: 190 })
}

function Rows({ query, address: [params, setParams], onTenant }: Props) {
  const { marginBy: by } = parseUsageState(params, [])
  const onTable = (next: ListState) => setParams(changeTableState(params, 'margin', next))
  const list = useStoredList(agentMargins.list, [parseTableState(params, 'margin'), onTable], { ...query, by })
  const columns = [
    nameColumn(by, onTenant),
    ...AMOUNTS.map((key) => amount(key, TITLES[key])),
    col('hasEstimates', (_, row) => rateText(row), { title: '毛利率', align: 'right', width: 90 }),
  ]
  const choice = (
    <Segmented
      aria-label="收入统计方式"
      value={by}
      onChange={(next) => setParams(changeUsageState(params, { marginBy: next }))}
      options={BY.map((value) => ({ value, label: `按${MARGIN_GROUP[value]}` }))}
    />
  )
  return (
    <DataTable
      {...list.table}
      name={`agent-margin-${by}`}
      rowKey="id"
      columns={columns}
      actions={choice}
      tools={<ExportButton to={agentMargins.export} query={{ ...query, by }} name="智能体收入与成本" columns={[]} />}
      empty={{ text: '这段时间没有收入和成本', hint: '已支付订单的使用和语音服务的成本会出现在这里' }}
    />
  )
}

function RowName({
  row: { id, name },
  by,
  onTenant,
}: Pick<Props, 'onTenant'> & { readonly by: By; readonly row: MarginRow }) {
  if (id === 0) return NAME_OF_NONE[by] ?? '已删除'
  if (name === '') return '已删除'
  const link = LINKS[by]
  if (link) return <PermittedLink to={link(id)}>{name}</PermittedLink>
  if (by !== MARGIN_GROUP_CODE.tenant) return name
  return (
    <button type="button" className="agent-usage-link" onClick={() => onTenant({ id, name })}>
      {name}
    </button>
  )
}
