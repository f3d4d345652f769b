import { State } from '#kit/record/state.tsx'
import type { Dict } from './use-dict.ts'

/** Renders a dictionary value with its colour and class; a value without an entry is shown unchanged. */
export function DictTag({ dict, value }: { dict: Dict; value: unknown }) {
  if (value === undefined || value === null || value === '') return <span className="kit-none">-</span>
  const entry = dict.entryOf(value)
  return (
    <State color={entry?.listClass ?? ''} className={entry?.cssClass ?? ''} title={dict.labelOf(value)}>
      {dict.labelOf(value)}
    </State>
  )
}
