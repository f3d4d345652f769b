import { createContext, use, useEffect, useId, useState } from 'react'

/** What a page knows of the tab it lives in. */
export interface TabApi {
  readonly key: string
  /** Names the tab after its data: `编辑 1.2.3`. */
  setTitle(title: string): void
  /** Loads the page anew, as the tab's menu does. */
  refresh(): void
  /** Closes this tab without asking. With `then`, opens that address and reloads its data: a detail that was saved. */
  close(then?: string): void
  /** Marks unsaved work; the tab shows a dot, and closing it asks. */
  setDirty(source: string, dirty: boolean): void
  /** False while another tab is in front: this page is hidden, not gone. */
  isShown(): boolean
  /** Survives even when the page itself was put away to save memory. */
  readonly memory: Map<string, unknown>
}

const Tab = createContext<TabApi | undefined>(undefined)
export const TabProvider = Tab

const OUTSIDE: TabApi = {
  key: '',
  setTitle: () => {},
  refresh: () => location.reload(),
  close: () => history.back(),
  setDirty: () => {},
  isShown: () => true,
  memory: new Map(),
}

/** The tab around this component; outside of the tabs (login, register) a stand-in that does the obvious. */
export const useTab = () => use(Tab) ?? OUTSIDE

/** Sets the tab's title for as long as the page lives. */
export function useTabTitle(title: string | undefined) {
  const tab = useTab()
  useEffect(() => {
    if (title) tab.setTitle(title)
  }, [tab, title])
}

/** Guards unsaved work: closing the tab, the others, or the window asks first. */
export function useUnsaved(dirty: boolean) {
  const tab = useTab()
  const source = useId()
  useEffect(() => {
    tab.setDirty(source, dirty)
    return () => {
      // A page that is hidden ends its effects too, with everything typed still in it.
      if (tab.isShown()) tab.setDirty(source, false)
    }
  }, [tab, source, dirty])
}

/**
 * `useState` that is still there when the tab's page had to be put away and comes back.
 * @public
 */
export function useTabState<T>(name: string, initial: T) {
  const { memory } = useTab()
  const [value, setValue] = useState(() => (memory.has(name) ? (memory.get(name) as T) : initial))
  const set = (next: T) => {
    memory.set(name, next)
    setValue(next)
  }
  return [value, set] as const
}
