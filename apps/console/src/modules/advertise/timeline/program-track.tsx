import type { OfferedAdRow } from '@oms/contract/advertise/program-options.ts'
import { formatDuration, MAX_PROGRAM_ITEMS } from '@oms/contract/advertise/program-words.ts'
import { Empty } from 'antd'
import { useRef, useState, type DragEvent } from 'react'
import { toast } from '#core/loading/toast.ts'
import { AdLibrary } from '../ads/ad-library.tsx'
import { MoveDialog, SettingsDialog, TrackRow } from './track-row.tsx'
import {
  copyItem,
  insertItem,
  createTrackItem,
  moveItem,
  countRoundsPerHour,
  type TrackItem,
  sumSeconds,
} from './track-items.ts'

interface Props {
  readonly value?: readonly TrackItem[]
  onChange?(items: readonly TrackItem[]): void
  readonly tenantId: number | undefined
  readonly isWeighted: boolean
}

const NONE: readonly TrackItem[] = []

/** Form control of the items: the ads on the left, the track beside them. */
export function ProgramTrack({ value = NONE, onChange, tenantId, isWeighted }: Props) {
  const [asked, setAsked] = useState<Asked>()
  const track = useTrack(value, (items) => onChange?.(items))
  const drag = useTrackDrag(value.length, (what: DraggedItem, at) =>
    what.kind === 'ad' ? track.add(what.ad, at) : track.move(what.from, at),
  )
  return (
    <>
      <AdLibrary tenantId={tenantId} onAdd={(ad) => track.add(ad)} onDrag={drag.start} />
      <section className="ad-track kit-card" aria-label="节目单内容">
        <TrackHead items={value} />
        <ol className="ad-rows" data-over={drag.at === undefined ? undefined : ''} {...drag.area}>
          {value.map((item, index) => (
            <TrackRow
              key={item.key}
              item={item}
              index={index}
              count={value.length}
              isWeighted={isWeighted}
              drop={drag.row(index)}
              mark={markOf(drag.at, index, value.length)}
              upRef={track.upRef(item.key)}
              onChange={(part) => track.update(index, part)}
              onMove={(to) => track.move(index, to)}
              onAsk={(kind) => setAsked({ kind, key: item.key })}
              onCopy={() => track.copy(index)}
              onRemove={() => track.remove(index)}
              onGrab={() => drag.start({ kind: 'item', from: index })}
              onRelease={() => drag.start(undefined)}
            />
          ))}
          {value.length === 0 && <EmptyTrack />}
        </ol>
        <Announcement text={track.said} />
      </section>
      <Dialogs asked={asked} items={value} track={track} onClose={() => setAsked(undefined)} />
    </>
  )
}

const Announcement = ({ text }: { text: string }) => (
  <span className="sr-only" aria-live="polite">
    {text}
  </span>
)

const EmptyTrack = () => (
  <li className="ad-track-empty">
    <Empty description="拖入已审核广告，或点击广告右侧的加号" />
  </li>
)

/** Returns the side of a row at which a drop inserts. The last row also marks the end of the list. */
function markOf(at: number | undefined, index: number, count: number) {
  if (at === index) return 'before'
  return at === index + 1 && at === count ? 'after' : undefined
}

interface Asked {
  readonly kind: 'move' | 'settings'
  readonly key: string
}
type Track = ReturnType<typeof useTrack>

/** Functions that change the items. `said` describes the last change for screen readers. */
function useTrack(value: readonly TrackItem[], change: (items: readonly TrackItem[]) => void) {
  const [said, say] = useState('')
  const upButtons = useRef(new Map<string, HTMLButtonElement>())
  return {
    said,
    upRef: (key: string) => (button: HTMLButtonElement | null) => {
      if (button) upButtons.current.set(key, button)
      else upButtons.current.delete(key)
    },
    add(ad: OfferedAdRow, at = value.length) {
      if (value.length >= MAX_PROGRAM_ITEMS) return toast.warning(`节目单最多${MAX_PROGRAM_ITEMS}条广告`)
      change(insertItem(value, at, createTrackItem(ad)))
      say(`已添加 ${ad.adName}，第 ${at + 1} 条`)
    },
    move(from: number, to: number) {
      const item = value[from]
      const moved = moveItem(value, from, to)
      if (!item || moved === value) return
      change(moved)
      say(`${item.adName} 已移到第 ${moved.indexOf(item) + 1} 条`)
      // A moved row loses the focus when the browser moves its element, so the focus is restored.
      requestAnimationFrame(() => upButtons.current.get(item.key)?.focus())
    },
    update: (at: number, part: Partial<TrackItem>) =>
      change(value.map((item, index) => (index === at ? { ...item, ...part } : item))),
    copy: (at: number) => change(copyItem(value, at)),
    remove(at: number) {
      change(value.toSpliced(at, 1))
      say(`已移除 ${value[at]?.adName ?? ''}`)
    },
  }
}

