import { DATA_SCOPE, RoleInput, role } from '@oms/contract/role.ts'
import { Form, Modal } from 'antd'
import type * as z from 'zod'
import { call } from '#kernel/call.ts'
import { useRead } from '#kernel/query.ts'
import { useCan } from '#kernel/session.tsx'
import { Field, NoteField, NumberField, SelectField, TextField } from '#kit/field.tsx'
import { LoadingModal } from '#kit/loading-layer.tsx'
import { useFormModal } from '#kit/use-form-modal.ts'
import { TenantsSelect, TenantSelect, useManyTenants } from './tenant-select.tsx'
import type { Role } from './use-role-actions.ts'

interface FormProps {
  role?: Role
  onClose(): void
}

/** Adds a role, or changes one: it is read anew first, so that the form never starts from an old revision. */
export function RoleForm({ role: row, onClose }: FormProps) {
  if (!row) return <AddForm onClose={onClose} />
  return <EditForm id={row.id} onClose={onClose} />
}

function AddForm({ onClose }: { onClose(): void }) {
  const { modal, form } = useFormModal(role.create, { onClose, initial: { dataScope: 2, roleSort: 0 } })
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
  const asked = useRead(role.get, { id }, { staleTime: 0, keepPrevious: false, quiet: true })
  if (!asked.data) return <LoadingModal title="编辑角色" reads={[asked]} onClose={onClose} />
  return <LoadedForm key={asked.data.id} loaded={asked.data} onClose={onClose} />
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
        <Fields customer={loaded.tenantId !== PLATFORM} />
      </Form>
    </Modal>
  )
}

/** The vendor itself is tenant 1. */
const PLATFORM = 1
const CHOSEN = 3

function TenantField() {
  const many = useManyTenants()
  if (!many) return null
  return (
    <Form.Item name="tenantId" label="所属客户" extra="留空表示当前工作的客户">
      <TenantSelect />
    </Form.Item>
  )
}

function Fields({ customer }: { customer: boolean }) {
  const can = useCan()
  const chosen = Form.useWatch('dataScope') === CHOSEN
  const scopes = Object.entries(DATA_SCOPE).map(([value, label]) => ({ value: Number(value), label }))
  return (
    <>
      <TextField of={RoleInput} name="roleName" />
      <TextField of={RoleInput} name="roleCode" />
      <NumberField of={RoleInput} name="roleSort" min={0} max={9999} />
      {can('system:rolemanagement:dataScope') && (
        <SelectField
          of={RoleInput}
          name="dataScope"
          options={customer ? scopes.filter(({ value }) => value === 2 || value === 4) : scopes}
        />
      )}
      {chosen && (
        <Field of={RoleInput} name="scopeIds">
          <TenantsSelect />
        </Field>
      )}
      <TextField of={RoleInput} name="homeUrl" />
      <NoteField of={RoleInput} name="remark" rows={3} />
    </>
  )
}
