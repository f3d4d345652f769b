import type { ReactNode } from 'react'
import { useNavigate } from 'react-router'
import { Link } from '#kernel/router.tsx'
import './license.css'

export interface Series {
  readonly name: string
  readonly fill: string
}
export interface Group {
  readonly label: string
  /** Said in the table and read aloud, where `label` is short. */
  readonly title: string
  /** One for each series; `to` opens what it counts. */
  readonly marks: readonly { readonly n: number; readonly to?: string }[]
}

const W = 640
const H = 240
const LEFT = 44
const BOTTOM = 22
const TOP = 10

/**
 * Bars side by side for each group, with the same figures in a table beside them. A click on a bar opens what it counts;
 * with the keyboard the figures do, as bars are too thin to be targets of their own.
 */
export function BarChart({
  name,
  series,
  groups,
}: {
  name: string
  series: readonly Series[]
  groups: readonly Group[]
}) {
  const most = nice(Math.max(1, ...groups.flatMap(({ marks }) => marks.map(({ n }) => n))))
  return (
    <>
      {series.length > 1 && (
        <div className="license-legend">
          {series.map((each) => (
            <span key={each.name}>
              <i style={{ background: each.fill }} />
              {each.name}
            </span>
          ))}
        </div>
      )}
      <div className="license-chart">
        <svg viewBox={`0 0 ${W} ${H}`} role="img" aria-label={name}>
          <Scale most={most} />
          {groups.map((group, at) => (
            <Bars key={group.title} group={group} at={at} of={groups.length} most={most} series={series} />
          ))}
        </svg>
        <Figures name={name} series={series} groups={groups} />
      </div>
    </>
  )
}

const heightOf = (n: number, most: number) => (Math.max(0, n) / most) * (H - BOTTOM - TOP)

function Scale({ most }: { most: number }) {
  return [0, 0.25, 0.5, 0.75, 1].map((part) => {
    const y = H - BOTTOM - heightOf(most * part, most)
    return (
      <g key={part}>
        <line x1={LEFT} x2={W} y1={y} y2={y} stroke="var(--ant-color-border-secondary)" />
        <text x={LEFT - 6} y={y + 4} textAnchor="end">
          {short(most * part)}
        </text>
      </g>
    )
  })
}

interface BarsProps {
  group: Group
  at: number
  of: number
  most: number
  series: readonly Series[]
}

function Bars({ group, at, of, most, series }: BarsProps) {
  const room = (W - LEFT) / of
  const width = Math.min(28, (room * 0.7) / series.length)
  const start = LEFT + room * at + (room - width * series.length) / 2
  const every = Math.ceil(of / 12)
  const go = useNavigate()
  return (
    <g>
      {group.marks.map(({ n, to }, index) => {
        const height = heightOf(n, most)
        return (
          <rect
            key={series[index]?.name}
            {...(to && n > 0 && { className: 'license-mark', onClick: () => void go(to) })}
            x={start + width * index}
            y={H - BOTTOM - height}
            width={Math.max(1, width - 1)}
            height={height}
            rx={Math.min(2, height)}
            fill={series[index]?.fill}
          >
            <title>{`${group.title} ${series[index]?.name}：${n}`}</title>
          </rect>
        )
      })}
      {at % every === 0 && (
        <text x={LEFT + room * (at + 0.5)} y={H - 6} textAnchor="middle">
          {group.label}
        </text>
      )}
    </g>
  )
}

function Figures({ name, series, groups }: { name: string; series: readonly Series[]; groups: readonly Group[] }) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- scrolled by keyboard
    <div className="license-scroll" tabIndex={0} role="region" aria-label={`${name}数据`}>
      <table className="license-table">
        <thead>
          <tr>
            <th>时间</th>
            {series.map((each) => (
              <th key={each.name} className="license-numbers">
                {each.name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {groups.map((group) => (
            <tr key={group.title}>
              <td>{group.title}</td>
              {group.marks.map(({ n, to }, index) => (
                <td key={series[index]?.name} className="license-numbers">
                  <Leading to={n > 0 ? to : undefined}>{n.toLocaleString()}</Leading>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** A figure that leads to what it counts, where there is something. */
export const Leading = ({ to, children }: { to: string | undefined; children: ReactNode }) =>
  to ? <Link to={to}>{children}</Link> : children

/** The next round number: 1, 2, 5, 10, 20 … */
function nice(n: number) {
  const power = 10 ** Math.floor(Math.log10(n))
  const step = [1, 2, 4, 5, 10].find((each) => each * power >= n) ?? 10
  return Math.max(4, step * power)
}

const short = (n: number) => (n >= 10_000 ? `${Number((n / 10_000).toFixed(1))}万` : String(Math.round(n)))
