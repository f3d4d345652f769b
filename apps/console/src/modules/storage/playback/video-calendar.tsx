import { type MonthUsage, storageDeviceVideos } from '@oms/contract/storage/device-video.ts'
import { Button } from 'antd'
import { useState } from 'react'
import { useRead } from '#core/api/query.ts'
import { formatBytes } from '#core/text/format.ts'
import { Waiting } from '#kit/feedback/waiting.tsx'
import '../storage.css'

const WEEKDAYS = ['一', '二', '三', '四', '五', '六', '日'] as const

/** Returns the month this many months later, as `yyyy-MM`. */
function monthAfter(month: string, count: number): string {
  const [year = 0, number = 0] = month.split('-').map(Number)
  return new Date(Date.UTC(year, number - 1 + count, 1)).toISOString().slice(0, 7)
}

/** Returns the days of a month as `yyyy-MM-dd`, after one null for each weekday before the first day. */
function cellsOf(month: string): (string | null)[] {
  const first = new Date(`${month}-01T00:00:00Z`)
  const blanks = (first.getUTCDay() + 6) % 7
  const length = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 0)).getUTCDate()
  const days = Array.from({ length }, (_, at) => `${month}-${String(at + 1).padStart(2, '0')}`)
  return [...Array.from({ length: blanks }, () => null), ...days]
}

/** Uploads of a channel per day: figures only. Days whose videos are still stored are marked. */
export function VideoCalendar({ sn, channel, today }: { sn: string; channel: number; today: string }) {
  const thisMonth = today.slice(0, 7)
  const [month, setMonth] = useState(thisMonth)
  const { data, error, refetch } = useRead(storageDeviceVideos.usage, { sn, channel, month }, { quiet: true })
  if (!data) return <Waiting reads={[{ error, refetch }]} rows={3} />
  const sum = data.days.reduce((bytes, each) => bytes + each.bytes, 0)
  return (
    <section className="kit-stack" aria-label={`通道 ${channel} 的录像日历`}>
      <header className="kit-row">
        <Button size="small" onClick={() => setMonth(monthAfter(month, -1))}>
          上月
        </Button>
        <b>{month}</b>
        <Button size="small" disabled={month >= thisMonth} onClick={() => setMonth(monthAfter(month, 1))}>
          下月
        </Button>
        <span className="kit-muted">
          {data.days.length === 0
            ? '没有上传'
            : `${data.days.length} 天有上传，共 ${formatBytes(sum)}；实底色的日期录像仍可回放`}
        </span>
      </header>
      <Days month={month} days={data.days} />
    </section>
  )
}

function Days({ month, days }: MonthUsage) {
  const byDay = new Map(days.map((each) => [each.day, each]))
  return (
    <div className="storage-days">
      {WEEKDAYS.map((name) => (
        <span key={name} className="storage-weekday">
          {name}
        </span>
      ))}
      {cellsOf(month).map((day, at) => {
        const usage = day === null ? undefined : byDay.get(day)
        if (day === null) return <span key={`blank${at}`} />
        const words = usage && `${usage.segments} 段，${Math.round(usage.seconds / 60)} 分钟，${usage.events} 个事件`
        return (
          <span
            key={day}
            className={usage ? (usage.hasVideo ? 'storage-day-kept' : 'storage-day-gone') : ''}
            title={words}
          >
            {Number(day.slice(8))}
            {usage && <small>{formatBytes(usage.bytes)}</small>}
          </span>
        )
      })}
    </div>
  )
}