interface DialogsProps {
  readonly asked: Asked | undefined
  readonly items: readonly TrackItem[]
  readonly track: Track
  onClose(): void
}

/** Dialogs of one item: its position, and its settings. */
function Dialogs({ asked, items, track, onClose }: DialogsProps) {
  const at = items.findIndex(({ key }) => key === asked?.key)
  const item = items[at]
  if (!item) return null
  return asked?.kind === 'move' ? (
    <MoveDialog
      item={item}
      index={at}
      count={items.length}
      onClose={onClose}
      onMove={(position) => {
        onClose()
        track.move(at, position - 1 > at ? position : position - 1)
      }}
    />
  ) : (
    <SettingsDialog
      item={item}
      onClose={onClose}
      onSave={(part) => {
        onClose()
        track.update(at, part)
      }}
    />
  )
}

function TrackHead({ items }: { items: readonly TrackItem[] }) {
  const seconds = sumSeconds(items)
  return (
    <header className="kit-row kit-apart">
      <h2 className="kit-card-title">节目单内容</h2>
      <output className="kit-muted kit-number">
        共 {items.length} 条 · 总时长 {formatDuration(seconds)} · 每小时约 {countRoundsPerHour(seconds)} 轮
      </output>
    </header>
  )
}

/** Object that the pointer drags: an ad of the library, or an item of the track by its index. */
export type DraggedItem =
  | { readonly kind: 'ad'; readonly ad: OfferedAdRow }
  | { readonly kind: 'item'; readonly from: number }

/**
 * Drag and drop into and within the track. `at` is the index before which a drop inserts; undefined while nothing is
 * dragged over the track. Keyboard users add and move with buttons.
 */
function useTrackDrag(count: number, onDrop: (dragged: DraggedItem, at: number) => void) {
  const dragged = useRef<DraggedItem>(undefined)
  const [at, setAt] = useState<number>()
  const end = () => {
    dragged.current = undefined
    setAt(undefined)
  }
  const accept = (event: DragEvent, index: number) => {
    if (!dragged.current) return
    event.preventDefault()
    event.stopPropagation()
    setAt(index)
  }
  const drop = (event: DragEvent) => {
    const what = dragged.current
    const place = at
    end()
    if (!what || place === undefined) return
    event.preventDefault()
    event.stopPropagation()
    onDrop(what, place)
  }
  return {
    at,
    start: (what: DraggedItem | undefined) => {
      dragged.current = what
      if (!what) end()
    },
    /**
     * Props of the row with this index. A drop on the upper half inserts before the row, on the lower half after the
     * row.
     */
    row: (index: number) => ({
      onDragOver: (event: DragEvent<HTMLElement>) => accept(event, isInUpperHalf(event) ? index : index + 1),
      onDrop: drop,
    }),
    /** Props of the area around the rows: a drop there inserts at the end. */
    area: {
      onDragOver: (event: DragEvent<HTMLElement>) => accept(event, count),
      onDragLeave: (event: DragEvent<HTMLElement>) => leaves(event) && setAt(undefined),
      onDrop: drop,
    },
  }
}

const leaves = ({ currentTarget, relatedTarget }: DragEvent<HTMLElement>) =>
  !(relatedTarget instanceof Node && currentTarget.contains(relatedTarget))

function isInUpperHalf({ currentTarget, clientY }: DragEvent<HTMLElement>) {
  const { top, height } = currentTarget.getBoundingClientRect()
  return clientY < top + height / 2
}
