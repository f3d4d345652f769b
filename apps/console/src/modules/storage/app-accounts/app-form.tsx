import { AppAccountInput, appAccount } from '@oms/contract/storage/app-account.ts'
import { Form, Modal } from 'antd'
import { useSession } from '#core/auth/session.tsx'
import { Field, NoteField, SelectField, TextField } from '#kit/form/field.tsx'
import { useFormModal } from '#kit/form/use-form-modal.ts'
import { TenantPicker } from '#kit/pickers/tenant-picker.tsx'

/** Form that adds an App account. The back end of the App uses the same call. */
export function AppAddForm({ onClose }: { onClose(): void }) {
  const { modal, form } = useFormModal(appAccount.create, { onClose, initial: { registerSource: 1 } })
  const isPlatform = useSession()?.ownerId === '1'
  return (
    <Modal title="新增App账号" {...modal}>
      <Form {...form}>
        {isPlatform && (
          <Field of={appAccount.create.input} name="tenantId" hint="不选则属于平台">
            <TenantPicker create="tenant" />
          </Field>
        )}
        <TextField of={AppAccountInput} name="account" />
        <TextField of={AppAccountInput} name="nickname" />
        <TextField of={AppAccountInput} name="mobileNo" />
        <TextField of={AppAccountInput} name="email" />
        <TextField of={AppAccountInput} name="region" />
        <SelectField of={AppAccountInput} name="registerSource" />
        <NoteField of={AppAccountInput} name="remark" rows={2} />
      </Form>
    </Modal>
  )
}
