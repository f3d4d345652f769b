import { licenseCerts } from '@oms/contract/license/license.ts'
import type { LicenseRow } from '@oms/contract/license/license-rows.ts'
import type { BatchReport } from '@oms/contract/core/transfer.ts'
import { Form, Modal } from 'antd'
import type * as z from 'zod'
import { NoteField, TextField } from '#kit/form/field.tsx'
import { useFormModal } from '#kit/form/use-form-modal.ts'
import { LICENSE_STEP_DIALOGS, type StepName } from './license-steps.ts'
import { dialogs } from '#core/loading/overlays.ts'

type Report = z.output<typeof BatchReport>

/** Lists the skipped certificates of a batch with reasons. */
function reportTo(onDone?: () => void) {
  return ({ done, failed }: Report) => {
    onDone?.()
    if (failed.length === 0) return
    dialogs.warning({
      title: `成功 ${done} 个，失败 ${failed.length} 个`,
      okText: '知道了',
      content: (
        <ul className="kit-items kit-report">
          {failed.map(({ id, name, msg }) => (
            <li key={id}>
              <b>{name}</b> {msg}
            </li>
          ))}
        </ul>
      ),
    })
  }
}

/** Runs a state transition on certificates with a reason. */
export function StepDialog(props: {
  step: StepName
  rows: readonly LicenseRow[]
  onClose(): void
  onDone?: () => void
}) {
  const { step, rows, onClose, onDone } = props
  const { label, to, hint } = LICENSE_STEP_DIALOGS[step]
  const report = reportTo(onDone)
  const { modal, form } = useFormModal(to, {
    onClose,
    onSaved: report,
    initial: { ids: rows.map(({ id }) => id), reason: '' },
  })
  const which = rows.length === 1 ? rows[0]!.uid : `${rows.length} 个证书`
  return (
    <Modal
      title={`${label} ${which}`}
      {...modal}
      okText={label}
      okButtonProps={{ ...modal.okButtonProps, danger: step === 'scrap' }}
    >
      <p className="kit-hint">{hint}</p>
      <Form {...form}>
        <NoteField of={to.input} name="reason" rows={3} />
      </Form>
    </Modal>
  )
}

export function BindDialog({ row, onClose }: { row: LicenseRow; onClose(): void }) {
  const { modal, form } = useFormModal(licenseCerts.bind, {
    onClose,
    initial: { id: row.id },
    alsoChanges: ['device'],
  })
  return (
    <Modal title={`绑定设备 ${row.uid}`} {...modal} okText="绑定">
      <p className="kit-hint">只能绑定到客户「{row.tenantName}」的设备；一台设备只能持有一个证书。</p>
      <Form {...form}>
        <TextField of={licenseCerts.bind.input} name="sn" />
      </Form>
    </Modal>
  )
}
