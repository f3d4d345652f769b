import { type ComponentType, useEffect, useState } from 'react'
import { loadChunk } from '#kernel/load-chunk.ts'
import type { Screen } from '#kernel/screens.ts'
import { loadAntd, within } from '#kit/lazy-antd.tsx'

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
  started.catch(() => forgetPage(screen))
  return started
}

async function withAntd({ page, plain }: Screen): Promise<ComponentType> {
  const [{ default: Page }, antd] = await Promise.all([loadChunk(page), plain ? undefined : loadAntd()])
  return antd ? within(antd.AntdRoot, Page) : Page
}

/** Starts loading a screen's code before anything renders it. */
export const preloadPage = (screen: Screen) => begin(screen).catch(() => {})

/**
 * The page of a screen once its code is here; a failure is thrown. Not `lazy`: React shows what a boundary waited for
 * no sooner than 300 ms after it showed that it waits, and code that is here already has nothing to wait for.
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

/** A page whose code did not arrive may be asked for again. */
export function forgetPage({ path }: Screen) {
  arrived.delete(path)
  begun.delete(path)
}
