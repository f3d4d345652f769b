import {
  AllowanceChange,
  AllowanceInput,
  type AllowanceRow,
  storageAllowances,
} from '@oms/contract/storage/allowance.ts'
import { Form, Modal } from 'antd'
import { call, readFresh } from '#core/api/client.ts'
import { Field, NoteField, NumberField } from '#kit/form/field.tsx'
import { FreshRecord } from '#kit/form/fresh-record.tsx'
import { useFormModal } from '#kit/form/use-form-modal.ts'
import { TenantPicker } from '#kit/pickers/tenant-picker.tsx'
import { PackagePicker } from '../storage-pickers.tsx'

interface FormProps {
  readonly onClose: () => void
}

/** Grants an allowance, or changes the quota of an existing allowance. */
export function AllowanceForm({ row, onClose }: FormProps & { row: AllowanceRow | 'new' }) {
  if (row === 'new') return <GrantForm onClose={onClose} />
  const read = () => readFresh(storageAllowances.get, { id: row.id }, row)
  return (
    <FreshRecord of={row.id} read={read} title="编辑开通额度" onClose={onClose}>
      {(fresh) => <ChangeForm row={fresh} onClose={onClose} />}
    </FreshRecord>
  )
}

function GrantForm({ onClose }: FormProps) {
  const { modal, form } = useFormModal(storageAllowances.create, { onClose })
  const of = AllowanceInput
  return (
    <Modal title="发放开通额度" {...modal} okText="发放">
      <Form {...form}>
        <Field of={of} name="tenantId">
          <TenantPicker onlyEnabled create="tenant" />
        </Field>
        <Field of={of} name="packageId">
          <PackagePicker onSale create="storagePackage" />
        </Field>
        <NumberField of={of} name="quota" unit="份" />
        <NoteField of={of} name="remark" rows={2} />
      </Form>
    </Modal>
  )
}

const valuesOf = ({ id, rev, quota, remark }: AllowanceRow) => ({ id, rev, quota, remark })

function ChangeForm({ row, onClose }: FormProps & { row: AllowanceRow }) {
  const { modal, form } = useFormModal(storageAllowances.update, {
    onClose,
    initial: valuesOf(row),
    latest: async () => valuesOf(await call(storageAllowances.get, { id: row.id })),
  })
  return (
    <Modal title={`编辑开通额度「${row.tenantName}」`} {...modal}>
      <p className="kit-hint">
        {row.packageName} · 已使用 {row.used.toLocaleString()} 份
      </p>
      <Form {...form}>
        <NumberField of={AllowanceChange} name="quota" unit="份" />
        <NoteField of={AllowanceChange} name="remark" rows={2} />
      </Form>
    </Modal>
  )
}
