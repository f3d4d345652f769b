import type { MouseEvent, ReactNode } from 'react'
import { useLocation } from 'react-router'
import { Link } from '#core/routing/router.tsx'
import { useTab } from '#core/routing/tab.tsx'
import './account.css'

/** Sections of the account settings. Each has the route that the specification gives it. */
const SECTIONS = [
  { to: '/account/profile', label: '资料' },
  { to: '/account/password', label: '密码' },
  { to: '/account/mfa', label: '两步验证' },
  { to: '/account/sessions', label: '会话' },
  { to: '/account/tokens', label: '访问令牌' },
  { to: '/account/looks', label: '外观' },
] as const

interface Props {
  readonly title: string
  /** States in one sentence what the section is for. */
  readonly intro?: string
  /** Buttons beside the title. */
  readonly extra?: ReactNode
  readonly children: ReactNode
}

/** Account settings: the sections at the side, and one section. A section replaces the tab of the section before. */
export function AccountSettings({ title, intro, extra, children }: Props) {
  const { pathname } = useLocation()
  const tab = useTab()
  const replace = (event: MouseEvent, to: string) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return
    event.preventDefault()
    if (to !== pathname) tab.replace(to)
  }
  return (
    <section className="kit-card account-settings">
      <nav aria-label="账号设置">
        <p>账号设置</p>
        <ul>
          {SECTIONS.map(({ to, label }) => (
            <li key={to}>
              <Link to={to} aria-current={to === pathname ? 'page' : undefined} onClick={(event) => replace(event, to)}>
                {label}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      <div className="account-section">
        <header>
          <div>
            <h1>{title}</h1>
            {intro && <p>{intro}</p>}
          </div>
          {extra}
        </header>
        {children}
      </div>
    </section>
  )
}
