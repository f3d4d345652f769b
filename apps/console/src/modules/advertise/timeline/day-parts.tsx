import { DeleteOutlined, PlusOutlined } from '@ant-design/icons'
import { MAX_DAY_PARTS, WEEKDAY_NAMES } from '@oms/contract/advertise/program-words.ts'
import { Button, Input } from 'antd'
import { formatMinuteOfDay, type DayPart, proposeNextDayPart, completeClock } from './day-part-text.ts'
import { WeekGrid } from './week-grid.tsx'

interface Props {
  readonly id?: string
  readonly value?: readonly DayPart[]
  onChange?(parts: readonly DayPart[]): void
  /** Bit mask of the weekdays, for the grid. */
  readonly weekdays: number
}

const NONE: readonly DayPart[] = []

/** Form control of the dayparts: a week grid for the pointer, and a list of times for the keyboard. */
export function DayParts({ id, value = NONE, onChange, weekdays }: Props) {
  const change = (parts: readonly DayPart[]) => onChange?.(parts)
  const isFull = value.length >= MAX_DAY_PARTS
  return (
    <div className="kit-stack ad-parts" id={id} tabIndex={-1}>
      <WeekGrid
        weekdays={weekdays}
        parts={value}
        {...(!isFull && {
          onAdd: (from: number, to: number) =>
            change([...value, { start: formatMinuteOfDay(from), end: formatMinuteOfDay(to) }]),
        })}
      />
      <ul className="kit-plain">
        {value.map((part, at) => (
          // oxlint-disable-next-line react/no-array-index-key -- dayparts have no identity besides their position
          <PartRow
            key={at}
            part={part}
            at={at}
            onChange={(next) => change(value.with(at, next))}
            onRemove={() => change(value.toSpliced(at, 1))}
          />
        ))}
      </ul>
      {!isFull && (
        <Button size="small" icon={<PlusOutlined />} onClick={() => change([...value, proposeNextDayPart(value)])}>
          添加时段
        </Button>
      )}
      {value.length === 0 && <span className="kit-muted">未设置时段，全天播放</span>}
    </div>
  )
}

interface PartProps {
  readonly part: DayPart
  readonly at: number
  onChange(part: DayPart): void
  onRemove(): void
}

const PartRow = ({ part, at, onChange, onRemove }: PartProps) => (
  <li className="kit-row">
    <Clock label={`时段 ${at + 1} 开始`} value={part.start} onChange={(start) => onChange({ ...part, start })} />
    <span aria-hidden>至</span>
    {part.end < part.start && <span className="kit-muted">次日</span>}
    <Clock label={`时段 ${at + 1} 结束`} value={part.end} onChange={(end) => onChange({ ...part, end })} />
    <Button type="text" size="small" icon={<DeleteOutlined />} aria-label={`删除时段 ${at + 1}`} onClick={onRemove} />
  </li>
)

/** Text field for a time of day; `630` becomes `06:30`. */
function Clock({ label, value, onChange }: { label: string; value: string; onChange(value: string): void }) {
  return (
    <Input
      key={value}
      size="small"
      style={{ width: 72 }}
      aria-label={label}
      placeholder="HH:mm"
      maxLength={5}
      inputMode="numeric"
      defaultValue={value}
      onBlur={({ target }) => {
        const next = completeClock(target.value)
        if (next !== value) onChange(next)
      }}
    />
  )
}

interface WeekdaysProps {
  readonly id?: string
  readonly value?: number
  onChange?(mask: number): void
}

/** Form control of the weekdays as a bit mask. */
export function WeekdaysField({ id, value = 0, onChange }: WeekdaysProps) {
  return (
    <div className="ad-weekdays" id={id} tabIndex={-1}>
      {WEEKDAY_NAMES.map((name, bit) => {
        const isOn = ((value >> bit) & 1) === 1
        return (
          <button
            key={name}
            type="button"
            aria-pressed={isOn}
            className="ad-weekday"
            onClick={() => onChange?.(value ^ (1 << bit))}
          >
            {name}
          </button>
        )
      })}
    </div>
  )
}
