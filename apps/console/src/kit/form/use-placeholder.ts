import { type ComponentType, type KeyboardEvent, type MouseEvent, useEffect, useState } from 'react'
import { loadWhenIdle, runWhenIdle } from '#core/loading/deferred.tsx'
import { loadChunk } from '#core/loading/load-chunk.ts'

/** How the full control takes over: when idle, with focus, or opened. */
export type PlaceholderState = 'soon' | 'focused' | 'opened'

/** Keys that open a closed select or calendar. */
const OPENING_KEYS = ['ArrowDown', 'ArrowUp', 'Enter', ' ']

export interface DeferredControl<Props> {
  /** The component, once its code is loaded. */
  readonly arrived: ComponentType<Props> | undefined
  load(): Promise<ComponentType<Props>>
}

/** Loads the code of a heavy control when the browser is idle, or at the first interaction with its placeholder. */
export function deferControl<Name extends string, Props>(
  load: () => Promise<Record<Name, ComponentType<Props>>>,
  name: Name,
): DeferredControl<Props> {
  let arrived: ComponentType<Props> | undefined
  const control = {
    get arrived() {
      return arrived
    },
    load: async () => (arrived ??= (await loadChunk(load))[name]),
  }
  // Tests of Node import the module without a window.
  if (typeof window !== 'undefined') loadWhenIdle(control.load)
  return control
}

/**
 * Renders a light placeholder first and decides when the full control replaces it. Heavy controls load when the
 * browser is idle or on first interaction, because users read a list before they filter it. The placeholder stays and
 * records focus and clicks until the code is loaded; the full control continues in that state.
 */
export function usePlaceholder<Props>(control: DeferredControl<Props>) {
  const [due, setDue] = useState<PlaceholderState | undefined>(() => (control.arrived ? 'soon' : undefined))
  const [isPressed, setPressed] = usePress()
  const Full = useLoadedControl(control, due)
  useEffect(() => {
    if (due) return
    return runWhenIdle(() => setDue((now) => now ?? 'soon'))
  }, [due])
  const open = () => setDue('opened')
  return {
    due,
    // Waits for the end of a mouse press. Otherwise the press would end on the new control, and the click would be lost.
    Full: due && !isPressed ? Full : undefined,
    reach: {
      onPointerDown: () => setPressed(true),
      onClick: ({ currentTarget }: MouseEvent<HTMLElement>) => {
        // A click beside the inputs of the placeholder does not focus them.
        if (!currentTarget.contains(document.activeElement)) currentTarget.querySelector('input')?.focus()
        open()
      },
      onKeyDown: (event: KeyboardEvent) => {
        if (!OPENING_KEYS.includes(event.key)) return
        event.preventDefault()
        open()
      },
      onFocus: () => setDue((now) => (now === 'opened' ? now : 'focused')),
      // The user has moved to another field. The focus stays there.
      onBlur: () => {
        if (document.hasFocus()) setDue((now) => now && 'soon')
      },
    },
  }
}

/** True from a press on the placeholder until the click event of that press. */
function usePress() {
  const [isPressed, setPressed] = useState(false)
  useEffect(() => {
    if (!isPressed) return
    // The click event follows the release in the same task.
    const release = () => void setTimeout(() => setPressed(false))
    const ends = ['pointerup', 'pointercancel'] as const
    for (const end of ends) addEventListener(end, release)
    return () => {
      for (const end of ends) removeEventListener(end, release)
    }
  }, [isPressed])
  return [isPressed, setPressed] as const
}

/** Returns the full control when it is needed and loaded. A failed load is thrown only after an interaction. */
function useLoadedControl<Props>(control: DeferredControl<Props>, due: PlaceholderState | undefined) {
  const [Full, setFull] = useState(() => control.arrived)
  const [failure, setFailure] = useState<unknown>()
  useEffect(() => {
    if (!due || Full) return
    control.load().then(
      (loaded) => setFull(() => loaded),
      (error: unknown) => due !== 'soon' && setFailure(error),
    )
  }, [control, due, Full])
  if (failure) throw failure
  return Full
}

/** Returns the properties with which the full control continues the placeholder's focus and open state. */
export function usePlaceholderState(due: PlaceholderState) {
  const [taken] = useState(due)
  return { autoFocus: taken !== 'soon', defaultOpen: taken === 'opened' }
}
