import type { Endpoint } from '@oms/contract/core/endpoint.ts'
import { useWrite } from '#core/api/query.ts'
import { useCan } from '#core/auth/session.tsx'
import { StatusSwitch } from './status-switch.tsx'

interface EnableSwitchProps {
  /** The enable and disable calls of a module; both take the record's `id`. */
  calls: { readonly enable: Endpoint; readonly disable: Endpoint }
  id: number
  on: boolean
  name: string
  warning: string
  disabled?: boolean
}

/** StatusSwitch for a module's enable and disable calls; disabled without their permissions. */
export function EnableSwitch({ calls, id, disabled = false, ...shown }: EnableSwitchProps) {
  const enable = useWrite(calls.enable)
  const disable = useWrite(calls.disable)
  const can = useCan()
  return (
    <StatusSwitch
      {...shown}
      disabled={disabled || !can(calls.enable.access)}
      onChange={(on) => (on ? enable : disable).mutateAsync({ id } as never)}
    />
  )
}
