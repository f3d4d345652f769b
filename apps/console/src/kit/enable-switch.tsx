import type { Endpoint } from '@oms/contract/kernel/endpoint.ts'
import { useWrite } from '#kernel/query.ts'
import { useCan } from '#kernel/session.tsx'
import { StatusSwitch } from './status-switch.tsx'

interface EnableSwitchProps {
  /** The two calls of a module; both take the record's `id`. */
  calls: { readonly enable: Endpoint; readonly disable: Endpoint }
  id: number
  on: boolean
  name: string
  warning: string
  disabled?: boolean
}

/** StatusSwitch on a module's own two calls; it does not turn for those who may not make them. */
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
