import { DEFAULT_COMPONENT_TYPE } from '@oms/contract/ota.ts'
import { useFamily } from './family.ts'
import { OtaForm } from './ota-form.tsx'

const EMPTY = { otaVersion: {}, components: [{ type: DEFAULT_COMPONENT_TYPE }] }

/** A new version of the family around it. */
export function VersionAdd() {
  const { calls } = useFamily()
  return <OtaForm endpoint={calls.create} place="new" initial={EMPTY} />
}
