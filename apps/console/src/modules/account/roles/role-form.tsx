import { DATA_SCOPE, RoleInput, role } from '@oms/contract/account/role.ts'
import { Form, Modal } from 'antd'
import type * as z from 'zod'
import { call } from '#core/api/client.ts'
import { useCan } from '#core/auth/session.tsx'
import type { CreateFormProps, NamedRecord } from '#core/routing/create-forms.ts'
import { Field, NoteField, NumberField, SelectField, TextField } from '#kit/form/field.tsx'
import { FreshRecord } from '#kit/form/fresh-record.tsx'
import { useFormModal } from '#kit/form/use-form-modal.ts'
import { TenantPicker, TenantsPicker, useHasManyTenants } from '#kit/pickers/tenant-picker.tsx'
import type { Role } from './role-list.page.tsx'

interface FormProps extends Partial<CreateFormProps> {
  role?: Role
  onClose(): void
}

/** Form that creates or edits a role. A select of roles passes `onCreated` to receive the new role. */
export function RoleForm({ role: row, onClose, onCreated }: FormProps) {
  if (!row) return <AddForm onClose={onClose} {...(onCreated && { onCreated })} />
  return <EditForm id={row.id} onClose={onClose} />
}

function AddForm({ onClose, onCreated }: Pick<FormProps, 'onClose' | 'onCreated'>) {
  const { modal, form } = useFormModal(role.create, {
    onClose,
    onSaved: ({ id }, { roleName }) => onCreated?.({ id, name: roleName }),
    initial: { dataScope: 2, roleSort: 0 },
  })
  return (
    <Modal title="新增角色" {...modal}>
      <Form {...form}>
        <TenantField />
        <Fields customer={false} />
      </Form>
    </Modal>
  )
}

function EditForm({ id, onClose }: { id: number; onClose(): void }) {
  return (
    <FreshRecord of={id} read={() => call(role.get, { id }, { quiet: true })} title="编辑角色" onClose={onClose}>
      {(loaded) => <LoadedForm loaded={loaded} onClose={onClose} />}
    </FreshRecord>
  )
}

type Loaded = z.output<(typeof role.get)['result']>

function LoadedForm({ loaded, onClose }: { loaded: Loaded; onClose(): void }) {
  const { modal, form } = useFormModal(role.update, {
    onClose,
    initial: loaded,
    latest: () => call(role.get, { id: loaded.id }),
  })
  return (
    <Modal title={`编辑角色「${loaded.roleName}」`} {...modal}>
      <Form {...form}>
        <Fields customer={loaded.tenantId !== PLATFORM} scopeTenants={loaded.scopeTenants} />
      </Form>
    </Modal>
  )
}

/** Id of the vendor's own tenant. */
const PLATFORM = 1
const CHOSEN = 3

function TenantField() {
  const many = useHasManyTenants()
  if (!many) return null
  return (
    <Form.Item name="tenantId" label="所属客户" extra="留空表示当前工作的客户">
      <TenantPicker onlyEnabled create="tenant" />
    </Form.Item>
  )
}

interface FieldsProps {
  readonly customer: boolean
  /** Tenants of the stored data scope, by id and name. */
  readonly scopeTenants?: readonly NamedRecord[]
}

function Fields({ customer, scopeTenants = [] }: FieldsProps) {
  const can = useCan()
  const chosen = Form.useWatch('dataScope') === CHOSEN
  const scopes = Object.entries(DATA_SCOPE).map(([value, label]) => ({ value: Number(value), label }))
  return (
    <>
      <TextField of={RoleInput} name="roleName" />
      <TextField of={RoleInput} name="roleCode" />
      <NumberField of={RoleInput} name="roleSort" />
      {can('system:rolemanagement:dataScope') && (
        <SelectField
          of={RoleInput}
          name="dataScope"
          options={customer ? scopes.filter(({ value }) => value === 2 || value === 4) : scopes}
        />
      )}
      {chosen && (
        <Field of={RoleInput} name="scopeIds" missing="请选择指定客户">
          <TenantsPicker create="tenant" chosen={scopeTenants} />
        </Field>
      )}
      <TextField of={RoleInput} name="homeUrl" />
      <NoteField of={RoleInput} name="remark" rows={3} />
    </>
  )
}
