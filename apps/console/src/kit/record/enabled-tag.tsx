import { ENABLED_LABELS } from '@oms/contract/core/status-labels.ts'
import { State } from './state.tsx'

/** Shows the status of a record that the account cannot switch here. */
export const EnabledTag = ({ on }: { on: boolean }) => (
  <State color={on ? 'success' : 'default'}>{on ? ENABLED_LABELS.on : ENABLED_LABELS.off}</State>
)
