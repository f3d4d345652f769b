import { type PointerEvent, useId, useState } from 'react'
import { formatCount } from '#kernel/format.ts'
import { lineOf, type Point, roundTop } from './line-shape.ts'
import './line-chart.css'

interface LineChartProps {
  readonly label: string
  readonly points: readonly Point[]
}

/** Values over time: a line with its area; pointing at it tells the value. */
export function LineChart({ label, points }: LineChartProps) {
  const fill = useId()
  const [at, setAt] = useState<number>()
  const measured = points.flatMap(({ value }) => (value === null ? [] : [value]))
  const top = roundTop(Math.max(0, ...measured))
  const onMove = ({ currentTarget, clientX }: PointerEvent) => {
    const { left, width } = currentTarget.getBoundingClientRect()
    setAt(Math.max(0, Math.min(points.length - 1, Math.round(((clientX - left) / width) * (points.length - 1)))))
  }
  const shown = at === undefined ? undefined : points[at]
  const x = at === undefined || points.length < 2 ? 0 : (at / (points.length - 1)) * 100
  const words = points.map((point) => `${point.at} ${point.value ?? '无数据'}`).join('，')
  return (
    <figure className="line-chart">
      <span className="line-chart-top">{formatCount(top)}</span>
      <div className="line-chart-plot" onPointerMove={onMove} onPointerLeave={() => setAt(undefined)}>
        <svg viewBox="0 0 100 100" preserveAspectRatio="none" role="img" aria-label={`${label}：${words}`}>
          <defs>
            <linearGradient id={fill} x1="0" y1="0" x2="0" y2="1">
              <stop offset="0" stopColor="currentColor" stopOpacity="0.32" />
              <stop offset="1" stopColor="currentColor" stopOpacity="0.02" />
            </linearGradient>
          </defs>
          {[0, 50, 100].map((y) => (
            <line key={y} x1="0" x2="100" y1={y} y2={y} className="line-chart-grid" vectorEffect="non-scaling-stroke" />
          ))}
          {lineOf(points, top).map(({ line, area, isDot }) => (
            <g key={line}>
              <path d={area} fill={`url(#${fill})`} />
              <path
                d={line}
                className={isDot ? 'line-chart-line line-chart-dot' : 'line-chart-line'}
                vectorEffect="non-scaling-stroke"
              />
            </g>
          ))}
          {shown && <line x1={x} x2={x} y1="0" y2="100" className="line-chart-at" vectorEffect="non-scaling-stroke" />}
        </svg>
        {shown && (
          <span className="line-chart-tip" style={{ left: `${Math.max(8, Math.min(92, x))}%` }}>
            {shown.at} <b>{shown.value === null ? '无数据' : formatCount(shown.value)}</b>
          </span>
        )}
      </div>
      <figcaption className="line-chart-axis" aria-hidden>
        <span>{points[0]?.at}</span>
        <span>{points[Math.floor((points.length - 1) / 2)]?.at}</span>
        <span>{points.at(-1)?.at}</span>
      </figcaption>
    </figure>
  )
}
