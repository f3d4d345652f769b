import { type CSSProperties, type ReactNode, useEffect, useRef } from 'react'
import { useServerEvent } from '#core/events/events.ts'

interface HomeCardProps {
  readonly title: string
  readonly heading?: ReactNode
  readonly extra?: ReactNode
  readonly pending: boolean
  /** Placeholder of the content while `pending`. Default: one line. */
  readonly waiting?: ReactNode
  readonly failed: boolean
  onRetry(): void
  readonly children: ReactNode
}

/** Card of the home page with its own loading state, error and retry. */
export function HomeCard({ title, heading, extra, pending, waiting, failed, onRetry, children }: HomeCardProps) {
  return (
    <section className="home-card" aria-label={title} aria-busy={pending}>
      <div className="home-card-head">
        <h2>{heading ?? title}</h2>
        {extra}
      </div>
      {failed && <LoadRetry onRetry={onRetry} />}
      {pending && !failed && (waiting ?? <div className="loading-line" />)}
      {children}
    </section>
  )
}

/** Message and retry button of a block that failed to load. */
export const LoadRetry = ({ onRetry }: { onRetry(): void }) => (
  <p className="home-failed">
    加载失败
    <button type="button" className="home-retry" onClick={onRetry}>
      重试
    </button>
  </p>
)

/** Reserves the height of a list. */
export const HomeRows = ({ rows = 6 }: { rows?: number }) => (
  <div className="home-rows" style={{ '--rows': rows } as CSSProperties} />
)

interface ChoiceProps<T extends string | number> {
  readonly label: string
  readonly value: T
  readonly options: readonly { readonly value: T; readonly label: string }[]
  onChange(value: T): void
}

/** Button group for choosing one of a few values. */
export function CardChoice<T extends string | number>({ label, value, options, onChange }: ChoiceProps<T>) {
  if (options.length < 2) return null
  return (
    <div className="home-choice" role="group" aria-label={label}>
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          aria-pressed={option.value === value}
          onClick={() => onChange(option.value)}
        >
          {option.label}
        </button>
      ))}
    </div>
  )
}

/** Empty state of a home page card. */
export const HomeEmpty = ({ text }: { text: string }) => (
  <div className="home-empty">
    <svg width="56" height="36" viewBox="0 0 56 36" fill="none" stroke="currentColor" aria-hidden="true">
      <path d="M6 15.5 14 5h28l8 10.5V31a2 2 0 0 1-2 2H8a2 2 0 0 1-2-2z" />
      <path d="M6 15.5h13.5c1.4 0 2.4 1.2 2.4 2.5 0 1.9 1.4 3.5 3.2 3.5h5.8c1.8 0 3.2-1.6 3.2-3.5 0-1.3 1-2.5 2.4-2.5H50" />
    </svg>
    <p>{text}</p>
  </div>
)

const MINUTE_MS = 60_000
/** Debounce: many changes cause one refetch. */
const PAUSE_MS = 3000

/** Refetches every minute while the page is visible, and soon after a change of its data. */
export function useReloadOnChange(resources: readonly string[], look: () => void) {
  const latest = useRef(look)
  const soon = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => {
    latest.current = look
  })
  useServerEvent('changed', ({ resource }) => {
    if (!resources.includes(resource) || soon.current) return
    soon.current = setTimeout(() => {
      soon.current = undefined
      latest.current()
    }, PAUSE_MS)
  })
  useEffect(() => {
    const every = setInterval(() => document.visibilityState === 'visible' && latest.current(), MINUTE_MS)
    return () => {
      clearInterval(every)
      clearTimeout(soon.current)
      soon.current = undefined
    }
  }, [])
}
