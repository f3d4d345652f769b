import { ArrowDownOutlined, ArrowUpOutlined, HolderOutlined, PushpinFilled, PushpinOutlined } from '@ant-design/icons'
import { Button, Checkbox } from 'antd'
import { useState } from 'react'
import './column-panel.css'
import {
  arrangeColumns,
  isColumnHidden,
  moveColumn,
  pinColumn,
  findColumnPin,
  type ConfigurableColumn,
  type TableSettings,
  toggleColumn,
} from './table-settings.ts'

interface PanelProps {
  columns: readonly ConfigurableColumn[]
  settings: TableSettings
  onChange(next: TableSettings): void
}

/** Shows, orders and pins columns by drag and drop or by buttons. */
export default function ColumnPanel({ columns, settings, onChange }: PanelProps) {
  const { density, ...arrangement } = settings
  return (
    <div className="kit-columns">
      <div className="kit-columns-head">
        <span>列设置</span>
        <Button
          type="link"
          size="small"
          disabled={Object.keys(arrangement).length === 0}
          onClick={() => onChange(density ? { density } : {})}
        >
          恢复默认
        </Button>
      </div>
      <ColumnLines columns={columns} settings={settings} onChange={onChange} />
    </div>
  )
}

function ColumnLines({ columns, settings, onChange }: PanelProps) {
  const [dragged, setDragged] = useState<string>()
  const own = arrangeColumns(columns, settings).filter(({ fixed }) => !fixed)
  const move = (from: string, to: ConfigurableColumn | undefined) =>
    to && onChange(moveColumn(columns, settings, from, to.key))
  return (
    <ul>
      {own.map((column, index) => (
        <li
          key={column.key}
          draggable
          className={dragged === column.key ? 'kit-dragged' : undefined}
          onDragStart={() => setDragged(column.key)}
          onDragEnd={() => setDragged(undefined)}
          onDragOver={(event) => event.preventDefault()}
          onDragEnter={() => dragged && dragged !== column.key && move(dragged, column)}
        >
          <HolderOutlined className="kit-handle" aria-hidden />
          <Checkbox
            checked={!isColumnHidden(column, settings)}
            onChange={() => onChange(toggleColumn(columns, settings, column.key))}
          >
            {column.title}
          </Checkbox>
          <Order
            name={column.title}
            onUp={index > 0 && (() => move(column.key, own[index - 1]))}
            onDown={index < own.length - 1 && (() => move(column.key, own[index + 1]))}
          />
          <Pins column={column} settings={settings} onChange={onChange} />
        </li>
      ))}
    </ul>
  )
}

function Order({ name, onUp, onDown }: { name: string; onUp: false | (() => void); onDown: false | (() => void) }) {
  return (
    <>
      <Button
        type="text"
        size="small"
        aria-label={`上移${name}`}
        icon={<ArrowUpOutlined />}
        disabled={!onUp}
        onClick={onUp || undefined}
      />
      <Button
        type="text"
        size="small"
        aria-label={`下移${name}`}
        icon={<ArrowDownOutlined />}
        disabled={!onDown}
        onClick={onDown || undefined}
      />
    </>
  )
}

function Pins(props: { column: ConfigurableColumn; settings: TableSettings; onChange(next: TableSettings): void }) {
  const { column, settings, onChange } = props
  const now = findColumnPin(column, settings)
  return (['left', 'right'] as const).map((side) => (
    <Button
      key={side}
      type="text"
      size="small"
      aria-pressed={now === side}
      aria-label={`${column.title}固定在${side === 'left' ? '左' : '右'}侧`}
      title={side === 'left' ? '固定在左侧' : '固定在右侧'}
      icon={
        now === side ? (
          <PushpinFilled rotate={side === 'left' ? -45 : 0} />
        ) : (
          <PushpinOutlined rotate={side === 'left' ? -45 : 0} />
        )
      }
      onClick={() => onChange(pinColumn(settings, column.key, now === side ? null : side))}
    />
  ))
}
