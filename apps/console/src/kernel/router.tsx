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

// React Router's own versions of these bring its data, forms and prefetching along: 6 KB that no page here uses.

const history = typeof window === 'undefined' ? undefined : createBrowserHistory({ v5Compat: true })

/** Keeps what is shown in step with the address bar. */
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

/** A link inside the console; held keys and other buttons do what they do on any link. */
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
  return <a {...anchor} href={href} onClick={follow} />
}

/** The query of the address, and how to put another in its place. */
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
