import { splitCodes } from '@oms/contract/core/normalize-line.ts'
import type { EntitlementRow } from '@oms/contract/storage/entitlement.ts'
import { Input } from 'antd'
import type { ClipboardEvent } from 'react'
import { TargetPicker } from './transfer-target.tsx'
import '../storage.css'

/** Number of devices up to which each line has a search. More lines have a plain text field. */
const SEARCHED_LINES = 20

interface Item {
  readonly id: number
  readonly targetSn?: string
  readonly targetChannel?: number
}
interface TransferTargetsProps {
  readonly rows: readonly EntitlementRow[]
  /** Set by Field. */
  readonly id?: string
  readonly value?: readonly Item[]
  readonly onChange?: (items: readonly Item[]) => void
}

/** Lists the devices that lose entitlements, with the device that receives them. */
export function TransferTargets({ rows, id, value = [], onChange }: TransferTargetsProps) {
  const devices = [...Map.groupBy(rows, ({ deviceId }) => deviceId).values()]
  const targetById = new Map(value.map((item) => [item.id, item.targetSn]))
  /** Sets the targets of the devices from this line on. */
  const setFrom = (line: number, sns: readonly (string | undefined)[]) => {
    const next = new Map(targetById)
    for (const [at, sn] of sns.entries()) for (const row of devices[line + at] ?? []) next.set(row.id, sn)
    onChange?.(value.map((item) => withTarget(item, next.get(item.id))))
  }
  return (
    <div className="storage-transfers">
      <table className="kit-table" aria-label="目标设备">
        <thead>
          <tr>
            <th>原设备</th>
            <th>转移的套餐</th>
            <th>目标设备</th>
          </tr>
        </thead>
        <tbody>
          {devices.map((own, line) => (
            <DeviceLine
              key={own[0]!.deviceId}
              {...(line === 0 && id && { id })}
              rows={own}
              value={targetById.get(own[0]!.id) ?? ''}
              isSearched={devices.length <= SEARCHED_LINES}
              onTargets={(sns) => setFrom(line, sns)}
            />
          ))}
        </tbody>
      </table>
    </div>
  )
}

interface LineProps {
  readonly id?: string
  /** Entitlements of one device. */
  readonly rows: readonly EntitlementRow[]
  readonly value: string
  readonly isSearched: boolean
  /** Sets the targets of this line and the lines below. */
  onTargets(sns: readonly (string | undefined)[]): void
}

function DeviceLine({ rows, onTargets, ...target }: LineProps) {
  const { sn, tenantId } = rows[0]!
  const onPaste = (event: ClipboardEvent) => {
    // Equal serial numbers stay, because each belongs to a line.
    const sns = splitCodes(event.clipboardData.getData('text'))
    if (sns.length < 2) return
    event.preventDefault()
    onTargets(sns)
  }
  return (
    <tr>
      <td>{sn}</td>
      <td>
        <Packages rows={rows} />
      </td>
      <td className="storage-transfer-target" onPasteCapture={onPaste}>
        <Target {...target} label={`${sn} 的目标设备`} tenantId={tenantId} onChange={(next) => onTargets([next])} />
      </td>
    </tr>
  )
}

const withTarget = ({ id, targetChannel }: Item, targetSn: string | undefined): Item => ({
  id,
  ...(targetChannel !== undefined && { targetChannel }),
  ...(targetSn && { targetSn }),
})

const Packages = ({ rows }: { rows: readonly EntitlementRow[] }) =>
  rows.map(({ id, channel, packageName }) => (
    <div key={id}>
      {packageName} <span className="kit-muted kit-number">通道 {channel}</span>
    </div>
  ))

interface TargetProps {
  readonly id?: string
  readonly value: string
  readonly label: string
  readonly isSearched: boolean
  readonly tenantId: number
  onChange(sn: string | undefined): void
}

function Target({ value, label, isSearched, tenantId, onChange, ...rest }: TargetProps) {
  if (isSearched)
    return <TargetPicker {...rest} {...(value && { value })} label={label} tenantId={tenantId} onChange={onChange} />
  return (
    <Input
      {...rest}
      aria-label={label}
      placeholder="请输入序列号"
      value={value}
      onChange={({ target }) => onChange(target.value.trim() || undefined)}
    />
  )
}
