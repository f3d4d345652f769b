import { programs } from '@oms/contract/advertise/program.ts'
import { programChecks } from '@oms/contract/advertise/program-check.ts'
import { programOptions } from '@oms/contract/advertise/program-options.ts'
import { programPublish } from '@oms/contract/advertise/program-publish.ts'
import { implement, type Module } from '#core/http/implement.ts'
import { getAgenda } from '../agenda/program-agenda.ts'
import { findConflicts, findDraftConflicts } from '../publishing/program-conflict.ts'
import { countDeliveries } from '../publishing/delivery-counts.ts'
import { listDelivery } from '../publishing/program-delivery.ts'
import { runDraftDryRun, runDryRun } from '../publishing/program-dry-run.ts'
import { listPreviewFiles } from './program-files.ts'
import { getDraftManifest, listAdOptions, listUsedAdOptions } from './program-options.ts'
import {
  reviewProgram,
  pauseProgram,
  publishProgramVersion,
  republishProgram,
  resumeProgram,
  withdrawProgram,
} from '../publishing/program-publish.ts'
import { getProgramReview } from '../publishing/program-review.ts'
import { getProgram, listPrograms } from './program-rows.ts'
import { copyProgram, createProgram, removeProgram, updateProgram } from './program-save.ts'
import { listVersions } from '../publishing/program-versions.ts'
import { listScreenOptions, listTargetOptions } from './target-options.ts'

const programModule = implement(programs, {
  list: listPrograms,
  get: getProgram,
  versions: listVersions,
  create: createProgram,
  update: updateProgram,
  remove: removeProgram,
  copy: copyProgram,
})
const publishModule = implement(programPublish, {
  publish: publishProgramVersion,
  republish: republishProgram,
  review: getProgramReview,
  audit: reviewProgram,
  pause: pauseProgram,
  resume: resumeProgram,
  withdraw: withdrawProgram,
})
const optionsModule = implement(programOptions, {
  ads: listAdOptions,
  usedAds: listUsedAdOptions,
  targets: listTargetOptions,
  screens: listScreenOptions,
  files: listPreviewFiles,
  manifest: getDraftManifest,
})

const checkModule = implement(programChecks, {
  conflict: findConflicts,
  dryRun: runDryRun,
  draftConflict: findDraftConflicts,
  draftDryRun: runDraftDryRun,
  agenda: getAgenda,
  deliveryCounts: countDeliveries,
  delivery: listDelivery,
})

export const programModules: readonly Module[] = [programModule, publishModule, optionsModule, checkModule]
