import type { Interval, OpeningPlan } from '@oms/contract/storage/opening-plan.ts'
import '../storage.css'
import { formatCurrency } from '@oms/contract/core/money.ts'
import { Alert } from 'antd'
import { useState } from 'react'
import { formatWallClock } from '#core/text/format.ts'
import { formatPeriod } from '../entitlements/entitlement.tsx'

/** Background colours of package bars. White text on each of them has a contrast of at least 4.5:1. */
export const BAR_COLORS = [
  '#1d4ed8',
  '#15803d',
  '#c2410c',
  '#6d28d9',
  '#0e7490',
  '#a16207',
  '#be185d',
  '#475569',
] as const

/** Returns a wall-clock text as milliseconds, for distances on a time axis. */
const parseWallClock = (wall: string) => Date.parse(`${wall.replace(' ', 'T')}Z`)

interface QueueBarsProps {
  readonly past?: readonly Interval[]
  readonly planned: readonly Interval[]
  /** Wall-clock time of the now-line. */
  readonly now: string
  readonly label: string
}

/** Shows the past and planned packages of one channel as bars, with a line at the current time. */
export function QueueBars({ past = [], planned, now, label }: QueueBarsProps) {
  const all = [...past, ...planned]
  if (all.length === 0) return <p className="kit-hint">没有套餐</p>
  const at = parseWallClock(now)
  const from = Math.min(parseWallClock(all[0]!.from), at)
  const to = Math.max(parseWallClock(all.at(-1)!.to), at + 1)
  const place = (time: number) => ((time - from) / (to - from)) * 100
  const names = [...new Set(all.map(({ packageName }) => packageName))]
  return (
    <figure className="storage-bars" aria-label={label}>
      <div className="storage-track">
        {all.map((interval, index) => {
          const [left, right] = [place(parseWallClock(interval.from)), place(parseWallClock(interval.to))]
          const words = `${interval.packageName}：${interval.from.slice(0, 16)} 至 ${interval.to.slice(0, 16)}`
          return (
            <span
              key={`${interval.id}:${interval.from}`}
              className={index < past.length ? 'storage-bar storage-past' : 'storage-bar'}
              style={{
                insetInlineStart: `${left}%`,
                width: `${Math.max(right - left, 0.6)}%`,
                backgroundColor: BAR_COLORS[names.indexOf(interval.packageName) % BAR_COLORS.length],
              }}
              title={words}
            >
              <span>{interval.packageName}</span>
            </span>
          )
        })}
        <i className="storage-now" style={{ insetInlineStart: `${place(at)}%` }} title={`现在 ${now.slice(0, 16)}`} />
      </div>
      <figcaption>
        <span>{all[0]!.from.slice(0, 10)}</span>
        <span>{all.at(-1)!.to.slice(0, 10)}</span>
      </figcaption>
    </figure>
  )
}

type Queue = OpeningPlan['queues'][number]

type Loss = Pick<OpeningPlan, 'lostSeconds' | 'lostAmount' | 'lostDevices'>

/** Warns how much time and value an override discards. */
export const LossNotice = ({ lostSeconds, lostAmount, lostDevices }: Loss) =>
  lostSeconds > 0 && (
    <Alert
      type="warning"
      showIcon
      className="kit-note"
      title={`覆盖后 ${lostDevices.toLocaleString()} 台设备的当前套餐合计剩余的 ${formatPeriod(lostSeconds)}将作废，按实收金额折算为 ${formatCurrency(lostAmount)}`}
    />
  )

/** Names the package that the channel has now, and what an override discards of the package. */
function CurrentPackage({ before, lostSeconds, lostAmount }: Pick<Queue, 'before' | 'lostSeconds' | 'lostAmount'>) {
  const [current] = before
  if (!current) return null
  return (
    <p className="kit-hint">
      当前套餐：{current.packageName}，{current.to.slice(0, 16)} 到期
      {lostSeconds > 0 && `，剩余 ${formatPeriod(lostSeconds)}将作废（折合 ${formatCurrency(lostAmount)}）`}
    </p>
  )
}

/** Shows the queues of the first channels of a plan, before and after. */
export function PlanQueues({ queues }: Pick<OpeningPlan, 'queues'>) {
  const [now] = useState(() => formatWallClock())
  return queues.slice(0, 5).map(({ sn, channel, before, after, endTime, ...loss }) => (
    <div key={`${sn}:${channel}`}>
      <h3 className="kit-heading">
        {sn} · 通道 {channel}
        <small>开通后到期：{endTime ?? '暂停中，恢复后确定'}</small>
      </h3>
      <CurrentPackage before={before} {...loss} />
      {before.length > 0 && <QueueBars planned={before} now={now} label={`${sn} 开通前`} />}
      <QueueBars planned={after} now={now} label={`${sn} 开通后`} />
    </div>
  ))
}
