import { useLocation } from 'react-router'
import { createStore, useStore } from '#core/events/store.ts'

const KEY = 'record-trail'

/** URLs of the records of the list that was used last, in the order of the list. */
const trail = createStore<readonly string[]>(readStored())

function readStored(): readonly string[] {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? '[]')
    return Array.isArray(stored) ? stored.filter((url) => typeof url === 'string') : []
  } catch {
    return []
  }
}

/**
 * Stores the records of a list before one of them is opened. The list survives a reload of the browser tab.
 * @public
 */
export function setRecordTrail(urls: readonly string[]) {
  sessionStorage.setItem(KEY, JSON.stringify(urls))
  trail.set(urls)
}

/** Returns the URLs of the records before and after a record, in the list from which the record was opened. */
export function findNeighbours(url: string, urls: readonly string[] = trail.get()) {
  const at = urls.indexOf(url)
  return at < 0 ? {} : { previous: urls[at - 1], next: urls[at + 1], position: at + 1, total: urls.length }
}

/**
 * Returns the records before and after the record of this page, for the buttons and for the keys `[` and `]`.
 * @public
 */
export function useRecordNeighbours() {
  const { pathname, search } = useLocation()
  return findNeighbours(pathname + search, useStore(trail))
}
