import { type ComponentType, createElement, lazy, type ReactNode, Suspense, useState } from 'react'
import { loadChunk } from './load-chunk.ts'

/** Time a screen has to itself before what it may need next is fetched. */
const QUIET_MS = 2500
const AGAIN_MS = 500
/** What stands where something is still to come. */
const UNFINISHED = '.kit-skeleton, .ant-skeleton, .loading-block'

/** Runs when the screen has shown what it has to show, and nothing else happens; answers how to call it off. */
export function whenQuiet(run: () => void, afterMs = QUIET_MS) {
  const idle = window.requestIdleCallback ?? ((then: () => void) => setTimeout(then, 200))
  let timer = setTimeout(check, afterMs)
  function check() {
    const started = document.documentElement.dataset['started'] !== undefined
    if (started && !isUnfinished()) return void idle(run)
    timer = setTimeout(check, AGAIN_MS)
  }
  return () => clearTimeout(timer)
}

/** Hidden tabs may be waiting; nobody looks at them. */
const isUnfinished = () =>
  [...document.querySelectorAll<HTMLElement>(UNFINISHED)].some(({ offsetParent }) => offsetParent !== null)

type Load = () => Promise<unknown>
const waiting: Load[] = []
let callOff = () => {}

/** Fetches, one after another, what was declared to come later. */
function fetchWhenQuiet(load: Load) {
  waiting.push(load)
  callOff()
  callOff = whenQuiet(fetchNext)
}

async function fetchNext() {
  // A failure says nothing: whoever opens it asks again, and is told.
  await waiting
    .shift()?.()
    .catch(() => {})
  if (waiting.length > 0) await fetchNext()
}

type PropsOf<C> = C extends (props: infer Props) => ReactNode ? Props : never

/**
 * A component whose code is no part of the first screen: `later(() => import('./staff-form.tsx'), 'StaffAddForm')`.
 * It is fetched once the screen is quiet, so that a dialog opens at once. With `when`, nothing is rendered before that
 * is true for the first time: for drawers that are always there and mostly closed.
 */
export function later<Module, Name extends keyof Module>(
  load: () => Promise<Module>,
  name: Name,
  options: {
    when?: (props: PropsOf<Module[Name]>) => boolean
    fallback?: (props: PropsOf<Module[Name]>) => ReactNode
  } = {},
): Module[Name] {
  type Props = PropsOf<Module[Name]>
  const { when = () => true, fallback = () => null } = options
  // What is here already is rendered as it is: something lazy would wait at least 300 ms to be seen, even then.
  let arrived: ComponentType<object> | undefined
  const take = (module: Module) => {
    arrived = module[name] as ComponentType<object>
    return { default: arrived }
  }
  const begin = () =>
    lazy(() =>
      loadChunk(load).then(take, (failure: unknown) => {
        // Opened once more, it is asked for once more.
        Lazy = begin()
        throw failure
      }),
    )
  let Lazy = begin()
  if (typeof window !== 'undefined') fetchWhenQuiet(() => load().then(take))
  function Later(props: Props) {
    const [wanted, setWanted] = useState<ComponentType<object>>()
    const shown = wanted ?? (when(props) ? (arrived ?? Lazy) : undefined)
    if (shown && !wanted) setWanted(() => shown)
    return shown ? <Suspense fallback={fallback(props)}>{createElement(shown, props as object)}</Suspense> : null
  }
  return Later as Module[Name]
}
