import type { ReactNode } from 'react'

interface Props {
  readonly title: string
  readonly hint?: string
  readonly children?: ReactNode
}

/** Renders a message with its actions in the centre of the available space. */
export const ErrorPage = ({ title, hint, children }: Props) => (
  <div className="center-page">
    <div className="error-page" role="status">
      <h1>{title}</h1>
      {hint && <p>{hint}</p>}
      <div className="notice-actions">{children}</div>
    </div>
  </div>
)
