import { DownOutlined } from '@ant-design/icons'
import type { ReactNode } from 'react'
import { dialogs } from '#kernel/overlays.ts'
import { useCan } from '#kernel/session.tsx'
import { MenuButton } from './pop-menu.tsx'
import './kit.css'

/** Something that can be done to a row. */
export interface RowAction {
  readonly label: string
  /** Absent from the row for those who may not call it. */
  readonly to?: { readonly access: string }
  readonly danger?: true
  readonly disabled?: boolean
  /** Asked before; a sentence that says what will happen. */
  readonly confirm?: ReactNode
  /** A promise keeps the question open and busy until it settles. */
  onClick(): unknown
}

/**
 * Links at the end of a row: the first ones in sight, the rest under 更多. Falsy entries are left out. Plain buttons:
 * with twenty rows of antd's, they were most of what a list has to draw.
 */
export function RowActions({
  items,
  shown = 3,
}: {
  items: readonly (RowAction | false | undefined)[]
  shown?: number
}) {
  const can = useCan()
  const allowed = items.filter(
    (item) => item !== false && item !== undefined && (!item.to || can(item.to.access)),
  ) as RowAction[]
  const direct = allowed.length > shown ? shown - 1 : shown
  const more = allowed.slice(direct)
  return (
    <span className="kit-row-actions">
      {allowed.slice(0, direct).map((item) => (
        <button
          key={item.label}
          type="button"
          className={item.danger ? 'kit-link kit-link-danger' : 'kit-link'}
          disabled={item.disabled === true}
          onClick={() => run(item)}
        >
          {item.label}
        </button>
      ))}
      {more.length > 0 && (
        <MenuButton
          label="更多"
          buttonClass="kit-link"
          items={more.map((item) => ({
            key: item.label,
            label: item.label,
            danger: item.danger === true,
            disabled: item.disabled === true,
            onClick: () => run(item),
          }))}
        >
          更多
          <DownOutlined aria-hidden />
        </MenuButton>
      )}
    </span>
  )
}

function run(item: RowAction) {
  if (!item.confirm) return void item.onClick()
  dialogs.confirm({
    title: item.label,
    content: item.confirm,
    okText: item.label,
    okButtonProps: { danger: item.danger === true },
    // A refusal was told by its call; the question just closes.
    onOk: async () => void (await Promise.resolve(item.onClick()).catch(() => {})),
  })
}
