export { chooseRendition, needsFile } from '@oms/contract/advertise/engine/renditions.ts'
