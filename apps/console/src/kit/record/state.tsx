import type { ReactNode } from 'react'
import '#kit/kit.css'

/** The meaning of each colour name of antd and of the dictionaries. A name that is not listed is neutral. */
const TONES: Readonly<Record<string, string>> = {
  success: 'success',
  green: 'success',
  processing: 'processing',
  primary: 'processing',
  info: 'processing',
  blue: 'processing',
  cyan: 'processing',
  warning: 'warning',
  orange: 'warning',
  gold: 'warning',
  error: 'error',
  danger: 'error',
  red: 'error',
}

interface StateProps {
  /** Colour name of the state. Default: neutral. */
  readonly color?: string | undefined
  readonly title?: string | undefined
  readonly className?: string | undefined
  readonly tabIndex?: number
  readonly children: ReactNode
}

/** Shows a state as a dot and a word. */
export const State = ({ color = '', className = '', children, ...span }: StateProps) => (
  <span className={`kit-state ${className}`} data-tone={TONES[color] ?? 'default'} {...span}>
    <span>{children}</span>
  </span>
)
