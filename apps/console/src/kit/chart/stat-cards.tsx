import { PermittedLink } from '#kit/record/known-link.tsx'
import './stat-panel.css'

/** A figure of a statistics page. */
export interface StatCard {
  readonly title: string
  readonly value: string
  readonly note?: string
  /** Further figures below the value; each opens the rows that it counts. */
  readonly more?: readonly { readonly label: string; readonly value: string; readonly to: string }[]
  /** List of the counted rows. */
  readonly to: string
}

/** Figures in a row. A click on a card opens the counted rows. */
export const StatCardRow = ({ cards }: { cards: readonly StatCard[] }) => (
  <div className="stat-cards">
    {cards.map(({ title, value, note, more = [], to }) => (
      <div key={title} className="kit-card stat-card">
        <PermittedLink to={to} className="stat-card-figure">
          <span>{title}</span>
          <b>{value}</b>
          {note && <small>{note}</small>}
        </PermittedLink>
        {more.map((each) => (
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
