import type { Interval } from '@oms/contract/storage/opening-plan.ts'
import { BAR_COLORS } from './bar-colors.ts'
import { parseWallClock } from './queue-scale.ts'
import '../storage.css'

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
