import { Children, type ReactNode } from 'react'
import '#kit/kit.css'

/** Renders tags with gaps on one or more lines. Renders nothing without tags, so that a description shows a dash. */
export const TagList = ({ children }: { children: ReactNode }) =>
  Children.count(children) > 0 && <span className="kit-tags">{children}</span>
