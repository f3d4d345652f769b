import { type ComponentType, type LazyExoticComponent, lazy } from 'react'
import type { Screen } from '#kernel/screens.ts'
import { loadChunk } from '#kernel/load-chunk.ts'

type Page = LazyExoticComponent<ComponentType>
const pages = new Map<string, Page>()
const begun = new Map<string, Promise<{ default: ComponentType }>>()

/** The styles of tables, pickers and trees: not needed to show the frame and the home page. */
let styles: Promise<unknown> | undefined
export const restStyles = () => {
  styles ??= loadChunk(() => import('./rest-styles.ts'))
  return styles
}

function begin(screen: Screen) {
  const running = begun.get(screen.path)
  if (running) return running
  const started = Promise.all([loadChunk(screen.page), screen.path === '/indexScreen' || restStyles()]).then(
    ([module]) => module,
  )
  begun.set(screen.path, started)
  started.catch(() => forgetPage(screen))
  return started
}

/** Starts loading a screen's code before anything renders it. */
export const preloadPage = (screen: Screen) => void begin(screen).catch(() => {})

/** The page of a screen; the same component every time, so that React keeps its state. */
export function pageOf(screen: Screen): Page {
  const page = pages.get(screen.path) ?? lazy(() => begin(screen))
  pages.set(screen.path, page)
  return page
}

/** A page whose code did not arrive may be asked for again. */
export function forgetPage({ path }: Screen) {
  pages.delete(path)
  begun.delete(path)
  styles = undefined
}
