import type { ReactNode } from 'react'

interface Props {
  readonly title: string
  readonly hint?: string
  readonly children?: ReactNode
}

/** One sentence and what can be done about it, in the middle of the space there is. */
export const NoticePage = ({ title, hint, children }: Props) => (
  <div className="center-page">
    <div className="error-page" role="status">
      <h1>{title}</h1>
      {hint && <p>{hint}</p>}
      <div className="notice-actions">{children}</div>
    </div>
  </div>
)
