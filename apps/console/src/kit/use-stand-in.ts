import { useEffect, useRef, useState } from 'react'
import { whenQuiet } from '#kernel/later.tsx'

/** Whether the real control is due: not yet, without hurry, under somebody's cursor, or to be opened at once. */
export type Due = false | 'soon' | 'focused' | 'opened'

/**
 * What shows first in a control's place, and the moment the control itself takes over: a list is read before it is
 * filtered, so heavy controls come when the screen is quiet, or somebody reaches for one.
 */
export function useStandIn(isHere: () => boolean) {
  const [due, setDue] = useState<Due>(() => isHere() && 'soon')
  const pressed = useRef(false)
  useEffect(() => {
    if (due) return
    return whenQuiet(() => setDue((now) => now || 'soon'))
  }, [due])
  return {
    due,
    reach: {
      // Not before the press has ended: a control that came in the middle of it would take its rest for a press beside
      // itself, and close again.
      onPointerDown: () => {
        pressed.current = true
      },
      onClick: () => setDue('opened'),
      onFocus: () => setDue((now) => now || (!pressed.current && 'focused')),
    },
  }
}

/**
 * How the real control takes over from its stand-in: with the focus, open if it was pressed; and doing neither to a person
 * who has gone on to another field since.
 */
export function useTakeOver(due: Due) {
  const [taken] = useState(() => !hasGoneOn() && due)
  return { autoFocus: taken === 'focused' || taken === 'opened', defaultOpen: taken === 'opened' }
}

/** Asked while the stand-in is still on the page. */
function hasGoneOn() {
  const now = document.activeElement
  return now !== null && now.matches('input, textarea, button, a[href]') && !now.closest(`[${STAND_IN}]`)
}

/** Marks a stand-in. */
export const STAND_IN = 'data-stand-in'
