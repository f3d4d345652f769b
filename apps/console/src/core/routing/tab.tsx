import { createContext, use, useEffect, useId, useMemo, useState } from 'react'

/** Functions and state of the tab that contains the page. */
export interface TabApi {
  readonly key: string
  /** Sets the tab title from data: `编辑 1.2.3`. */
  setTitle(title: string): void
  /** Reloads the page, like the tab's context menu. */
  refresh(): void
  /**
   * Closes the tab without a prompt. `then` opens another path and reloads its data, for example a saved detail page.
   */
  close(then?: string): void
  /** Opens another path in place of this page. The tab of a page with unsaved input stays open. */
  replace(to: string): void
  /** Marks unsaved changes: the tab shows a dot, and closing asks for confirmation. */
  setDirty(source: string, dirty: boolean): void
  /** False while another tab is active: the page is hidden but mounted. */
  isShown(): boolean
  /** The current tab title, for messages about a hidden page. */
  title(): string
  /** State that is kept when the page is unmounted to save memory. */
  readonly memory: Map<string, unknown>
}

const Tab = createContext<TabApi | undefined>(undefined)
export const TabProvider = Tab

const OUTSIDE: TabApi = {
  key: '',
  setTitle: () => {},
  refresh: () => location.reload(),
  close: () => history.back(),
  replace: (to) => location.assign(to),
  setDirty: () => {},
  isShown: () => true,
  title: () => document.title,
  memory: new Map(),
}

/** Returns the tab of this component. Outside tabs (login, register) returns a simple implementation. */
export const useTab = () => use(Tab) ?? OUTSIDE

/** Sets the tab title while the page is mounted. */
export function useTabTitle(title: string | undefined) {
  const tab = useTab()
  useEffect(() => {
    if (title) tab.setTitle(title)
  }, [tab, title])
}

/**
 * Guards unsaved changes: closing the tab, other tabs or the window asks for confirmation. Returns a function that
 * marks the page as saved at once, because effects of a hidden page run only when the page is shown again.
 */
export function useUnsaved(dirty: boolean) {
  const tab = useTab()
  const source = useId()
  useEffect(() => {
    tab.setDirty(source, dirty)
    return () => {
      // Hiding a page also cleans up its effects, but the page keeps its input, so the mark must stay.
      if (tab.isShown()) tab.setDirty(source, false)
    }
  }, [tab, source, dirty])
  return () => tab.setDirty(source, false)
}

/**
 * Tracks the unsaved changes of a part of a page that is closed separately, such as a drawer. Components in this part
 * get the returned `tab`. Their changes also mark the tab of the page as unsaved.
 */
export function useUnsavedTracker() {
  const page = useTab()
  const [sources] = useState(() => new Set<string>())
  const tab = useMemo(
    (): TabApi => ({
      ...page,
      setDirty: (source, dirty) => {
        if (dirty) sources.add(source)
        else sources.delete(source)
        page.setDirty(source, dirty)
      },
    }),
    [page, sources],
  )
  return { tab, hasUnsaved: () => sources.size > 0 }
}

/**
 * Works like `useState`, but keeps the state when the tab's page is unmounted and mounted again.
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
