import {
  TransferItem,
  type EntitlementRow,
  storageEntitlements,
  TransferInput,
} from '@oms/contract/storage/entitlement.ts'
import { storageOptions } from '@oms/contract/storage/options.ts'
import { Form, Select, Input, Modal } from 'antd'
import { useState, type ClipboardEvent } from 'react'
import { useRead } from '#core/api/query.ts'
import { renderNoOptions } from '#kit/form/no-options.tsx'
import { Field, SelectField, NoteField } from '#kit/form/field.tsx'
import { useKeyword } from '#kit/list/use-keyword.ts'
import { keepStaleOptions } from '#kit/pickers/keep-stale-options.ts'
import { buildChannelOptions } from './entitlement.tsx'
import { splitCodes } from '@oms/contract/core/normalize-line.ts'
import '../storage.css'
import { useFormModal } from '#kit/form/use-form-modal.ts'
import { formatEntitlementNames, type RowsProps, showOpeningReport } from './entitlement-dialogs.tsx'

/** Place of the only item in the form. */
const ITEM = ['items', 0] as const

/** Fields of the transfer of one entitlement: a device of the tenant, found by serial number, and a channel. */
function TransferTarget({ tenantId }: { readonly tenantId: number }) {
  const form = Form.useFormInstance()
  const [channels, setChannels] = useState<number>()
  const onDevice = (cloudChannels: number | undefined) => {
    setChannels(cloudChannels)
    const chosen = form.getFieldValue([...ITEM, 'targetChannel']) as number | undefined
    if (cloudChannels !== undefined && (chosen ?? 0) >= cloudChannels) form.setFieldValue([...ITEM, 'targetChannel'], 0)
  }
  return (
    <>
      <Field of={TransferItem} name="targetSn" within={ITEM} hint="输入序列号搜索，只列出同一客户的支持云存储的设备">
        <TargetPicker tenantId={tenantId} onDevice={onDevice} />
      </Field>
      <SelectField of={TransferItem} name="targetChannel" within={ITEM} options={buildChannelOptions(channels)} />
    </>
  )
}

interface PickerProps {
  readonly tenantId: number
  onDevice?(cloudChannels: number | undefined): void
  readonly label?: string
  /** `Field` passes `id`, `value` and `onChange`. */
  readonly id?: string
  readonly value?: string
  readonly onChange?: (sn: string | undefined) => void
}

/** Selects a device of the tenant whose model has cloud storage. */
function TargetPicker({ tenantId, onDevice, label, id, value, onChange }: PickerProps) {
  const [keyword, onSearch] = useKeyword()
  const read = useRead(storageOptions.targets, { tenantId, keyword }, { quiet: true })
  const devices = read.data?.list ?? []
  const choose = (sn: string | undefined) => {
    onDevice?.(devices.find(({ name }) => name === sn)?.cloudChannels)
    onChange?.(sn)
  }
  return (
    <Select
      {...(id && { id })}
      {...(label && { 'aria-label': label })}
      {...(value !== undefined && { value })}
      allowClear
      loading={read.isFetching}
      placeholder="输入序列号搜索"
      {...keepStaleOptions(read.isFetching)}
      showSearch={{ filterOption: false, onSearch }}
      notFoundContent={renderNoOptions(read)}
      options={devices.map(({ name, modelName }) => ({ value: name, label: `${name} · ${modelName}` }))}
      optionLabelProp="value"
      onChange={choose}
    />
  )
}

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
function TransferTargets({ rows, id, value = [], onChange }: TransferTargetsProps) {
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

/** Moves the remaining time of entitlements to other devices: one target for each device that loses entitlements. */
export function TransferDialog({ rows, onClose, onDone }: RowsProps) {
  const { modal, form } = useFormModal(storageEntitlements.transfer, {
    onClose,
    onSaved: (report) => {
      onDone?.()
      showOpeningReport(report)
    },
    initial: { items: rows.map(({ id, channel }) => ({ id, targetChannel: channel })) } as never,
  })
  const [first] = rows
  return (
    <Modal title={`转移 ${formatEntitlementNames(rows)}`} {...modal} okText="转移" width={rows.length > 1 ? 720 : 520}>
      <p className="kit-hint">
        剩余时间转到同一客户的另一台设备，排到目标通道的队尾；已录的视频不转移。
        {rows.length > 1 && '每份套餐转到相同编号的通道，同一设备的套餐保持先后顺序。'}
      </p>
      <Form {...form}>
        {rows.length === 1 ? (
          <TransferTarget tenantId={first!.tenantId} />
        ) : (
          <Field of={TransferInput} name="items" hint="可从表格复制多个序列号，粘贴到一行时依次填入其后各行">
            <TransferTargets rows={rows} />
          </Field>
        )}
        <NoteField of={TransferInput} name="reason" rows={3} />
      </Form>
    </Modal>
  )
}
