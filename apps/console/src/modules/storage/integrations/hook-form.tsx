import { HookChange, HookInput, type HookRow, storageHooks } from '@oms/contract/storage/hook.ts'
import { Form, Modal } from 'antd'
import type * as z from 'zod'
import { call, readFresh } from '#core/api/client.ts'
import { NoteField, SelectField, SwitchField, TextField } from '#kit/form/field.tsx'
import { FreshRecord } from '#kit/form/fresh-record.tsx'
import { useFormModal } from '#kit/form/use-form-modal.ts'
import { OwnerField } from '#kit/pickers/owner-field.tsx'

interface FormProps {
  readonly onClose: () => void
}
interface SecretProps extends FormProps {
  onSecret(secret: { name: string; secret: string }): void
}

/** Creates or edits the webhook of a shop. */
export function HookForm({ row, onClose, onSecret }: SecretProps & { row: HookRow | 'new' }) {
  if (row === 'new') return <NewHook onClose={onClose} onSecret={onSecret} />
  const read = () => readFresh(storageHooks.get, { id: row.id }, row)
  return (
    <FreshRecord of={row.id} read={read} title="编辑商城" onClose={onClose}>
      {(fresh) => <EditHook row={fresh} onClose={onClose} />}
    </FreshRecord>
  )
}

type Fields = z.ZodObject<Pick<typeof HookInput.shape, 'hookName' | 'priceFree' | 'status' | 'remark'>>

const HookFields = ({ of }: { of: Fields }) => (
  <>
    <TextField of={of} name="hookName" />
    <SelectField of={of} name="priceFree" />
    <SwitchField of={of} name="status" />
    <NoteField of={of} name="remark" rows={2} />
  </>
)

function NewHook({ onClose, onSecret }: SecretProps) {
  const { modal, form } = useFormModal(storageHooks.create, {
    onClose,
    initial: { priceFree: 0, status: 1 },
    onSaved: ({ secret }, { hookName }) => onSecret({ name: hookName, secret }),
  })
  return (
    <Modal title="新增商城" {...modal}>
      <Form {...form}>
        <OwnerField of={HookInput} effect="只能为该客户的设备开通" />
        <HookFields of={HookInput as unknown as Fields} />
      </Form>
    </Modal>
  )
}

const valuesOf = ({ id, rev, hookName, priceFree, status, remark }: HookRow) =>
  ({ id, rev, hookName, priceFree, status, remark }) as never

function EditHook({ row, onClose }: FormProps & { row: HookRow }) {
  const { modal, form } = useFormModal(storageHooks.update, {
    onClose,
    initial: valuesOf(row),
    latest: async () => valuesOf(await call(storageHooks.get, { id: row.id })),
  })
  return (
    <Modal title={`编辑商城「${row.hookName}」`} {...modal}>
      <Form {...form}>
        <HookFields of={HookChange as unknown as Fields} />
      </Form>
    </Modal>
  )
}
