import type { ReactNode } from 'react'
import './kit.css'

/** The frame of a screen: cards under each other at one distance; with a head when the screen needs words of its own. */
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

/** A white area of a screen, with a heading of its own when there are several. */
export function Panel({ title, children }: { title?: string; children: ReactNode }) {
  return (
    <section className="kit-card">
      {title && <h2 className="kit-card-title">{title}</h2>}
      {children}
    </section>
  )
}
