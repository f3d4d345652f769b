import { getSession } from '#core/auth/session.tsx'
import { usePreference } from '#kit/table/use-preference.ts'

/** A page as the search shows it: the tab's title, and the URL with the filters of the last visit. */
export interface KnownPage {
  /** Identity of the page, equal to the key of its tab. */
  readonly key: string
  readonly url: string
  readonly title: string
}

const MAX_RECENT = 8
const MAX_FAVOURITES = 20
const storageKey = () => `oms.recent.${getSession()?.uid ?? 0}`

/** Returns the pages that this browser opened last, latest first. */
export function readRecentPages(): readonly KnownPage[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(storageKey()) ?? '[]')
    return Array.isArray(stored) ? stored : []
  } catch {
    return []
  }
}

/**
 * Stores an opened page. The pages stay in this browser, because a request to the server for every opened page would
 * cost more than it is worth.
 */
export function rememberPage(page: KnownPage) {
  const others = readRecentPages().filter(({ key }) => key !== page.key)
  localStorage.setItem(storageKey(), JSON.stringify([page, ...others].slice(0, MAX_RECENT)))
}

/** Returns the favourite pages of the account, and a function that adds or removes a page. */
export function useFavourites() {
  const [list, keep] = usePreference<readonly KnownPage[]>('favourites', [])
  const toggle = (page: KnownPage) => {
    const others = list.filter(({ key }) => key !== page.key)
    keep(others.length < list.length ? others : [...others, page].slice(-MAX_FAVOURITES))
  }
  return { list, toggle }
}
