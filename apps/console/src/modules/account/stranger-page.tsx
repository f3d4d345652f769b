import { type ReactNode, useEffect } from 'react'

interface Props {
  readonly title: string
  readonly subtitle: string
  readonly children: ReactNode
}

/** Layout of pages without a login. */
export function PublicPageLayout({ title, subtitle, children }: Props) {
  useEffect(() => {
    document.title = `${title} - 运营管理系统`
  }, [title])
  return (
    <main className="stranger">
      <div className="stranger-box">
        <div className="brand">
          <img className="brand-mark" src="/favicon.svg" alt="" />
          <span className="brand-name">运营管理系统</span>
        </div>
        <h1>{title}</h1>
        <p style={{ margin: '0 0 24px', color: 'var(--ant-color-text-description)' }}>{subtitle}</p>
        {children}
      </div>
    </main>
  )
}
