import { otaSigning, softwareSigning } from '@oms/contract/upgrade/ota-signing.ts'
import { useArtifactKind } from './artifact-kind.ts'

/** Returns the signing calls of the current artifact kind. */
export const useSigning = () => (useArtifactKind().key === 'ota' ? otaSigning : softwareSigning)
