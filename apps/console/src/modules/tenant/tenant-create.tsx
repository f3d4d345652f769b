import { useRef, useState } from 'react'
import type { CreateFormProps } from '#core/routing/create-forms.ts'
import { type Administrator, AdministratorSecret } from './administrator-secret.tsx'
import { TenantAddForm } from './tenant-form.tsx'

/** Creates a tenant from a select of tenants, and shows the one-time password of its administrator. */
export function TenantCreate({ onClose, onCreated }: CreateFormProps) {
  const [secret, setSecret] = useState<Administrator>()
  const isCreated = useRef(false)
  if (secret) return <AdministratorSecret {...secret} onClose={onClose} />
  return (
    <TenantAddForm
      // A saved form closes itself. The dialog with the password must stay open.
      onClose={() => !isCreated.current && onClose()}
      onMade={(made, name) => {
        isCreated.current = true
        setSecret(made)
        onCreated({ id: made.id, name })
      }}
    />
  )
}
