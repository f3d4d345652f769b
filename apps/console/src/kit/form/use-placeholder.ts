import { useEffect, useRef, useState } from 'react'
import { runWhenIdle } from '#core/loading/deferred.tsx'

/** When the full control is rendered: not yet, when idle, with focus, or opened. */
export type Due = false | 'soon' | 'focused' | 'opened'

/**
 * Renders a light placeholder first and decides when the full control replaces it. Heavy controls load when the
 * browser is idle or on first interaction, because users read a list before they filter it.
 */
export function usePlaceholder(isHere: () => boolean) {
  const [due, setDue] = useState<Due>(() => isHere() && 'soon')
  const pressed = useRef(false)
  useEffect(() => {
    if (due) return
    return runWhenIdle(() => setDue((now) => now || 'soon'))
  }, [due])
  return {
    due,
    reach: {
      // Waits for the end of the mouse press. Otherwise the new control would treat the mouse-up as an outside click
      // and close.
      onPointerDown: () => {
        pressed.current = true
      },
      onClick: () => setDue('opened'),
      onFocus: () => setDue((now) => now || (!pressed.current && 'focused')),
    },
  }
}

/** Moves focus and open state from the placeholder to the full control, unless the user has moved to another field. */
export function useTakeOver(due: Due) {
  const [taken] = useState(() => !hasGoneOn() && due)
  return { autoFocus: taken === 'focused' || taken === 'opened', defaultOpen: taken === 'opened' }
}

/** Must be called while the placeholder is still mounted. */
function hasGoneOn() {
  const now = document.activeElement
  return now !== null && now.matches('input, textarea, button, a[href]') && !now.closest(`[${PLACEHOLDER_STYLE}]`)
}

/** Attribute that marks a placeholder. */
export const PLACEHOLDER_STYLE = 'data-stand-in'
