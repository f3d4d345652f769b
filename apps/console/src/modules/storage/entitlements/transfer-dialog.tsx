import { storageEntitlements, TransferInput } from '@oms/contract/storage/entitlement.ts'
import { Form, Modal } from 'antd'
import { Field, NoteField } from '#kit/form/field.tsx'
import { useFormModal } from '#kit/form/use-form-modal.ts'
import { formatEntitlementNames, type RowsProps } from './entitlement-dialogs.tsx'
import { showOpeningReport } from './open-drawer.tsx'
import { TransferTarget } from './transfer-target.tsx'
import { TransferTargets } from './transfer-targets.tsx'

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
