import { programChecks } from '@oms/contract/advertise/program-check.ts'
import { buildSample } from './contract-server.ts'

/** Dry run and conflict check of a program on four screens, without conflicts. */
export const DRY_RUN = {
  ...(buildSample(programChecks.dryRun.result) as object),
  screens: 4,
  totalBytes: 0,
  insertMode: 0,
}
export const CONFLICTS = {
  ...(buildSample(programChecks.conflict.result) as object),
  screens: 4,
  errors: [],
  warnings: [],
}
