import { Radio } from 'antd'
import { useState } from 'react'
import { isEmptyValue, type FieldDifference } from './merge-conflict.ts'
import './conflict.css'

export interface ConflictRow extends FieldDifference {
  readonly label: string
  readonly mineText: string
  readonly latestText: string
}

interface ConflictTableProps {
  readonly rows: readonly ConflictRow[]
  /** Receives the rows whose typed value the user keeps. */
  onKeep(kept: readonly ConflictRow[]): void
}

/**
 * Shows the fields that differ between the form and the latest record. The user chooses a value for each field; a value
 * that the user typed is chosen at first.
 */
export function ConflictTable({ rows, onKeep }: ConflictTableProps) {
  const [kept, setKept] = useState(() => listTypedRows(rows))
  const choose = (row: ConflictRow, isKept: boolean) => {
    const next = rows.filter((each) => (each === row ? isKept : kept.includes(each)))
    setKept(next)
    onKeep(next)
  }
  return (
    <div className="kit-conflict-table">
      <table className="kit-conflict-fields">
        <thead>
          <tr>
            <th scope="col">字段</th>
            <th scope="col">您的内容</th>
            <th scope="col">最新内容</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <Row key={row.path.join('.')} row={row} isKept={kept.includes(row)} onChoose={choose} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** Returns the rows whose value the user changed. */
export const listTypedRows = (rows: readonly ConflictRow[]) => rows.filter(({ isMine }) => isMine)

interface RowProps {
  readonly row: ConflictRow
  readonly isKept: boolean
  onChoose(row: ConflictRow, isKept: boolean): void
}

function Row({ row, isKept, onChoose }: RowProps) {
  const { label, isMine, isTheirs } = row
  const name = `conflict-${row.path.join('.')}`
  return (
    <tr>
      <th scope="row">
        {label}
        {isMine && isTheirs && <span className="kit-conflict-both">双方都已修改</span>}
      </th>
      <td>
        <Radio name={name} checked={isKept} onChange={() => onChoose(row, true)} aria-label={`${label}：您的内容`}>
          <Value text={row.mineText} value={row.mine} />
        </Radio>
      </td>
      <td>
        <Radio name={name} checked={!isKept} onChange={() => onChoose(row, false)} aria-label={`${label}：最新内容`}>
          <Value text={row.latestText} value={row.latest} />
        </Radio>
      </td>
    </tr>
  )
}

const Value = ({ text, value }: { text: string; value: unknown }) =>
  isEmptyValue(value) ? (
    <span className="kit-none">（空）</span>
  ) : (
    <span className={Array.isArray(value) ? 'kit-conflict-list' : 'kit-conflict-value'}>{text}</span>
  )
