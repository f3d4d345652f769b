import { createContext, type ReactNode, use, useState } from 'react'
import '#kit/kit.css'

/** Null outside of a page; undefined in a page whose header has other content. */
const HeadSlot = createContext<HTMLElement | null | undefined>(null)

/** Returns the header of the page, into which the list of the page renders its title, total and buttons. */
export const useHeadSlot = () => use(HeadSlot) ?? undefined

/** Page layout: cards at equal distances, with a header. A page without a title gets its header from its list. */
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
  const [slot, setSlot] = useState<HTMLElement>()
  const isNested = use(HeadSlot) !== null
  return (
    <div className="kit-page">
      {/* A hidden page detaches its refs. The slot is kept, so that the state of the buttons survives. */}
      <header className="kit-page-head" ref={(element) => void (element && setSlot(element))}>
        {title && <h1>{title}</h1>}
        {extra && <div className="kit-page-extra">{extra}</div>}
        {intro && <p>{intro}</p>}
      </header>
      <HeadSlot value={title || isNested ? undefined : slot}>{children}</HeadSlot>
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
