import { agentIncome, INCOME_GROUP_CODE, INCOME_GROUP, IncomeRow } from '@oms/contract/agent/orders/order-income.ts'
import { useMayCall } from '#core/auth/session.tsx'
import { useSearchParams } from '#core/routing/router.tsx'
import { useIsVendor } from './order-cells.tsx'
import { TenantPicker, useHasManyTenants } from '#kit/pickers/tenant-picker.tsx'
import { UsagePanel } from '../usage-panel.tsx'
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
import { DataTable } from '#kit/table/data-table.tsx'
import { PermittedLink } from '#kit/record/known-link.tsx'
import { agentDetailPath } from '../agents/agent.tsx'
import { changeTableState, changeUsageState, parseTableState, parseUsageState } from '../usage-state.ts'

/** View 用量 of the order page: the measured usage and, for the vendor, income and cost. The URL has all filters. */
export function OrderUsage() {
  const address = useSearchParams()
  const hasBuyers = useHasManyTenants()
  const isVendor = useIsVendor()
  const mayReadIncome = useMayCall()(agentIncome.list)
  return (
    <UsagePanel
      address={address}
      {...(hasBuyers && { tenantSelect: <TenantPicker /> })}
      {...(isVendor && mayReadIncome && { extra: (of) => <IncomePanel {...of} /> })}
    />
  )
}

type By = keyof typeof INCOME_GROUP

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

const { col } = createColumns(IncomeRow)
const RIGHT = { align: 'right', sort: true, width: 130 } as const
type Amount = 'income' | 'cost'
type Figures = Pick<IncomeRow, Amount | 'hasEstimates'>

/** Formats an amount. Marks a cost that contains estimates. */
const amountText = (key: Amount, row: Figures) =>
  `${row.hasEstimates && key === 'cost' ? '约 ' : ''}${formatCurrency(row[key])}`
const amount = (key: Amount, title: string) =>
  col(key, (_, row) => <span className={row[key] < 0 ? 'kit-problem' : undefined}>{amountText(key, row)}</span>, {
    ...RIGHT,
    title,
  })

const BY = Object.values(INCOME_GROUP_CODE)
/** Name of the row with the id 0. */
const NAME_OF_NONE: Readonly<Partial<Record<By, string>>> = {
  [INCOME_GROUP_CODE.package]: '未归入套餐',
  [INCOME_GROUP_CODE.agent]: '客户共用的套餐等',
  [INCOME_GROUP_CODE.device]: '智能体或客户共用的套餐等',
}
const LINKS: Readonly<Partial<Record<By, (id: number) => string>>> = {
  [INCOME_GROUP_CODE.agent]: agentDetailPath,
  [INCOME_GROUP_CODE.device]: (id) => `/device/apkManage/detail/${id}`,
}
const TITLES = { income: '收入', cost: '成本' } as const
const AMOUNTS = ['income', 'cost'] as const

/** Income and cost of the voice packages in a period, by customer, package, day, agent or device. */
export function IncomePanel({ query, address, onTenant }: Props) {
  const section = useRef<HTMLElement>(null)
  const isWanted = useLocation().hash === '#income'
  useEffect(() => {
    if (isWanted) section.current?.scrollIntoView()
  }, [isWanted])
  return (
    <section className="kit-stack" aria-label="收入与成本" ref={section}>
      <div className="kit-card">
        <h2 className="kit-card-title">收入与成本</h2>
        <Sums query={query} />
      </div>
      <Rows query={query} address={address} onTenant={onTenant} />
      <p className="kit-muted">
        收入是确认收款的金额减去审批通过的退款，计入当日；成本归入当日使用中的套餐。智能体或客户共用的套餐不分摊到设备。
        来源筛选只用于上面的用量。
      </p>
    </section>
  )
}

/** Shows the sums over all rows. */
function Sums({ query }: { readonly query: Query }) {
  const asked = { ...query, by: INCOME_GROUP_CODE.tenant, pageSize: 1 }
  const { data, error, refetch } = useRead(agentIncome.list, asked, { quiet: true })
  if (!data || error) return <Waiting reads={[{ error, refetch }]} rows={2} />
  const { sums } = data
  return (
    <dl className="kit-figures">
      {AMOUNTS.map((key) => (
        <div key={key}>
          <dt>{TITLES[key]}</dt>
          <dd className={sums[key] < 0 ? 'kit-problem' : undefined}>{amountText(key, sums)}</dd>
        </div>
      ))}
    </dl>
  )
}

/** Column with the name of each group. Sortable only when the rows are grouped by day. */
function nameColumn(by: By, onTenant: Props['onTenant']) {
  const render = (_: unknown, row: IncomeRow) => <RowName row={row} by={by} onTenant={onTenant} />
  const title = INCOME_GROUP[by]
  return by === INCOME_GROUP_CODE.day
    ? col('id', render, { title, width: 190, sort: true })
    : col('name', render, { title, width: 190 })
}

function Rows({ query, address: [params, setParams], onTenant }: Props) {
  const { incomeBy: by } = parseUsageState(params, [])
  const onTable = (next: ListState) => setParams(changeTableState(params, 'income', next))
  const list = useStoredList(agentIncome.list, [parseTableState(params, 'income'), onTable], { ...query, by })
  const columns = [nameColumn(by, onTenant), ...AMOUNTS.map((key) => amount(key, TITLES[key]))]
  const choice = (
    <Segmented
      aria-label="收入统计方式"
      value={by}
      onChange={(next) => setParams(changeUsageState(params, { incomeBy: next }))}
      options={BY.map((value) => ({ value, label: `按${INCOME_GROUP[value]}` }))}
    />
  )
  return (
    <DataTable
      {...list.table}
      name={`agent-income-${by}`}
      rowKey="id"
      columns={columns}
      actions={choice}
      tools={<ExportButton to={agentIncome.export} query={{ ...query, by }} name="智能体收入与成本" columns={[]} />}
      empty={{ text: '这段时间没有收入和成本', hint: '订单的收款、退款和语音服务的成本会出现在这里' }}
    />
  )
}

function RowName({
  row: { id, name },
  by,
  onTenant,
}: Pick<Props, 'onTenant'> & { readonly by: By; readonly row: IncomeRow }) {
  if (id === 0) return NAME_OF_NONE[by] ?? '已删除'
  if (name === '') return '已删除'
  const link = LINKS[by]
  if (link) return <PermittedLink to={link(id)}>{name}</PermittedLink>
  if (by !== INCOME_GROUP_CODE.tenant) return name
  return (
    <button type="button" className="kit-link" onClick={() => onTenant({ id, name })}>
      {name}
    </button>
  )
}
