import { ENDPOINT_STATE, ENDPOINT_STATE_CODE, type EndpointRow } from '@oms/contract/integration/webhook.ts'
import { State } from '#kit/record/state.tsx'

const TONES = { 1: 'success', 2: 'default', 3: 'error' } as const

/** State of an endpoint; an active endpoint that fails is a warning. */
export const EndpointState = ({ row }: { row: EndpointRow }) => {
  const state = row.state as keyof typeof TONES
  const isFailing = state === ENDPOINT_STATE_CODE.active && row.failures > 0
  return (
    <State color={isFailing ? 'warning' : TONES[state]} title={row.stateReason || undefined}>
      {isFailing ? `推送失败 ${row.failures} 次` : ENDPOINT_STATE[state]}
    </State>
  )
}
