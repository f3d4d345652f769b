import type { ResultOf } from '@oms/contract/core/endpoint.ts'
import { AppKeyInput, type AppKeyRow, appKeys } from '@oms/contract/storage/app-key.ts'
import { Form, Modal, Select } from 'antd'
import { Field, TextField } from '#kit/form/field.tsx'
import { FreshRecord } from '#kit/form/fresh-record.tsx'
import { useFormModal } from '#kit/form/use-form-modal.ts'
import { call, readFresh } from '#core/api/client.ts'
import { TenantPicker, useHasManyTenants } from '#kit/pickers/tenant-picker.tsx'

interface FormProps {
  readonly onClose: () => void
}
type Secret = ResultOf<typeof appKeys.create>

/** Creates a key and shows its secret once, or edits a key. */
export function AppKeyForm({
  row,
  onSecret,
  onClose,
}: FormProps & { row: AppKeyRow | 'new'; onSecret: (secret: Secret) => void }) {
  if (row === 'new') return <KeyAddForm onSecret={onSecret} onClose={onClose} />
  return (
    <FreshRecord
      of={row.id}
      read={() => readFresh(appKeys.get, { id: row.id }, row)}
      title="编辑App密钥"
      onClose={onClose}
    >
      {(fresh) => <KeyEditForm row={fresh} onClose={onClose} />}
    </FreshRecord>
  )
}

const OriginsField = () => (
  <Field of={AppKeyInput} name="origins" hint="网页版 App 的地址，如 https://app.example.com；没有网页版不用填写">
    <Select mode="tags" tokenSeparators={[',', '，', ' ']} open={false} suffixIcon={null} placeholder="输入后按回车" />
  </Field>
)

function KeyAddForm({ onSecret, onClose }: FormProps & { onSecret: (secret: Secret) => void }) {
  const isMany = useHasManyTenants()
  const { modal, form } = useFormModal(appKeys.create, { onClose, onSaved: onSecret })
  return (
    <Modal title="新增App密钥" {...modal}>
      <Form {...form}>
        <TextField of={AppKeyInput} name="keyName" />
        {isMany && (
          <Field of={appKeys.create.input} name="tenantId" hint="不选表示当前所在客户">
            <TenantPicker onlyEnabled create="tenant" />
          </Field>
        )}
        <OriginsField />
      </Form>
    </Modal>
  )
}

const valuesOf = ({ id, rev, keyName, origins }: AppKeyRow) => ({ id, rev, keyName, origins })

function KeyEditForm({ row, onClose }: FormProps & { row: AppKeyRow }) {
  const { modal, form } = useFormModal(appKeys.update, {
    onClose,
    initial: valuesOf(row),
    latest: async () => valuesOf(await call(appKeys.get, { id: row.id })),
  })
  return (
    <Modal title={`编辑App密钥「${row.keyName}」`} {...modal}>
      <Form {...form}>
        <TextField of={AppKeyInput} name="keyName" />
        <OriginsField />
      </Form>
    </Modal>
  )
}
