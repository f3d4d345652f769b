import { type Counted, licenseStats, TREND_UNIT } from '@oms/contract/license-stat.ts'
import { LICENSE_STATE } from '@oms/contract/license-state.ts'
import { LICENSE_VENDORS } from '@oms/contract/license-uid.ts'
import type { Endpoint, ResultOf } from '@oms/contract/kernel/endpoint.ts'
import { Empty, Segmented, Skeleton, Tag } from 'antd'
import { type ReactNode, useState } from 'react'
import { useNavigate } from 'react-router'
import { useRead } from '#kernel/query.ts'
import { Link } from '#kernel/router.tsx'
import { LoadFailed } from '#kit/table-state.tsx'
import { BarChart, Leading } from './charts.tsx'
import { listAddress, STATE_FILL } from './license-cells.tsx'

interface Asked {
  readonly vendor?: string
  readonly tenantId?: string
  readonly typeCode?: string
}

/** A part of the page with its own question. */
function Part<E extends Endpoint>(props: {
  title: string
  to: E
  input: object
  extra?: ReactNode
  children: (data: ResultOf<E>) => ReactNode
}) {
  const { data, error, refetch } = useRead(props.to, props.input as never, { quiet: true })
  return (
    <section className="kit-card">
      <div className="license-head">
        <h2>{props.title}</h2>
        {props.extra}
      </div>
      {error ? (
        <LoadFailed refusal={error} onRetry={() => void refetch()} />
      ) : data ? (
        props.children(data as ResultOf<E>)
      ) : (
        <Skeleton active title={false} />
      )}
    </section>
  )
}

const UNITS = Object.entries(TREND_UNIT).map(([value, label]) => ({ value: Number(value), label }))

export function Trend({ asked }: { asked: Asked }) {
  const [unit, setUnit] = useState(1)
  const series = [
    { name: '分配', fill: STATE_FILL[1]! },
    { name: '激活', fill: STATE_FILL[3]! },
  ]
  return (
    <Part
      title="分配与激活趋势"
      to={licenseStats.trend}
      input={{ ...asked, unit }}
      extra={<Segmented options={UNITS} value={unit} onChange={setUnit} />}
    >
      {({ list }) => (
        <BarChart
          name="分配与激活趋势"
          series={series}
          groups={list.map(({ from, to, allotted, activated }) => ({
            label: unit === 3 ? from.slice(2, 7) : from.slice(5),
            title: unit === 1 ? from : unit === 2 ? `${from} 至 ${to.slice(5)}` : from.slice(0, 7),
            marks: [
              { n: allotted, to: listAddress({ ...asked, allotBegin: from, allotEnd: to }) },
              { n: activated, to: listAddress({ ...asked, activateBegin: from, activateEnd: to }) },
            ],
          }))}
        />
      )}
    </Part>
  )
}

export function Expiring({ asked }: { asked: Asked }) {
  return (
    <Part title="未来 12 个月到期" to={licenseStats.expiring} input={asked}>
      {({ list }) => (
        <BarChart
          name="未来12个月到期"
          series={[{ name: '到期数量', fill: STATE_FILL[5]! }]}
          groups={list.map(({ from, to, count }) => ({
            label: from.slice(2, 7),
            title: from.slice(0, 7),
            marks: [{ n: count, to: listAddress({ ...asked, expireBegin: from, expireEnd: to }) }],
          }))}
        />
      )}
    </Part>
  )
}

