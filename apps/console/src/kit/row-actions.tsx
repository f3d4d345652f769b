import { DownOutlined } from '@ant-design/icons'
import { App, Button, Dropdown } from 'antd'
import { type ReactNode, useRef } from 'react'
import { useCan } from '#kernel/session.tsx'
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

/** Links at the end of a row: the first ones in sight, the rest under 更多. Falsy entries are left out. */
export function RowActions({
  items,
  shown = 3,
}: {
  items: readonly (RowAction | false | undefined)[]
  shown?: number
}) {
  const can = useCan()
  const run = useConfirmed()
  const opener = useRef<HTMLButtonElement>(null)
  const allowed = items.filter(
    (item) => item !== false && item !== undefined && (!item.to || can(item.to.access)),
  ) as RowAction[]
  const direct = allowed.length > shown ? shown - 1 : shown
  const more = allowed.slice(direct)
  return (
    <span className="kit-row-actions">
      {allowed.slice(0, direct).map((item) => (
        <Button
          key={item.label}
          type="link"
          size="small"
          danger={item.danger === true}
          disabled={item.disabled === true}
          onClick={() => run(item)}
        >
          {item.label}
        </Button>
      ))}
      {more.length > 0 && (
        <Dropdown
          trigger={['click']}
          menu={{
            items: more.map((item) => ({
              key: item.label,
              label: item.label,
              danger: item.danger === true,
              disabled: item.disabled === true,
              onClick: () => {
                // The menu goes away: what opens now gives the focus back to where the menu came from.
                opener.current?.focus()
                run(item)
              },
            })),
          }}
        >
          <Button ref={opener} type="link" size="small" icon={<DownOutlined />} iconPlacement="end">
            更多
          </Button>
        </Dropdown>
      )}
    </span>
  )
}

function useConfirmed() {
  const { modal } = App.useApp()
  return (item: RowAction) => {
    if (!item.confirm) return void item.onClick()
    modal.confirm({
      title: item.label,
      content: item.confirm,
      okText: item.label,
      okButtonProps: { danger: item.danger === true },
      // A refusal was told by its call; the question just closes.
      onOk: async () => void (await Promise.resolve(item.onClick()).catch(() => {})),
    })
  }
}
