import { DEFAULT_COMPONENT_TYPE, ota } from '@oms/contract/ota.ts'
import { OtaForm } from './ota-form.tsx'

const EMPTY = { otaVersion: {}, components: [{ type: DEFAULT_COMPONENT_TYPE }] }

/** A new firmware version. */
export default function OtaAddPage() {
  return <OtaForm endpoint={ota.create} place="new" initial={EMPTY} />
}
