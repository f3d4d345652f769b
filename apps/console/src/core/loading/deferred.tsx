import { type ComponentType, createElement, lazy, type ReactNode, Suspense, useState } from 'react'
import { loadChunk } from './load-chunk.ts'

/** Milliseconds before the first check whether the screen has rendered. */
const QUIET_MS = 2500
const AGAIN_MS = 500
/** A page with a running animation may never be idle. Its charts and dialogs load after this time. */
const LONGEST_WAIT_FOR_IDLE_MS = 2000
/** Placeholder while deferred content loads. */
const UNFINISHED = '.kit-skeleton, .ant-skeleton, .loading-block'

/**
 * Waits `afterMs`, then until the screen has rendered, and then runs a task when the browser is idle, after 2 s at the
 * latest. Returns a cancel function.
 */
export function runWhenIdle(run: () => void, afterMs = QUIET_MS) {
  let cancel = after(afterMs, check)
  function check() {
    const started = document.documentElement.dataset['started'] !== undefined
    cancel = started && !isUnfinished() ? onceIdle(run) : after(AGAIN_MS, check)
  }
  return () => cancel()
}

function after(ms: number, run: () => void) {
  const timer = setTimeout(run, ms)
  return () => clearTimeout(timer)
}

/**
 * Runs a task when the browser is idle, and returns a cancel function. Safari lacks `requestIdleCallback`, so a timer
 * replaces it.
 */
function onceIdle(run: () => void) {
  if (!window.requestIdleCallback) return after(200, run)
  const callback = window.requestIdleCallback(run, { timeout: LONGEST_WAIT_FOR_IDLE_MS })
  return () => window.cancelIdleCallback(callback)
}

/** Ignores placeholders in hidden tabs, because the user does not see them. */
const isUnfinished = () =>
  [...document.querySelectorAll<HTMLElement>(UNFINISHED)].some(({ offsetParent }) => offsetParent !== null)

type Load = () => Promise<unknown>
const waiting: Load[] = []
let callOff = () => {}

/** Registers a module that is loaded when the browser is idle. Registered modules load one after another. */
export function loadWhenIdle(load: Load) {
  waiting.push(load)
  callOff()
  callOff = runWhenIdle(fetchNext)
}

async function fetchNext() {
  // Failures are ignored here: opening the component loads the module again and shows the error.
  await waiting
    .shift()?.()
    .catch(() => {})
  if (waiting.length > 0) await fetchNext()
}

type PropsOf<C> = C extends (props: infer Props) => ReactNode ? Props : never

/**
 * Creates a component whose code is loaded after the first screen: `lazyAfterRender(() => import('./staff-form.tsx'),
 * 'StaffAddForm')`. The code is loaded when the browser is idle, so that a dialog opens at once. With `when`, nothing
 * renders until `when` is true for the first time (for drawers that are usually closed).
 */
export function lazyAfterRender<Module, Name extends keyof Module>(
  load: () => Promise<Module>,
  name: Name,
  options: {
    when?: (props: PropsOf<Module[Name]>) => boolean
    fallback?: (props: PropsOf<Module[Name]>) => ReactNode
  } = {},
): Module[Name] {
  type Props = PropsOf<Module[Name]>
  const { when = () => true, fallback = () => null } = options
  // A loaded component is rendered directly: React.lazy with Suspense would delay the display by at least 300 ms.
  let arrived: ComponentType<object> | undefined
  const take = (module: Module) => {
    arrived = module[name] as ComponentType<object>
    return { default: arrived }
  }
  const begin = () =>
    lazy(() =>
      loadChunk(load).then(take, (failure: unknown) => {
        // Opening the component again repeats a failed load.
        Lazy = begin()
        throw failure
      }),
    )
  let Lazy = begin()
  if (typeof window !== 'undefined') loadWhenIdle(() => load().then(take))
  function Later(props: Props) {
    const [wanted, setWanted] = useState<ComponentType<object>>()
    const shown = wanted ?? (when(props) ? (arrived ?? Lazy) : undefined)
    if (shown && !wanted) setWanted(() => shown)
    return shown ? <Suspense fallback={fallback(props)}>{createElement(shown, props as object)}</Suspense> : null
  }
  return Later as Module[Name]
}
