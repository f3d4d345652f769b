import type { CSSProperties } from 'react'
import { PermittedLink } from '#kit/record/known-link.tsx'
import './stat-panel.css'

/** A figure of a statistics page. */
export interface StatCard {
  readonly title: string
  readonly value: string
  readonly note?: string | undefined
  /** Further figures below the value; each opens the rows that it counts. */
  readonly more?: readonly { readonly label: string; readonly value: string; readonly to: string }[]
  /** List of the counted rows. Absent: the figure counts no rows. */
  readonly to?: string
  readonly tone?: 'warn' | 'bad' | undefined
  /** Colour of the figure in the charts of the page. */
  readonly color?: string | undefined
}

const MAX_COLUMNS = 6

/** Figures in rows of equal length. A click on a card opens the counted rows. */
export function StatCardRow({ cards }: { cards: readonly StatCard[] }) {
  const rows = Math.ceil(cards.length / MAX_COLUMNS)
  const columns = Math.ceil(cards.length / rows)
  const style = { '--columns': columns, '--last': columns * rows - cards.length + 1 } as CSSProperties
  return (
    <div className="kit-tiles" style={style}>
      {cards.map((card) => (
        <div key={card.title} className="kit-tile" data-tone={card.tone}>
          <Figure {...card} />
          {card.more?.map((each) => (
            <small key={each.to}>
              <PermittedLink to={each.to} className="stat-card-more">
                {each.label} <b>{each.value}</b>
              </PermittedLink>
            </small>
          ))}
        </div>
      ))}
    </div>
  )
}

function Figure({ title, value, note, to, color }: StatCard) {
  const content = (
    <>
      <span>
        {color && <i className="kit-dot" style={{ background: color }} />}
        {title}
      </span>
      <b>{value}</b>
      {note && <small>{note}</small>}
    </>
  )
  return to === undefined ? (
    <div className="stat-card-figure">{content}</div>
  ) : (
    <PermittedLink to={to} className="stat-card-figure">
      {content}
    </PermittedLink>
  )
}
