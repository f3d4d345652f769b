import { type LicenseCounts, licenseStats, TREND_UNIT } from '@oms/contract/license/license-statistics.ts'
import type { ResultOf } from '@oms/contract/core/endpoint.ts'
import { Empty, Segmented, Tag } from 'antd'
import { useState } from 'react'
import { PermittedLink } from '#kit/record/known-link.tsx'
import { CHART_HEIGHT } from '#kit/chart/chart-height.ts'
import { Chart } from '#kit/chart/chart.tsx'
import { StatPanel } from '#kit/chart/stat-panel.tsx'
import { toCssColor } from '#kit/chart/palette.ts'
import { CountLink, licenseListPath, STATE_CHART_COLOURS, useLicenseStateLabels, VendorName } from './license.tsx'
import './license.css'

interface Asked {
  readonly vendor?: string
  readonly tenantId?: string
  readonly typeCode?: string
}

const UNITS = Object.entries(TREND_UNIT).map(([value, label]) => ({ value: Number(value), label }))

export function TrendPanel({ asked }: { asked: Asked }) {
  const [unit, setUnit] = useState(1)
  return (
    <StatPanel
      title="分配与激活趋势"
      to={licenseStats.trend}
      chart={CHART_HEIGHT}
      input={{ ...asked, unit }}
      extra={<Segmented options={UNITS} value={unit} onChange={setUnit} />}
    >
      {({ list }) => (
        <Chart
          name="分配与激活趋势"
          data={{
            kind: 'column',
            categoryTitle: '时间',
            categories: list.map(({ from, to }) => ({
              label: unit === 3 ? from.slice(2, 7) : from.slice(5),
              title: unit === 1 ? from : unit === 2 ? `${from} 至 ${to.slice(5)}` : from.slice(0, 7),
            })),
            series: [
              {
                name: '分配',
                color: STATE_CHART_COLOURS[1]!,
                values: list.map(({ allotted }) => allotted),
                links: list.map(({ from, to }) => licenseListPath({ ...asked, allotBegin: from, allotEnd: to })),
              },
              {
                name: '激活',
                color: STATE_CHART_COLOURS[3]!,
                values: list.map(({ activated }) => activated),
                links: list.map(({ from, to }) => licenseListPath({ ...asked, activateBegin: from, activateEnd: to })),
              },
            ],
          }}
        />
      )}
    </StatPanel>
  )
}

export function ExpiringPanel({ asked }: { asked: Asked }) {
  return (
    <StatPanel title="未来 12 个月到期" to={licenseStats.expiring} input={asked} chart={CHART_HEIGHT}>
      {({ list }) => (
        <Chart
          name="未来 12 个月到期"
          data={{
            kind: 'column',
            categoryTitle: '月份',
            categories: list.map(({ from }) => ({ label: from.slice(2, 7), title: from.slice(0, 7) })),
            series: [
              {
                name: '到期数量',
                color: STATE_CHART_COLOURS[5]!,
                values: list.map(({ count }) => count),
                links: list.map(({ from, to }) =>
                  licenseListPath({ ...asked, expireBegin: from, expireEnd: to, usable: 1 }),
                ),
              },
            ],
          }}
        />
      )}
    </StatPanel>
  )
}

/** Stock of each supplier; with `onShowAll`, only suppliers with low stock and a button that shows all. */
export function StockPanel({ asked, onShowAll }: { asked: Asked; onShowAll?: () => void }) {
  const showAll = onShowAll && (
    <button type="button" className="kit-link" onClick={onShowAll}>
      查看全部
    </button>
  )
  return (
    <StatPanel
      title={onShowAll ? '库存不足的授权厂商' : '厂商库存'}
      to={licenseStats.summary}
      input={asked}
      {...(showAll && { extra: showAll })}
    >
      {({ stocks, expiring30, expiring7 }) => (
        <>
          <p className="kit-hint">
            30 天内到期 {expiring30.toLocaleString()} 个，其中 7 天内 {expiring7.toLocaleString()} 个
          </p>
          {stocks.some(({ isLow }) => isLow || !onShowAll) ? (
            <StockTable stocks={stocks.filter(({ isLow }) => isLow || !onShowAll)} typeCode={asked.typeCode} />
          ) : (
            <Empty description={onShowAll ? '没有库存不足的厂商' : '没有库存数据'} />
          )}
        </>
      )}
    </StatPanel>
  )
}

interface StockTableProps {
  readonly stocks: ResultOf<typeof licenseStats.summary>['stocks']
  readonly typeCode: Asked['typeCode']
}

