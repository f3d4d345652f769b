import type * as z from 'zod'
import { useMustChooseTenant } from '#core/auth/session.tsx'
import { Field } from '#kit/form/field.tsx'
import { TenantPicker, useHasManyTenants } from './tenant-picker.tsx'

interface OwnerFieldProps {
  readonly of: z.ZodObject
  /** Effect of the choice, added to the hint. */
  readonly effect?: string
}

/**
 * Form field `tenantId` of a new row. Without a choice, the row belongs to the tenant of the session. Staff that may not
 * create rows of the platform must choose a tenant.
 */
export function OwnerField({ of, effect }: OwnerFieldProps) {
  const isMany = useHasManyTenants()
  const mustChoose = useMustChooseTenant()
  if (!isMany && !mustChoose) return null
  const hint = [...(mustChoose ? [] : ['不选则归属当前客户']), ...(effect ? [effect] : [])].join('；')
  return (
    <Field of={of} name="tenantId" hint={hint} missing={mustChoose ? '请选择客户' : undefined}>
      <TenantPicker onlyEnabled create="tenant" />
    </Field>
  )
}
