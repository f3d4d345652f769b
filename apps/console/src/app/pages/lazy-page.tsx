import { type ComponentType, useEffect, useState } from 'react'
import { loadChunk } from '#core/loading/load-chunk.ts'
import type { Screen } from '#core/routing/screens.ts'
import { loadAntd, renderInAntdRoot } from '#kit/antd/lazy-antd.tsx'

const arrived = new Map<string, ComponentType>()
const begun = new Map<string, Promise<ComponentType>>()

function begin(screen: Screen) {
  const { path } = screen
  const running = begun.get(path)
  if (running) return running
  const started = withAntd(screen).then((page) => {
    arrived.set(path, page)
    return page
  })
  begun.set(path, started)
  started.catch(() => clearLoadedPage(screen))
  return started
}

async function withAntd({ page, plain }: Screen): Promise<ComponentType> {
  const [{ default: Page }, antd] = await Promise.all([loadChunk(page), plain ? undefined : loadAntd()])
  return antd ? renderInAntdRoot(antd.AntdRoot, Page) : Page
}

/** Starts loading a screen's code before the screen renders. */
export const preloadPage = (screen: Screen) => begin(screen).catch(() => {})

/**
 * Renders a screen's page when its code is loaded, and throws a load error. `React.lazy` is not used: its Suspense
 * boundary shows content at least 300 ms after the fallback, also for loaded code.
 */
export function usePage(screen: Screen): ComponentType | undefined {
  const [state, setState] = useState<{ page?: ComponentType | undefined; error?: unknown }>(() => ({
    page: arrived.get(screen.path),
  }))
  const { page, error } = state
  useEffect(() => {
    if (page) return
    let wanted = true
    begin(screen).then(
      (found) => wanted && setState({ page: found }),
      (problem: unknown) => wanted && setState({ error: problem }),
    )
    return () => {
      wanted = false
    }
  }, [page, screen])
  if (error !== undefined) throw error
  return page
}

/** Clears a failed load, so that the page can be loaded again. */
export function clearLoadedPage({ path }: Screen) {
  arrived.delete(path)
  begun.delete(path)
}
