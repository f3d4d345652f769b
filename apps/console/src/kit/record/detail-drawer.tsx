import { DownOutlined, UpOutlined } from '@ant-design/icons'
import { Button, Drawer, Space } from 'antd'
import { type ReactNode, useState } from 'react'
import { TabProvider, useUnsavedTracker } from '#core/routing/tab.tsx'
import { confirmDiscard } from '#kit/form/save/confirm-discard.ts'
import { type Fact, HeadFacts } from './record-head.tsx'

/** Props that a list passes to its record drawer. */
export type RecordNavigation<Row> = Pick<DetailDrawerProps<Row>, 'rows' | 'row' | 'onRow'>

export interface DetailDrawerProps<Row> {
  title: (row: Row) => ReactNode
  /** Rows of the list, for the previous and next buttons. */
  rows: readonly Row[]
  rowKey: keyof Row
  /** The record to show; undefined closes the drawer. */
  row: Row | undefined
  onRow(row: Row | undefined): void
  /** State and main facts of the record, above its content. */
  head?: (row: Row) => { readonly state?: ReactNode; readonly facts: readonly Fact[] }
  /** Buttons in the header, such as edit. */
  extra?: (row: Row) => ReactNode
  children: (row: Row) => ReactNode
}

/**
 * Drawer with a record of a list and buttons for the previous and next record. Asks before unsaved input in the drawer
 * is discarded. A closed drawer keeps no input and reads its record again when it opens.
 */
export function DetailDrawer<Row>({ title, rows, rowKey, row, onRow, head, extra, children }: DetailDrawerProps<Row>) {
  // The drawer keeps its content during the closing animation.
  const [held, setHeld] = useState(row)
  const { tab, hasUnsaved } = useUnsavedTracker()
  const show = (next: Row | undefined) => (hasUnsaved() ? confirmDiscard(() => onRow(next)) : onRow(next))
  if (row && row !== held) setHeld(row)
  const at = held ? rows.findIndex((each) => each[rowKey] === held[rowKey]) : -1
  const shown = held && (rows[at] ?? held)
  return (
    <Drawer
      open={row !== undefined}
      size="min(720px, 100vw)"
      title={shown && title(shown)}
      // `destroyOnHidden` would lose the focus of a drawer that is closed during its opening animation.
      afterOpenChange={(isOpen) => !isOpen && setHeld(undefined)}
      onClose={() => show(undefined)}
      extra={
        <Space size={4}>
          {shown && extra?.(shown)}
          <Step name="上一条" icon={<UpOutlined />} to={at > 0 ? rows[at - 1] : undefined} onRow={show} />
          <Step name="下一条" icon={<DownOutlined />} to={at >= 0 ? rows[at + 1] : undefined} onRow={show} />
        </Space>
      }
    >
      {shown && head && <HeadFacts {...head(shown)} />}
      <TabProvider value={tab}>{shown && children(shown)}</TabProvider>
    </Drawer>
  )
}

function Step<Row>(props: { name: string; icon: ReactNode; to: Row | undefined; onRow(row: Row): void }) {
  const { name, icon, to, onRow } = props
  return (
    <Button
      type="text"
      aria-label={name}
      title={name}
      icon={icon}
      disabled={to === undefined}
      onClick={() => to !== undefined && onRow(to)}
    />
  )
}
