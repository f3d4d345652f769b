import { otaSigning, softwareSigning } from '@oms/contract/ota-signing.ts'
import { useFamily } from './family.ts'

/** The signing calls of the family around it. */
export const useSigning = () => (useFamily().key === 'ota' ? otaSigning : softwareSigning)
