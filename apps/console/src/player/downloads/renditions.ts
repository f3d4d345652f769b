export { chooseRendition, needsFile } from '@oms/contract/ad-engine/renditions.ts'
