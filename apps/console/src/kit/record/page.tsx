import type { ReactNode } from 'react'
import '#kit/kit.css'

/** Page layout: cards at equal distances, with an optional header. */
export function Page({
  title,
  intro,
  extra,
  children,
}: {
  title?: string
  intro?: ReactNode
  extra?: ReactNode
  children: ReactNode
}) {
  return (
    <div className="kit-page">
      {(title || extra) && (
        <header className="kit-page-head">
          {title && <h1>{title}</h1>}
          {extra && <div className="kit-page-extra">{extra}</div>}
          {intro && <p>{intro}</p>}
        </header>
      )}
      {children}
    </div>
  )
}

/** A card of a page, with an optional title. */
export function Panel({ title, children }: { title?: string; children: ReactNode }) {
  return (
    <section className="kit-card">
      {title && <h2 className="kit-card-title">{title}</h2>}
      {children}
    </section>
  )
}