export function Forecast({ asked }: { asked: Asked }) {
  return (
    <Part title="库存预测" to={licenseStats.summary} input={asked}>
      {({ forecast, expiring30, expiring7 }) => (
        <>
          <p className="license-hint">
            30 天内到期 {expiring30.toLocaleString()} 个，其中 7 天内 {expiring7.toLocaleString()} 个
          </p>
          {forecast.length === 0 ? (
            <Empty image={Empty.PRESENTED_IMAGE_SIMPLE} description="没有库存数据" />
          ) : (
            <table className="license-table" aria-label="库存预测">
              <thead>
                <tr>
                  <th>厂商</th>
                  <th className="license-numbers">库存</th>
                  <th className="license-numbers">近 30 天消耗</th>
                  <th className="license-numbers">预计可用</th>
                </tr>
              </thead>
              <tbody>
                {forecast.map(({ vendor, stock, used30, daysLeft, threshold, isLow }) => (
                  <tr key={vendor}>
                    <td>
                      {LICENSE_VENDORS[vendor as keyof typeof LICENSE_VENDORS]}{' '}
                      {isLow && <Tag color="error">低于预警 {threshold}</Tag>}
                    </td>
                    <td className="license-numbers">
                      <Leading to={stock > 0 ? listAddress({ vendor, state: 0 }) : undefined}>
                        {stock.toLocaleString()}
                      </Leading>
                    </td>
                    <td className="license-numbers">{used30.toLocaleString()}</td>
                    <td className="license-numbers">{daysLeft === null ? '近期无消耗' : `${daysLeft} 天`}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          )}
        </>
      )}
    </Part>
  )
}

const KEYS = ['stock', 'allotted', 'bound', 'activated', 'suspended', 'expired', 'scrapped'] as const

/** Rows of counts with a bar of their states; each part of a bar (by mouse) and each figure leads to its certificates. */
function States({ head, rows, of }: { head: string; rows: readonly Counted[]; of(row: Counted): object }) {
  const go = useNavigate()
  if (rows.length === 0) return <Empty image={Empty.PRESENTED_IMAGE_SIMPLE} description="暂无数据" />
  return (
    <>
      <div className="license-legend" aria-hidden>
        {KEYS.map((key, state) => (
          <span key={key}>
            <i style={{ background: STATE_FILL[state] }} />
            {LICENSE_STATE[state as keyof typeof LICENSE_STATE]}
          </span>
        ))}
      </div>
      <div className="license-wide">
        <table className="license-table">
          <thead>
            <tr>
              <th>{head}</th>
              <th style={{ width: '45%' }}>状态分布</th>
              <th className="license-numbers">总数</th>
              <th className="license-numbers">库存</th>
              <th className="license-numbers">已激活</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.id}>
                <td>{row.name}</td>
                <td>
                  <span className="license-bar">
                    {KEYS.map((key, state) =>
                      row[key] > 0 ? (
                        <span
                          key={key}
                          className="license-mark"
                          style={{ width: `${(row[key] / row.total) * 100}%`, background: STATE_FILL[state] }}
                          title={`${LICENSE_STATE[state as keyof typeof LICENSE_STATE]}：${row[key]}`}
                          onClick={() => void go(listAddress({ ...of(row), state }))}
                        />
                      ) : null,
                    )}
                  </span>
                </td>
                <td className="license-numbers">
                  <Link to={listAddress({ ...of(row) })}>{row.total.toLocaleString()}</Link>
                </td>
                <td className="license-numbers">
                  <Leading to={row.stock > 0 ? listAddress({ ...of(row), state: 0 }) : undefined}>
                    {row.stock.toLocaleString()}
                  </Leading>
                </td>
                <td className="license-numbers">
                  <Leading to={row.activated > 0 ? listAddress({ ...of(row), state: 3 }) : undefined}>
                    {row.activated.toLocaleString()}
                  </Leading>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  )
}

export const ByVendor = ({ asked }: { asked: Asked }) => (
  <Part title="按厂商" to={licenseStats.vendors} input={asked}>
    {({ vendors }) => <States head="厂商" rows={vendors} of={({ id }) => ({ ...asked, vendor: id })} />}
  </Part>
)

export const ByBatch = ({ asked }: { asked: Asked }) => (
  <Part title="按批次（最近 20 个）" to={licenseStats.vendors} input={asked}>
    {({ batches }) => <States head="批次" rows={batches} of={({ id }) => ({ ...asked, batchId: id })} />}
  </Part>
)

export const ByModel = ({ asked }: { asked: Asked }) => (
  <Part title="按限定型号" to={licenseStats.models} input={asked}>
    {({ list }) => <States head="型号" rows={list} of={({ id }) => ({ ...asked, ...(id > 0 && { modelId: id }) })} />}
  </Part>
)
