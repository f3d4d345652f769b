import { EllipsisOutlined } from '@ant-design/icons'
import { Button, Popover } from 'antd'
import { type ReactNode, type RefObject, useSyncExternalStore } from 'react'
import { createPortal } from 'react-dom'
import { formatCount } from '#core/text/format.ts'
import { useTab } from '#core/routing/tab.tsx'
import { useHeadSlot } from '#kit/record/page.tsx'
import { useIsPhoneWidth } from '#kit/table/use-media.ts'
import { formatTotal } from './list-state.ts'

interface HeadProps {
  /** The section of the list. */
  readonly place: RefObject<HTMLElement | null>
  readonly total: number
  readonly isEstimate: boolean
  /** False until the first rows are loaded. */
  readonly loaded: boolean
  readonly actions: ReactNode
  /** Export and the tool buttons of the table. */
  readonly tools: ReactNode
  /** The saved views of the list. */
  readonly tabs?: ReactNode
}

/**
 * Renders the buttons of a list. The list of a page renders them with its title and its total into the header of the
 * page, and a list inside a drawer or below another list renders them above its rows.
 */
export function ListHead({ place, total, isEstimate, loaded, actions, tools, tabs }: HeadProps) {
  const slot = useOwnSlot(place)
  const title = useTab().title()
  const buttons = <Buttons actions={actions} tools={tools} />
  if (!slot)
    return (
      <div className="kit-toolbar">
        {tabs}
        {buttons}
      </div>
    )
  return createPortal(
    <>
      {!slot.hasTitle && <h1>{title}</h1>}
      {loaded && (
        <span className="kit-page-total">{isEstimate ? formatTotal(total, true) : formatCount(total)} 条</span>
      )}
      {buttons}
      {tabs}
    </>,
    slot.element,
  )
}

/** A list directly inside a page that only filters, notes and tabs precede. */
const MAIN_LIST = ':scope > .kit-list:not(.kit-card:not(.kit-search) ~ *, .kit-halves ~ *)'

/** Returns the header of the page when the section is the main list of the page. */
function useOwnSlot(place: RefObject<HTMLElement | null>) {
  const slot = useHeadSlot()
  const findList = () => slot?.element.parentElement?.querySelector(MAIN_LIST)
  const isOwn = useSyncExternalStore(subscribeToNothing, () => slot !== undefined && findList() === place.current)
  return isOwn ? slot : undefined
}

const subscribeToNothing = () => () => {}

/** On a phone, only the primary button is shown. All other buttons are in the panel of the button 更多. */
function Buttons({ actions, tools }: Pick<HeadProps, 'actions' | 'tools'>) {
  const phone = useIsPhoneWidth()
  if (!phone)
    return (
      <div className="kit-page-extra kit-actions">
        <div className="kit-tools">{tools}</div>
        {actions}
      </div>
    )
  return (
    <div className="kit-page-extra kit-actions kit-actions-first">
      {actions}
      <Popover
        trigger="click"
        placement="bottomRight"
        content={
          <div className="kit-actions kit-actions-rest">
            {actions}
            <div className="kit-tools">{tools}</div>
          </div>
        }
      >
        <Button className="kit-more" icon={<EllipsisOutlined />} aria-label="更多操作" />
      </Popover>
    </div>
  )
}
