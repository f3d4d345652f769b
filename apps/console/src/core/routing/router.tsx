import {
  type AnchorHTMLAttributes,
  type MouseEvent,
  type ReactNode,
  startTransition,
  useCallback,
  useLayoutEffect,
  useMemo,
  useState,
} from 'react'
import {
  Router,
  UNSAFE_createBrowserHistory as createBrowserHistory,
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

/** Returns the query of the URL and a function that replaces it. */
export function useSearchParams() {
  const { search } = useLocation()
  const navigate = useNavigate()
  const params = useMemo(() => new URLSearchParams(search), [search])
  const setParams = useCallback(
    (next: URLSearchParams | string, options: { replace?: boolean } = {}) => void navigate(`?${next}`, options),
    [navigate],
  )
  return [params, setParams] as const
}
