import { createContext, type ReactNode, use, useState } from 'react'
import { useTab } from '#core/routing/tab.tsx'
import '#kit/kit.css'

interface Head {
  readonly element: HTMLElement
  /** True when the page itself shows its title. */
  readonly hasTitle: boolean
}

/** Null outside of a page; undefined in a page whose header has other content. */
const HeadSlot = createContext<Head | null | undefined>(null)

/** Returns the header of the page, into which the list of the page renders its title, total and buttons. */
export const useHeadSlot = () => use(HeadSlot) ?? undefined

/**
 * Page layout: cards at equal distances, with a header. A page without a title gets its header from its list. The tabs
 * of a page are beside its title, so that the rows of their lists begin as high as in other lists.
 */
export function Page({
  title,
  intro,
  extra,
  tabs,
  children,
}: {
  title?: string
  intro?: ReactNode
  extra?: ReactNode
  tabs?: ReactNode
  children: ReactNode
}) {
  const [element, setElement] = useState<HTMLElement>()
  const tabTitle = useTab().title()
  const hasTitle = title !== undefined || Boolean(tabs)
  const isNested = use(HeadSlot) !== null
  return (
    <div className="kit-page">
      {/* A hidden page detaches its refs. The slot is kept, so that the state of the buttons survives. */}
      <header className="kit-page-head" ref={(element) => void (element && setElement(element))}>
        {hasTitle && <h1>{title ?? tabTitle}</h1>}
        {tabs && <div className="kit-page-tabs">{tabs}</div>}
        {extra && <div className="kit-page-extra">{extra}</div>}
        {intro && <p>{intro}</p>}
      </header>
      <HeadSlot value={title || isNested ? undefined : element && { element, hasTitle }}>{children}</HeadSlot>
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
