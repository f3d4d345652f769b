import type { Endpoint } from '@oms/contract/core/endpoint.ts'
import { useWrite } from '#core/api/query.ts'
import { useMayCall } from '#core/auth/session.tsx'
import { NO_STATUS_PERMISSION, StatusSwitch } from './status-switch.tsx'

interface EnableSwitchProps {
  /** The enable and disable calls of a module; both take the record's `id`. */
  calls: { readonly enable: Endpoint; readonly disable: Endpoint }
  id: number
  on: boolean
  name: string
  warning: string
  /** Disables the switch and says why, in a tooltip that keyboard and touch reach. */
  reason?: string | undefined
}

/**
 * StatusSwitch for the enable and disable calls of a module. Its labels come from the contract entry of `enable`. The
 * switch is disabled when the account may not call `enable`.
 */
export function EnableSwitch({ calls, id, reason, ...shown }: EnableSwitchProps) {
  const enable = useWrite(calls.enable)
  const disable = useWrite(calls.disable)
  const mayCall = useMayCall()
  return (
    <StatusSwitch
      {...shown}
      labels={calls.enable.statusLabels}
      reason={mayCall(calls.enable) ? reason : NO_STATUS_PERMISSION}
      onChange={(on) => (on ? enable : disable).mutateAsync({ id } as never)}
    />
  )
}
