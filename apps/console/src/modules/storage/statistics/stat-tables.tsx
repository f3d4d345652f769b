import { storageStats } from '@oms/contract/storage/statistics.ts'
import { formatCurrency } from '@oms/contract/core/money.ts'
import type { ReactNode } from 'react'
import { StatPanel } from '#kit/chart/stat-panel.tsx'
import { CountLink } from './count.tsx'
import { entitlementListPath } from '../entitlements/entitlement-address.ts'
import { addDays, FLOW_KIND, flowPath, NO_SALES_TEXT, queueEndPath, type StatRange } from './stat-range.ts'

interface FigureTableProps {
  readonly label: string
  readonly head: readonly string[]
  readonly rows: readonly { readonly key: number; readonly cells: readonly ReactNode[] }[]
}

/** Table whose first column names the row; all other columns are figures. */
const FigureTable = ({ label, head, rows }: FigureTableProps) => (
  // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- focusable for scrolling by keyboard
  <div className="kit-scroll" tabIndex={0} role="region" aria-label={`${label}数据`}>
    <table className="kit-table" aria-label={label}>
      <thead>
        <tr>
          {head.map((title, at) => (
            <th key={title} scope="col" className={at > 0 ? 'kit-number' : undefined}>
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ key, cells }) => (
          <tr key={key}>
            {cells.map((cell, at) => (
              <td key={head[at]} className={at > 0 ? 'kit-number' : undefined}>
                {cell}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)

/** Explains the columns 份数 and 均价. */
const SOLD_HINT = '份数含赠送，均价＝金额÷份数'

/** Sales of each package, with the entitlements in force now. */
export const PackageTable = ({ range }: { range: StatRange }) => (
  <StatPanel
    title="套餐销售"
    hint={SOLD_HINT}
    to={storageStats.packages}
    input={range}
    emptyText={({ list }) => (list.length === 0 ? NO_SALES_TEXT : undefined)}
  >
    {({ list }) => (
      <FigureTable
        label="套餐销售"
        head={['套餐', '份数', '金额（未减退款）', '均价', '当前使用中']}
        rows={list.map(({ packageId, packageName, n, amount, average, inForce }) => ({
          key: packageId,
          cells: [
            packageName,
            <CountLink key="n" n={n} to={flowPath(range, FLOW_KIND.sold, { packageId })} />,
            formatCurrency(amount),
            n > 0 ? formatCurrency(average) : '-',
            <CountLink
              key="inForce"
              n={inForce}
              to={entitlementListPath({ tenantId: range.tenantId, packageId, state: 1 })}
            />,
          ],
        }))}
      />
    )}
  </StatPanel>
)

/** The ten tenants with the highest amount. */
export const TopTenants = ({ range }: { range: StatRange }) => (
  <StatPanel
    title="客户前 10"
    hint={`按金额（未减退款）；${SOLD_HINT}`}
    to={storageStats.tenants}
    input={range}
    emptyText={({ list }) => (list.length === 0 ? NO_SALES_TEXT : undefined)}
  >
    {({ list }) => (
      <FigureTable
        label="客户前 10"
        head={['客户', '份数', '金额（未减退款）', '均价']}
        rows={list.map(({ tenantId, tenantName, n, amount, average }) => ({
          key: tenantId,
          cells: [
            tenantName,
            <CountLink key="n" n={n} to={flowPath({ ...range, tenantId }, FLOW_KIND.sold)} />,
            formatCurrency(amount),
            formatCurrency(average),
          ],
        }))}
      />
    )}
  </StatPanel>
)

/** The ten tenants with the most channels whose service ends soon. */
export const ExpiringTenants = ({ tenantId: chosen }: { tenantId: number | undefined }) => (
  <StatPanel
    title="待续费客户"
    hint="90 天内到期的通道"
    to={storageStats.expiring}
    input={{ tenantId: chosen }}
    emptyText={({ list }) => (list.length === 0 ? '90 天内没有通道到期' : undefined)}
  >
    {({ today, list }) => (
      <FigureTable
        label="待续费客户"
        head={['客户', '7 天内', '30 天内', '90 天内']}
        rows={list.map(({ tenantId, tenantName, days7, days30, days90 }) => ({
          key: tenantId,
          cells: [
            tenantName,
            ...(
              [
                [7, days7],
                [30, days30],
                [90, days90],
              ] as const
            ).map(([days, n]) => (
              <CountLink key={days} n={n} to={queueEndPath(tenantId, today, addDays(today, days - 1))} />
            )),
          ],
        }))}
      />
    )}
  </StatPanel>
)
