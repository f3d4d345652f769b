import { Tooltip } from 'antd'
import { type ReactNode, useState } from 'react'
import './kit.css'

/** One line of text, or of what shows it; cut where the room ends, and then whole in a tooltip. A table full of them costs no tooltip until hovered. */
export function Ellipsis({ text, children = text }: { text: string; children?: ReactNode }) {
  const [cut, setCut] = useState(false)
  const line = (
    <span
      className="kit-ellipsis"
      onMouseEnter={({ currentTarget }) => setCut(currentTarget.scrollWidth > currentTarget.clientWidth)}
    >
      {children}
    </span>
  )
  return cut ? (
    <Tooltip
      title={text}
      defaultOpen
      onOpenChange={(open) => open || setCut(false)}
      styles={{ root: { maxWidth: 480 } }}
    >
      {line}
    </Tooltip>
  ) : (
    line
  )
}

/** A record's name and the tags beside it on one line: a long name gives way, the tags stay in sight. */
export function Named({ name, shown = name, children }: { name: string; shown?: ReactNode; children?: ReactNode }) {
  return (
    <span className="kit-named">
      <Ellipsis text={name}>{shown}</Ellipsis>
      {children}
    </span>
  )
}
