import type { ReactNode } from 'react'
import { Drawing, type DrawingName } from '#kit/drawing.tsx'

interface Props {
  readonly title: string
  readonly hint?: string
  readonly drawing?: DrawingName
  readonly children?: ReactNode
}

/** Renders a message with its actions in the centre of the available space. */
export const ErrorPage = ({ title, hint, drawing = 'offline', children }: Props) => (
  <div className="center-page">
    <div className="error-page" role="status">
      <Drawing of={drawing} />
      <h1>{title}</h1>
      {hint && <p>{hint}</p>}
      <div className="error-actions">{children}</div>
    </div>
  </div>
)
