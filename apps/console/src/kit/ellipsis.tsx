import { Tooltip } from 'antd'
import { useState } from 'react'
import './kit.css'

/** One line of text; cut where the room ends, and then whole in a tooltip. A table full of them costs no tooltip until hovered. */
export function Ellipsis({ text }: { text: string }) {
  const [cut, setCut] = useState(false)
  const line = (
    <span
      className="kit-ellipsis"
      onMouseEnter={({ currentTarget }) => setCut(currentTarget.scrollWidth > currentTarget.clientWidth)}
    >
      {text}
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
