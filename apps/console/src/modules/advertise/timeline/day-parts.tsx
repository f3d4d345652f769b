import { DeleteOutlined, PlusOutlined } from '@ant-design/icons'
import { MAX_DAY_PARTS, WEEKDAY_NAMES } from '@oms/contract/advertise/program-words.ts'
import { Button, Input } from 'antd'
import { type PointerEvent, useRef, useState } from 'react'

interface DayPartsProps {
  readonly id?: string
  readonly value?: readonly DayPart[]
  onChange?(parts: readonly DayPart[]): void
  /** Bit mask of the weekdays, for the grid. */
  readonly weekdays: number
}

const NONE: readonly DayPart[] = []

/** Form control of the dayparts: a week grid for the pointer, and a list of times for the keyboard. */
export function DayParts({ id, value = NONE, onChange, weekdays }: DayPartsProps) {
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

/** Step of the pointer in minutes. */
const STEP = 30
const HOURS = [0, 6, 12, 18, 24]

interface UseDrawingProps {
  readonly weekdays: number
  readonly parts: readonly DayPart[]
  /** Adds a daypart that was drawn with the pointer, in minutes after midnight. */
  onAdd?(from: number, to: number): void
}

interface Block {
  readonly day: number
  readonly from: number
  readonly to: number
}

/** Returns the blocks of all dayparts. A part that crosses midnight continues on the next day. */
function blocksOf(weekdays: number, parts: readonly DayPart[]): Block[] {
  const days = WEEKDAY_NAMES.flatMap((_, day) => ((weekdays >> day) & 1 ? [day] : []))
  if (parts.length === 0) return days.map((day) => ({ day, from: 0, to: DAY_MINUTES }))
  return days.flatMap((day) =>
    parts.flatMap(({ start, end }): Block[] => {
      const [from, to] = [parseMinuteOfDay(start), parseMinuteOfDay(end)]
      if (Number.isNaN(from) || Number.isNaN(to) || from === to) return []
      if (from < to) return [{ day, from, to }]
      return [
        { day, from, to: DAY_MINUTES },
        { day: (day + 1) % 7, from: 0, to },
      ]
    }),
  )
}

/** Follows the pointer that draws a daypart. */
function useDrawing(onAdd: UseDrawingProps['onAdd']) {
  const area = useRef<HTMLDivElement>(null)
  const [drawn, setDrawn] = useState<{ from: number; to: number; day: number }>()
  const minuteAt = (event: PointerEvent) => {
    const { left, width } = area.current!.getBoundingClientRect()
    const part = Math.min(1, Math.max(0, (event.clientX - left) / width))
    return Math.round((part * DAY_MINUTES) / STEP) * STEP
  }
  const dayAt = (event: PointerEvent) => {
    const { top, height } = area.current!.getBoundingClientRect()
    return Math.min(6, Math.max(0, Math.floor(((event.clientY - top) / height) * 7)))
  }
  const finish = () => {
    if (!drawn) return
    const [from, to] = [Math.min(drawn.from, drawn.to), Math.max(drawn.from, drawn.to)]
    setDrawn(undefined)
    if (to > from) onAdd?.(from, to)
  }
  return {
    area,
    drawn,
    handlers: {
      onPointerDown: (event: PointerEvent<HTMLElement>) => {
        if (!onAdd || event.button !== 0) return
        event.currentTarget.setPointerCapture(event.pointerId)
        const at = minuteAt(event)
        setDrawn({ from: at, to: at, day: dayAt(event) })
      },
      onPointerMove: (event: PointerEvent<HTMLElement>) => {
        if (drawn) setDrawn({ ...drawn, to: minuteAt(event) })
      },
      onPointerUp: finish,
      onPointerCancel: () => setDrawn(undefined),
    },
  }
}

/**
 * Shows the week with its dayparts. Drawing with the pointer adds a daypart; the list below does the same by keyboard.
 */
export function WeekGrid({ weekdays, parts, onAdd }: UseDrawingProps) {
  const { area, drawn, handlers } = useDrawing(onAdd)
  const blocks = blocksOf(weekdays, parts)
  return (
    <div className="ad-week" aria-hidden>
      <div className="ad-week-days">
        {WEEKDAY_NAMES.map((name) => (
          <span key={name}>{name.slice(1)}</span>
        ))}
      </div>
      <div
        ref={area}
        className="ad-week-area"
        data-draw={onAdd ? '' : undefined}
        title={onAdd ? '按住拖动添加时段' : undefined}
        {...handlers}
      >
        {blocks.map(({ day, from, to }) => (
          <i key={`${day}.${from}.${to}`} style={placeOf({ day, from, to })} />
        ))}
        {drawn && drawn.from !== drawn.to && <DrawnRange {...drawn} />}
      </div>
      <div className="ad-week-hours">
        {HOURS.map((hour) => (
          <span key={hour} style={{ left: `${(hour / 24) * 100}%` }}>
            {hour}
          </span>
        ))}
      </div>
    </div>
  )
}

/** The daypart that is being drawn; the pointer may move to either side. */
function DrawnRange({ day, from, to }: Block) {
  const [start, end] = [Math.min(from, to), Math.max(from, to)]
  return (
    <b style={placeOf({ day, from: start, to: end })}>
      {formatMinuteOfDay(start)}–{formatMinuteOfDay(end)}
    </b>
  )
}

const percent = (part: number) => `${part * 100}%`
const placeOf = ({ day, from, to }: Block) => ({
  left: percent(from / DAY_MINUTES),
  width: percent((to - from) / DAY_MINUTES),
  top: percent(day / 7),
})

export interface DayPart {
  readonly start: string
  readonly end: string
}

const DAY_MINUTES = 1440
const two = (n: number) => String(n).padStart(2, '0')

/** Minutes after midnight as `HH:mm`. */
const formatMinuteOfDay = (minutes: number): string => `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`

const parseMinuteOfDay = (clock: string): number => Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3))

/** Completes a typed time: `630`, `6:30` and `6` become `06:30`, `06:30` and `06:00`. Other texts stay as they are. */
function completeClock(text: string): string {
  const typed = text.trim().replace('：', ':')
  const [, hour, minute = '0'] = /^(\d{1,2}):?(\d{2})?$/.exec(typed) ?? []
  if (hour === undefined) return typed
  return `${two(Number(hour))}:${two(Number(minute))}`
}

/** Returns a new daypart of one hour that begins after the last daypart. */
function proposeNextDayPart(parts: readonly DayPart[]): DayPart {
  const last = parts.at(-1)
  const from = last && last.end > last.start ? parseMinuteOfDay(last.end) : 8 * 60
  const start = from + 60 > DAY_MINUTES ? 0 : from
  return { start: formatMinuteOfDay(start), end: formatMinuteOfDay(start + 60) }
}
