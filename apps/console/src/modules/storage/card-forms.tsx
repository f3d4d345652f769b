import { CardBatchInput, type CardBatchRow, RedeemInput, storageCards, VoidInput } from '@oms/contract/storage/card.ts'
import { Alert, Form, Modal, Radio } from 'antd'
import { Field, MoneyField, NoteField, NumberField, TextField } from '#kit/form/field.tsx'
import { DateField } from '#kit/form/field-date.tsx'
import { useFormModal } from '#kit/form/use-form-modal.ts'
import { EFFECT_OPTIONS } from './entitlements/entitlement-dialogs.tsx'
import { PackagePicker } from './storage-pickers.tsx'

interface FormProps {
  readonly onClose: () => void
}

/** Creates a batch of cards. */
export function CardBatchForm({ onClose }: FormProps) {
  const { modal, form } = useFormModal(storageCards.create, { onClose, initial: { count: 100, unitAmount: 0 } })
  const of = CardBatchInput
  return (
    <Modal title="生成卡密" {...modal} okText="生成">
      <Alert
        className="kit-note"
        type="info"
        showIcon
        title="卡密文件只能由您在 24 小时内下载一次，系统不保存卡密原文"
      />
      <Form {...form}>
        <Field of={of} name="packageId">
          <PackagePicker onSale create="storagePackage" />
        </Field>
        <div className="kit-pair">
          <NumberField of={of} name="count" unit="张" />
          <MoneyField of={of} name="unitAmount" hint="售出一张的金额，兑换时计入收入" />
        </div>
        <DateField of={of} name="validTo" />
        <NoteField of={of} name="remark" rows={2} />
      </Form>
    </Modal>
  )
}

/** Redeems a card for a device. */
export function RedeemDialog({ onClose }: FormProps) {
  const { modal, form } = useFormModal(storageCards.redeem, { onClose, initial: { channel: 0, effectMode: 1 } })
  const of = RedeemInput
  return (
    <Modal title="兑换卡密" {...modal} okText="兑换">
      <Form {...form}>
        <TextField of={of} name="code" hint="16 位字母和数字，不区分大小写" />
        <div className="kit-pair">
          <TextField of={of} name="sn" />
          <NumberField of={of} name="channel" />
        </div>
        <Field of={of} name="effectMode">
          <Radio.Group vertical options={EFFECT_OPTIONS} />
        </Field>
      </Form>
    </Modal>
  )
}

/** Voids the unused cards of a batch. */
export function VoidDialog({ row, onClose }: FormProps & { row: CardBatchRow }) {
  const { modal, form } = useFormModal(storageCards.void, { onClose, initial: { batchId: row.id } as never })
  const okButtonProps = { ...modal.okButtonProps, danger: true }
  return (
    <Modal title={`作废批次 ${row.batchNo}`} {...modal} okText="确认作废" okButtonProps={okButtonProps}>
      <p className="kit-hint">
        {row.packageName} · 未使用 {row.count - row.used - row.voided} 张。作废后不能恢复，已兑换的不受影响。
      </p>
      <Form {...form}>
        <NoteField of={VoidInput} name="reason" rows={2} />
      </Form>
    </Modal>
  )
}
