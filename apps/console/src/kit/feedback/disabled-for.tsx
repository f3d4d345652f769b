import { Tooltip } from 'antd'
import { type ReactNode, useId } from 'react'
import '#kit/kit.css'

/** Properties of a button that is disabled but keeps its place in the tab order. */
interface DisabledProps {
  readonly 'aria-disabled': true
  readonly 'aria-describedby': string
}

/**
 * Disables a button and says why. The button stays focusable without an action. Pointer, focus and touch show the reason
 * in a tooltip, and a screen reader reads the reason as the description of the button.
 */
export function DisabledFor({ reason, children }: { reason: string; children(why: DisabledProps): ReactNode }) {
  const id = useId()
  return (
    <>
      <Tooltip title={reason} trigger={['hover', 'focus', 'click']}>
        <span className="kit-disabled-for">{children({ 'aria-disabled': true, 'aria-describedby': id })}</span>
      </Tooltip>
      <span id={id} hidden>
        {reason}
      </span>
    </>
  )
}
