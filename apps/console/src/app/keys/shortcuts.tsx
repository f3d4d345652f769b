import { Suspense, useEffect, useEffectEvent, useRef, useState } from 'react'
import { useNavigate } from 'react-router'
import { can } from '#core/auth/session.tsx'
import { createStore, useStore } from '#core/events/store.ts'
import { findNeighbours } from '#core/routing/record-trail.ts'
import { lazyAntd } from '#kit/antd/lazy-antd.tsx'
import { matchRoute } from '#app/screen-match.ts'
import { tabs } from '#app/tabs/tab-state.ts'
import { openInPlace } from '#app/tabs/use-tab-actions.ts'
import { moveToRow, openRow, pressAdd, pressEdit, rememberTrail } from './page-controls.ts'
import { GO_TO } from './shortcut-list.ts'

const ShortcutDialog = lazyAntd(() => import('./shortcut-dialog.tsx'), 'default')

/** Maximum milliseconds between `g` and the second key. */
const SEQUENCE_MS = 1200
const FIELDS =
  'input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable=true], [role=menu], [role=listbox]'
const LAYERS = '[role=dialog], [role=alertdialog], [role=menu]'

const helpShown = createStore(false)
/** Opens the dialog that lists the shortcuts. */
export const showShortcuts = () => helpShown.set(true)

/** Returns whether a key press belongs to a field, to an open dialog or menu, or to the browser. */
function isTaken(event: KeyboardEvent) {
  const { target, isComposing, ctrlKey, metaKey, altKey, defaultPrevented } = event
  if (isComposing || ctrlKey || metaKey || altKey || defaultPrevented) return true
  if (target instanceof Element && target.closest(FIELDS)) return true
  return [...document.querySelectorAll(LAYERS)].some((layer) => layer.checkVisibility({ visibilityProperty: true }))
}

/** Shortcuts of the console: `?` lists them. */
export function Shortcuts() {
  const { onKeyDown } = useShortcutKeys()
  const [isUsed, setUsed] = useState(false)
  const isOpen = useStore(helpShown)
  const onKey = useEffectEvent(onKeyDown)
  if (isOpen && !isUsed) setUsed(true)
  useEffect(() => {
    const listener = (event: KeyboardEvent) => onKey(event)
    addEventListener('keydown', listener)
    document.addEventListener('click', rememberTrail, true)
    return () => {
      removeEventListener('keydown', listener)
      document.removeEventListener('click', rememberTrail, true)
    }
  }, [])
  return isUsed ? (
    <Suspense>
      <ShortcutDialog open={isOpen} onClose={() => helpShown.set(false)} />
    </Suspense>
  ) : null
}

function useShortcutKeys() {
  const navigate = useNavigate()
  const goPressedAt = useRef(0)
  const goTo = (key: string) => {
    const to = GO_TO.find((each) => each.key === key)?.to
    const screen = to && matchRoute(to)?.screen
    if (screen && can(screen.access)) void navigate(to)
    return to !== undefined
  }
  /** Opens a neighbour of the shown record in place of the record. */
  const openNeighbour = (which: 'previous' | 'next') => {
    const to = findNeighbours(location.pathname + location.search)[which]
    if (to) openInPlace(tabs.get().active, to, navigate)
  }
  const actions: Readonly<Record<string, () => unknown>> = {
    '?': showShortcuts,
    j: () => moveToRow(1),
    k: () => moveToRow(-1),
    o: openRow,
    e: pressEdit,
    n: pressAdd,
    '[': () => openNeighbour('previous'),
    ']': () => openNeighbour('next'),
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (isTaken(event)) return
    const { key, timeStamp } = event
    const isSecond = timeStamp - goPressedAt.current < SEQUENCE_MS
    goPressedAt.current = 0
    if (isSecond && goTo(key)) return event.preventDefault()
    if (key === 'g') goPressedAt.current = timeStamp
    // Enter opens a row only when the row itself, and no control inside the row, has the focus.
    else if (key === 'Enter' && document.activeElement?.matches('tr, li')) openRow()
    else if (actions[key]) actions[key]()
    else return
    event.preventDefault()
  }
  return { onKeyDown }
}
