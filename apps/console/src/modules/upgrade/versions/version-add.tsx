import { DEFAULT_COMPONENT_TYPE } from '@oms/contract/upgrade/ota.ts'
import { useArtifactKind } from './artifact-kind.ts'
import { OtaForm } from './ota-form.tsx'

const EMPTY = { otaVersion: {}, components: [{ type: DEFAULT_COMPONENT_TYPE }] }

/** Adds a version of the current artifact kind. */
export function VersionAddForm() {
  const { calls } = useArtifactKind()
  return <OtaForm endpoint={calls.create} place="new" initial={EMPTY} />
}
