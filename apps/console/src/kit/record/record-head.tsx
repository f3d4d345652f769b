import { EllipsisOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import type { ReactNode } from 'react'
import { useFileUrl } from '#core/api/file-url.ts'
import { DisabledFor } from '#kit/feedback/disabled-for.tsx'
import { MenuButton } from '#kit/feedback/dropdown-menu.tsx'
import { type RowAction, runAction, toMenuItem, useAllowedActions } from '#kit/list/row-actions.tsx'
import './record-head.css'

/** A title and its value. An empty value is not shown. */
export type Fact = readonly [title: string, value: ReactNode]

interface RecordHeadProps {
  readonly name: string
  /** Shown when the record has no picture. */
  readonly icon: ReactNode
  /** URL of a stored picture. */
  readonly picture?: string
  readonly state?: ReactNode
  /** The two or three facts that matter most. */
  readonly facts: readonly Fact[]
  readonly actions?: ReactNode
}

/** Identity of a record at the top of its page: picture, name, state, main facts and actions. */
export function RecordHead({ name, icon, picture = '', state, facts, actions }: RecordHeadProps) {
  const url = useFileUrl(picture)
  return (
    <header className="kit-card kit-head">
      <span className="kit-head-picture" aria-hidden>
        {url ? <img src={url} alt="" /> : icon}
      </span>
      <div className="kit-head-main">
        <div className="kit-row">
          <h1>{name}</h1>
          {state}
        </div>
        <HeadFacts facts={facts} />
      </div>
      {actions && <div className="kit-page-extra">{actions}</div>}
    </header>
  )
}

/** Main facts of a record in one line, below its name or at the top of its drawer. */
export function HeadFacts({ state, facts }: { state?: ReactNode; facts: readonly Fact[] }) {
  return (
    <dl className="kit-head-facts">
      {state && (
        <div>
          <dt>状态</dt>
          <dd>{state}</dd>
        </div>
      )}
      {facts.map(
        ([title, value]) =>
          value !== '' &&
          value != null &&
          value !== false && (
            <div key={title}>
              <dt>{title}</dt>
              <dd>{value}</dd>
            </div>
          ),
      )}
    </dl>
  )
}

interface HeadActionsProps {
  /** The first action is the primary button; those after the second are in the menu. */
  readonly items: readonly (RowAction | false | undefined)[]
  readonly shown?: number
  /** False when the page has another primary button. */
  readonly hasPrimary?: boolean
}

/** Actions of a record page: a primary button, a second button, and a menu with the others. */
export function HeadActions({ items, shown = 2, hasPrimary = true }: HeadActionsProps) {
  const allowed = useAllowedActions(items)
  const more = allowed.slice(shown)
  return (
    <>
      {allowed.slice(0, shown).map((item, at) => (
        <ActionButton key={item.label} item={item} isPrimary={hasPrimary && at === 0} />
      ))}
      {more.length > 0 && (
        <MenuButton label="更多" buttonClass="kit-head-more" items={more.map(toMenuItem)} align="end">
          <EllipsisOutlined aria-hidden />
        </MenuButton>
      )}
    </>
  )
}

function ActionButton({ item, isPrimary }: { item: RowAction; isPrimary: boolean }) {
  if (item.reason !== undefined)
    return <DisabledFor reason={item.reason}>{(why) => <Button {...why}>{item.label}</Button>}</DisabledFor>
  return (
    <Button
      type={isPrimary && !item.danger ? 'primary' : 'default'}
      danger={item.danger === true}
      onClick={() => runAction(item)}
    >
      {item.label}
    </Button>
  )
}
