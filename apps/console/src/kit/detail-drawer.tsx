import { DownOutlined, UpOutlined } from '@ant-design/icons'
import { Button, Drawer, Space } from 'antd'
import { type ReactNode, useState } from 'react'

/** What a list hands to the drawer of its records. */
export type Beside<Row> = Pick<DetailDrawerProps<Row>, 'rows' | 'row' | 'onRow'>

export interface DetailDrawerProps<Row> {
  title: (row: Row) => ReactNode
  /** The list the record was opened from: the way to the one before and the one after. */
  rows: readonly Row[]
  rowKey: keyof Row
  /** The record shown; undefined closes. */
  row: Row | undefined
  onRow(row: Row | undefined): void
  /** Buttons in the head: edit and its like. */
  extra?: (row: Row) => ReactNode
  children: (row: Row) => ReactNode
}

/** A record beside its list, with the way to its neighbours. */
export function DetailDrawer<Row>({ title, rows, rowKey, row, onRow, extra, children }: DetailDrawerProps<Row>) {
  // Leaving, the drawer still shows what it held.
  const [held, setHeld] = useState(row)
  if (row && row !== held) setHeld(row)
  const at = held ? rows.findIndex((each) => each[rowKey] === held[rowKey]) : -1
  const shown = held && (rows[at] ?? held)
  return (
    <Drawer
      open={row !== undefined}
      size="min(720px, 100vw)"
      title={shown && title(shown)}
      onClose={() => onRow(undefined)}
      extra={
        <Space size={4}>
          {shown && extra?.(shown)}
          <Step name="上一条" icon={<UpOutlined />} to={at > 0 ? rows[at - 1] : undefined} onRow={onRow} />
          <Step name="下一条" icon={<DownOutlined />} to={at >= 0 ? rows[at + 1] : undefined} onRow={onRow} />
        </Space>
      }
    >
      {shown && children(shown)}
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