function StockTable({ stocks, typeCode }: StockTableProps) {
  return (
    <table className="kit-table" aria-label="厂商库存">
      <thead>
        <tr>
          <th>厂商</th>
          <th className="kit-number">库存</th>
        </tr>
      </thead>
      <tbody>
        {stocks.map(({ vendor, stock, threshold, isLow }) => (
          <tr key={vendor}>
            <td>
              <VendorName vendor={vendor} /> {isLow && <Tag color="error">低于预警 {threshold}</Tag>}
            </td>
            <td className="kit-number">
              <CountLink to={stock > 0 ? licenseListPath({ vendor, typeCode, state: 0 }) : undefined}>
                {stock.toLocaleString()}
              </CountLink>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

const KEYS = ['stock', 'allotted', 'bound', 'activated', 'suspended', 'expired', 'scrapped'] as const

type Filters = Parameters<typeof licenseListPath>[0]

/** Table of counts with a bar per row; bar segments and figures link to their certificates if a filter exists. */
function States({
  head,
  rows,
  of,
}: {
  head: string
  rows: readonly LicenseCounts[]
  of(row: LicenseCounts): Filters | undefined
}) {
  const { label } = useLicenseStateLabels()
  if (rows.length === 0) return <Empty description="暂无数据" />
  return (
    <>
      <StateLegend label={label} />
      <div className="kit-scroll">
        <table className="kit-table">
          <thead>
            <tr>
              <th>{head}</th>
              <th style={{ width: '45%' }}>状态分布</th>
              <th className="kit-number">总数</th>
              <th className="kit-number">库存</th>
              <th className="kit-number">已激活</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <StateRow key={row.id} row={row} filters={of(row)} label={label} />
            ))}
          </tbody>
        </table>
      </div>
    </>
  )
}

type StateLabel = ReturnType<typeof useLicenseStateLabels>['label']

function StateLegend({ label }: { label: StateLabel }) {
  return (
    <div className="kit-hint kit-row" aria-hidden>
      {KEYS.map((key, state) => (
        <span key={key}>
          <i className="kit-dot" style={{ background: toCssColor(STATE_CHART_COLOURS[state] ?? '') }} />
          {label(state)}
        </span>
      ))}
    </div>
  )
}

interface StateRowProps {
  readonly row: LicenseCounts
  /** Filters of the list of certificates, or undefined when no filter exists. */
  readonly filters: Filters | undefined
  readonly label: StateLabel
}

function StateRow({ row, filters, label }: StateRowProps) {
  const linkOf = (state?: number) => filters && licenseListPath({ ...filters, state })
  return (
    <tr>
      <td>{row.name}</td>
      <td>
        <span className="kit-bar license-marks">
          {KEYS.map((key, state) =>
            row[key] > 0 ? (
              <Mark
                key={key}
                share={row[key] / row.total}
                fill={toCssColor(STATE_CHART_COLOURS[state] ?? '')}
                name={row.name}
                words={`${label(state)}：${row[key]}`}
                to={linkOf(state)}
              />
            ) : null,
          )}
        </span>
      </td>
      <td className="kit-number">
        <CountLink to={linkOf()}>{row.total.toLocaleString()}</CountLink>
      </td>
      <td className="kit-number">
        <CountLink to={row.stock > 0 ? linkOf(0) : undefined}>{row.stock.toLocaleString()}</CountLink>
      </td>
      <td className="kit-number">
        <CountLink to={row.activated > 0 ? linkOf(3) : undefined}>{row.activated.toLocaleString()}</CountLink>
      </td>
    </tr>
  )
}

interface MarkProps {
  readonly share: number
  readonly fill: string | undefined
  readonly name: string
  readonly words: string
  readonly to: string | undefined
}

/** Segment of a bar. */
function Mark({ share, fill, name, words, to }: MarkProps) {
  const look = { style: { width: `${share * 100}%`, background: fill }, title: words }
  return to ? <PermittedLink {...look} aria-label={`${name} ${words}`} to={to} /> : <span {...look} />
}

export const VendorPanel = ({ asked }: { asked: Asked }) => (
  <StatPanel title="按厂商" to={licenseStats.vendors} input={asked}>
    {({ vendors }) => <States head="厂商" rows={vendors} of={({ id }) => ({ ...asked, vendor: id })} />}
  </StatPanel>
)

export const LicenseBatchPanel = ({ asked }: { asked: Asked }) => (
  <StatPanel title="按批次（最近 20 个）" to={licenseStats.vendors} input={asked}>
    {({ batches }) => <States head="批次" rows={batches} of={({ id }) => ({ ...asked, batchId: id })} />}
  </StatPanel>
)

export const ModelPanel = ({ asked }: { asked: Asked }) => (
  <StatPanel title="按限定型号" to={licenseStats.models} input={asked}>
    {/* The list has no filter for certificates without a model. */}
    {({ list }) => <States head="型号" rows={list} of={({ id }) => (id > 0 ? { ...asked, modelId: id } : undefined)} />}
  </StatPanel>
)
