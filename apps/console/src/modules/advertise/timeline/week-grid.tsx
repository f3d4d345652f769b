import { WEEKDAY_NAMES } from '@oms/contract/advertise/program-words.ts'
import { type PointerEvent, useRef, useState } from 'react'
import { formatMinuteOfDay, DAY_MINUTES, type DayPart, parseMinuteOfDay } from './day-part-text.ts'

/** Step of the pointer in minutes. */
const STEP = 30
const HOURS = [0, 6, 12, 18, 24]

interface Props {
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
function useDrawing(onAdd: Props['onAdd']) {
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
export function WeekGrid({ weekdays, parts, onAdd }: Props) {
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
