import { Tooltip } from 'antd'
import { type ReactNode, useState } from 'react'
import '#kit/kit.css'

/** Truncates text to one line, in a table cell to two, and shows the full text in a tooltip. The tooltip is created only on hover. */
export function Ellipsis({ text, children = text }: { text: string; children?: ReactNode }) {
  const [cut, setCut] = useState(false)
  const line = (
    <span
      className="kit-ellipsis"
      onMouseEnter={({ currentTarget: { scrollWidth, clientWidth, scrollHeight, clientHeight } }) =>
        setCut(scrollWidth > clientWidth || scrollHeight > clientHeight)
      }
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

/** Renders a record's name and tags in one line: a long name is truncated, and the tags stay visible. */
export function NameWithTags({
  name,
  shown = name,
  children,
}: {
  name: string
  shown?: ReactNode
  children?: ReactNode
}) {
  return (
    <span className="kit-named">
      <Ellipsis text={name}>{shown}</Ellipsis>
      {children}
    </span>
  )
}
