import {
  type AnchorHTMLAttributes,
  type MouseEvent,
  type ReactNode,
  startTransition,
  useCallback,
  useContext,
  useLayoutEffect,
  useMemo,
  useState,
} from 'react'
import {
  type Location,
  Router,
  UNSAFE_createBrowserHistory as createBrowserHistory,
  UNSAFE_NavigationContext as NavigationContext,
  useHref,
  useLocation,
  useNavigate,
} from 'react-router'

// Replaces React Router's own components, which would add 6 KB of unused data, form and prefetch code.

const history = typeof window === 'undefined' ? undefined : createBrowserHistory({ v5Compat: true })

/** Updates the shown route when the browser URL changes. */
export function AddressRouter({ children }: { children: ReactNode }) {
  const source = history as NonNullable<typeof history>
  const [at, setAt] = useState({ action: source.action, location: source.location })
  useLayoutEffect(() => source.listen((next) => startTransition(() => setAt(next))), [source])
  return (
    <Router navigator={source} location={at.location} navigationType={at.action}>
      {children}
    </Router>
  )
}

interface LinkProps extends Omit<AnchorHTMLAttributes<HTMLAnchorElement>, 'href'> {
  readonly to: string
  readonly replace?: boolean
  readonly ref?: React.Ref<HTMLAnchorElement>
}

/** A link inside the console; modifier keys and other mouse buttons keep their browser behaviour. */
export function Link({ to, replace = false, onClick, ...anchor }: LinkProps) {
  const navigate = useNavigate()
  const href = useHref(to)
  const follow = (event: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(event)
    const special = event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || event.button !== 0
    if (event.defaultPrevented || special || (anchor.target && anchor.target !== '_self')) return
    event.preventDefault()
    const { pathname, search, hash } = window.location
    void navigate(to, { replace: replace || pathname + search + hash === href })
  }
  // oxlint-disable-next-line jsx-a11y/anchor-has-content -- the content is one of the passed properties
  return <a {...anchor} href={href} onClick={follow} />
}

/**
 * Returns a function that reads the location of the URL. While the code of the next page or view loads, this location
 * is newer than the location of the shown page.
 */
export function useLocationGetter(): () => Location {
  const { navigator } = useContext(NavigationContext)
  return useCallback(() => (navigator as unknown as { readonly location: Location }).location, [navigator])
}

/**
 * Returns the query of the URL and a function that replaces the query. The function does nothing when the URL already
 * belongs to the next page. Otherwise the page that is still shown would cancel the navigation.
 */
export function useSearchParams() {
  const { pathname, search } = useLocation()
  const navigate = useNavigate()
  const getLocation = useLocationGetter()
  const params = useMemo(() => new URLSearchParams(search), [search])
  const setParams = useCallback(
    (next: URLSearchParams | string, options: { replace?: boolean } = {}) => {
      if (getLocation().pathname === pathname) void navigate(`?${next}`, options)
    },
    [navigate, getLocation, pathname],
  )
  return [params, setParams] as const
}
