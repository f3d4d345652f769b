import type { ReactNode } from 'react'

interface HomeCardProps {
  readonly title: string
  readonly heading?: ReactNode
  readonly extra?: ReactNode
  readonly wide?: boolean
  readonly pending: boolean
  /** Placeholder of the content while `pending`. Default: one line. */
  readonly waiting?: ReactNode
  readonly failed: boolean
  onRetry(): void
  readonly children: ReactNode
}

/** Card of the home page with its own loading state, error and retry. */
export function HomeCard({ title, heading, extra, wide, pending, waiting, failed, onRetry, children }: HomeCardProps) {
  return (
    <section className={wide ? 'home-card home-card-list' : 'home-card'} aria-label={title} aria-busy={pending}>
      <div className="home-card-head">
        <h2>{heading ?? title}</h2>
        {extra}
      </div>
      {failed && (
        <p className="home-failed">
          加载失败
          <button type="button" className="home-retry" onClick={onRetry}>
            重试
          </button>
        </p>
      )}
      {pending && !failed && (waiting ?? <div className="loading-line" />)}
      {children}
    </section>
  )
}

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
