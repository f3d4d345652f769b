import { type EntitlementRow, RenewInput, storageEntitlements } from '@oms/contract/storage/entitlement.ts'
import { Form, Modal } from 'antd'
import { MoneyField, NoteField, NumberField, SelectField } from '#kit/form/field.tsx'
import { useFormModal } from '#kit/form/use-form-modal.ts'
import { showOpeningReport } from './open-drawer.tsx'

/** Labels, calls and explanatory texts of the entitlement actions that need only a reason. */
export const ENTITLEMENT_STEP_DIALOGS = {
  suspend: {
    label: '暂停',
    to: storageEntitlements.suspend,
    states: [1],
    hint: '暂停期间不计时，排在后面的套餐一起等待；恢复后从剩余时间继续。',
  },
  resume: { label: '恢复', to: storageEntitlements.resume, states: [3], hint: '恢复后从剩余时间继续计时。' },
  cancel: {
    label: '取消',
    to: storageEntitlements.cancel,
    states: [0, 1, 3],
    hint: '取消后剩余时间作废，不能恢复；排在后面的套餐提前生效。',
  },
} as const
export type StepName = keyof typeof ENTITLEMENT_STEP_DIALOGS

export interface RowsProps {
  readonly rows: readonly EntitlementRow[]
  readonly onClose: () => void
  readonly onDone?: () => void
}
/** Names the entitlements in the title of a dialog. */
export const formatEntitlementNames = (rows: readonly EntitlementRow[]) =>
  rows.length === 1 ? `${rows[0]!.sn} 的「${rows[0]!.packageName}」` : `${rows.length} 份云存储`

export function StepDialog({ step, rows, onClose, onDone }: RowsProps & { step: StepName }) {
  const { label, to, hint } = ENTITLEMENT_STEP_DIALOGS[step]
  const { modal, form } = useFormModal(to, {
    onClose,
    onSaved: (report) => {
      onDone?.()
      showOpeningReport(report)
    },
    initial: { ids: rows.map(({ id }) => id) } as never,
  })
  const okButtonProps = { ...modal.okButtonProps, danger: step === 'cancel' }
  return (
    <Modal
      title={`${label} ${formatEntitlementNames(rows)}`}
      {...modal}
      okText={`确认${label}`}
      cancelText="返回"
      okButtonProps={okButtonProps}
    >
      <p className="kit-hint">{hint}</p>
      <Form {...form}>
        <NoteField of={to.input} name="reason" rows={3} />
      </Form>
    </Modal>
  )
}

export function RenewDialog({ rows, onClose, onDone }: RowsProps) {
  const { modal, form } = useFormModal(storageEntitlements.renew, {
    onClose,
    onSaved: (report) => {
      onDone?.()
      showOpeningReport(report)
    },
    initial: { ids: rows.map(({ id }) => id), copies: 1, source: 2, amount: 0 } as never,
  })
  const source = Form.useWatch('source', form.form as never) as number | undefined
  return (
    <Modal title={`续期 ${formatEntitlementNames(rows)}`} {...modal} okText="续期">
      <p className="kit-hint">按套餐当前版本续期，排到队尾，现有套餐用完后生效。</p>
      <Form {...form}>
        <div className="kit-pair">
          <NumberField of={RenewInput} name="copies" unit="份" />
          <SelectField of={RenewInput} name="source" />
        </div>
        {source === 1 && <MoneyField of={RenewInput} name="amount" hint="每份的实收金额" />}
        <NoteField of={RenewInput} name="reason" rows={3} />
      </Form>
    </Modal>
  )
}
