import { programs } from '@oms/contract/advertise/program.ts'
import { programChecks } from '@oms/contract/advertise/program-check.ts'
import { programOptions } from '@oms/contract/advertise/program-options.ts'
import { programPublish } from '@oms/contract/advertise/program-publish.ts'
import { implement, type Module } from '#core/http/implement.ts'
import { getAgenda } from './program-agenda.ts'
import { findConflicts } from '../publishing/program-conflict.ts'
import { listDelivery } from '../publishing/program-delivery.ts'
import { runDryRun } from '../publishing/program-dry-run.ts'
import { previewFiles } from './program-files.ts'
import { getForecast } from '../publishing/program-forecast.ts'
import {
  listAdOptions,
  getDraftManifest,
  listScreenOptions,
  listTargetOptions,
  usedAdOptions,
} from './program-options.ts'
import { audit, pause, publish, republish, resume, withdraw } from '../publishing/program-publish.ts'
import { get, list, listVersions } from './program-rows.ts'
import { copy, create, remove, update } from './program-save.ts'

const programModule = implement(programs, { list, get, versions: listVersions, create, update, remove, copy })
const publishModule = implement(programPublish, { publish, republish, audit, pause, resume, withdraw })
const optionsModule = implement(programOptions, {
  ads: listAdOptions,
  usedAds: usedAdOptions,
  targets: listTargetOptions,
  screens: listScreenOptions,
  files: previewFiles,
  manifest: getDraftManifest,
})

const checkModule = implement(programChecks, {
  conflict: findConflicts,
  dryRun: runDryRun,
  forecast: getForecast,
  agenda: getAgenda,
  delivery: listDelivery,
})

export const programModules: readonly Module[] = [programModule, publishModule, optionsModule, checkModule]
