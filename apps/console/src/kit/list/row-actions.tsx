import { EllipsisOutlined } from '@ant-design/icons'
import type { ReactNode } from 'react'
import { dialogs } from '#core/loading/overlays.ts'
import { type CallAccess, useMayCall } from '#core/auth/session.tsx'
import { MenuButton } from '#kit/feedback/dropdown-menu.tsx'
import { DisabledFor } from '#kit/feedback/disabled-for.tsx'
import '#kit/kit.css'

/** An action on a row. */
export interface RowAction {
  readonly label: string
  /** The action is hidden when the account may not call this endpoint. */
  readonly to?: CallAccess
  readonly danger?: true
  /** Disables the action and says why: in a tooltip that keyboard and touch reach, or below the entry of the menu. */
  readonly reason?: string | undefined
  /** Confirmation text that states the effect. */
  readonly confirm?: ReactNode
  /** Texts of the confirmation's buttons, when the label would equal the text of the cancel button. */
  readonly confirmButtons?: { readonly okText: string; readonly cancelText: string }
  /** A returned promise keeps the confirmation open and loading until it settles. */
  onClick(): unknown
}

interface RowActionsProps {
  readonly items: readonly (RowAction | false | undefined)[]
  /** Number of actions beside the menu. */
  readonly shown?: number
}

/**
 * Renders the actions at the end of a row: the first ones as links, which are shown while the row has the pointer or
 * the focus, and the others in the menu 更多. Falsy entries are skipped. Uses plain buttons, because antd's buttons took most of the render time of a list with twenty rows.
 */
export function RowActions({ items, shown = 2 }: RowActionsProps) {
  const allowed = useAllowedActions(items)
  const more = allowed.slice(shown)
  return (
    <span className="kit-row-actions">
      {allowed.slice(0, shown).map((item) =>
        item.reason === undefined ? (
          <button
            key={item.label}
            type="button"
            className={item.danger ? 'kit-link kit-link-danger' : 'kit-link'}
            onClick={() => runAction(item)}
          >
            {item.label}
          </button>
        ) : (
          <DisabledFor key={item.label} reason={item.reason}>
            {(why) => (
              <button type="button" className="kit-link" {...why}>
                {item.label}
              </button>
            )}
          </DisabledFor>
        ),
      )}
      {more.length > 0 && (
        <MenuButton label="更多" buttonClass="kit-link kit-row-more" items={more.map(toMenuItem)}>
          <EllipsisOutlined aria-hidden />
        </MenuButton>
      )}
    </span>
  )
}

/** Returns the actions that the account may use. */
export function useAllowedActions(items: RowActionsProps['items']) {
  const mayCall = useMayCall()
  return items.filter(
    (item): item is RowAction => item !== false && item !== undefined && (!item.to || mayCall(item.to)),
  )
}

export const toMenuItem = (item: RowAction) => ({
  key: item.label,
  label: item.label,
  reason: item.reason,
  danger: item.danger === true,
  disabled: item.reason !== undefined,
  onClick: () => runAction(item),
})

/** Runs an action, after its confirmation if it has one. */
export function runAction(item: RowAction) {
  if (!item.confirm) return void item.onClick()
  dialogs.confirm({
    title: item.label,
    content: item.confirm,
    okText: item.label,
    ...item.confirmButtons,
    okButtonProps: { danger: item.danger === true },
    // The call has shown its error; the confirmation only closes.
    onOk: async () => void (await Promise.resolve(item.onClick()).catch(() => {})),
  })
}
