import { loadZone } from '@oms/contract/advertise/engine/zone.ts'
import type { StripSegment } from '@oms/contract/advertise/program-strip.ts'
import { formatPercent } from '#core/text/format.ts'

interface Props {
  readonly segments: readonly StripSegment[]
  readonly from: number
  readonly to: number
  readonly zone: string
  /** Program that is highlighted. */
  readonly highlighted?: number
  /** Marked instant. */
  readonly mark?: number
}

const HOUR_MS = 3_600_000
const TICKS = [0, 3, 6, 9, 12, 15, 18, 21, 24]
const RULE_TEXT: Readonly<Record<string, string>> = {
  takeover: '插播',
  once: '插播一次',
  loop: '轮播',
  tenantDefault: '默认节目单',
  platformDefault: '平台默认节目单',
  idle: '暂无播放内容',
}

/** Shows one day of a screen. Each segment is divided in proportion to the shares of its programs. */
export function DayTimeline({ segments, from, to, zone, highlighted, mark }: Props) {
  const place = (at: number) => `${((at - from) / (to - from)) * 100}%`
  const clock = clockOf(zone)
  return (
    <div>
      <div className="ad-day-bar" role="img" aria-label={summaryOf(segments, clock)}>
        {segments.map((segment) => (
          <div
            key={segment.start}
            className="ad-day-segment"
            style={{ left: place(segment.start), width: `${((segment.end - segment.start) / (to - from)) * 100}%` }}
            title={textOf(segment, clock)}
          >
            {segment.programs.map(({ id, ms }) => (
              <i
                key={id}
                style={{
                  flexGrow: ms,
                  background: id === highlighted ? 'var(--ant-color-primary)' : getProgramColor(id),
                }}
              />
            ))}
          </div>
        ))}
        {mark !== undefined && mark >= from && mark < to && <em style={{ left: place(mark) }} />}
      </div>
      <div className="ad-day-ticks" aria-hidden>
        {TICKS.map((hour) => (
          <span key={hour} style={{ left: place(from + hour * HOUR_MS) }}>
            {String(hour).padStart(2, '0')}:00
          </span>
        ))}
      </div>
      <Legend segments={segments} highlighted={highlighted} />
    </div>
  )
}

/** Returns a function that formats an instant as `HH:mm` in a zone. */
function clockOf(zone: string) {
  const { offsetAt } = loadZone(zone)
  return (at: number) => new Date(at + offsetAt(at)).toISOString().slice(11, 16)
}

function textOf({ start, end, rule, programs }: StripSegment, clock: (at: number) => string) {
  const total = programs.reduce((sum, { ms }) => sum + ms, 0)
  const parts = programs.map(({ name, ms }) => `${name} ${formatPercent(ms / total)}`)
  return `${clock(start)}–${clock(end)} ${RULE_TEXT[rule] ?? ''}\n${parts.join('\n')}`.trim()
}

const summaryOf = (segments: readonly StripSegment[], clock: (at: number) => string) =>
  segments.map((segment) => textOf(segment, clock).replaceAll('\n', '，')).join('；')

function Legend({ segments, highlighted }: { segments: readonly StripSegment[]; highlighted: number | undefined }) {
  const names = new Map(segments.flatMap(({ programs }) => programs.map(({ id, name }) => [id, name] as const)))
  return (
    <ul className="kit-plain kit-row">
      {[...names].map(([id, name]) => (
        <li key={id} className="kit-row">
          <i
            className="kit-dot"
            style={{ background: id === highlighted ? 'var(--ant-color-primary)' : getProgramColor(id) }}
          />
          {name}
          {id === highlighted && <b>本节目单</b>}
        </li>
      ))}
      {segments.some(({ programs }) => programs.length === 0) && (
        <li className="kit-row">
          <i className="kit-dot" />
          暂无播放内容
        </li>
      )}
    </ul>
  )
}

/** Colours of other programs in the strip. They are distinguishable in both themes. */
const COLORS = [
  '#5b8ff9',
  '#5ad8a6',
  '#f6bd16',
  '#e8684a',
  '#6dc8ec',
  '#9270ca',
  '#ff9d4d',
  '#269a99',
  '#ff99c3',
  '#7d8ca3',
]

/** Returns the colour of a program. Equal ids always have the same colour. */
const getProgramColor = (programId: number): string => COLORS[programId % COLORS.length] ?? '#5b8ff9'
