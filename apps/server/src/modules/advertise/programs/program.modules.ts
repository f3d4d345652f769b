import { programs } from '@oms/contract/advertise/program.ts'
import { programChecks } from '@oms/contract/advertise/program-check.ts'
import { programOptions } from '@oms/contract/advertise/program-options.ts'
import { programPublish } from '@oms/contract/advertise/program-publish.ts'
import { implement, type Module } from '#core/http/implement.ts'
import { agenda } from './program-agenda.ts'
import { conflict } from '../publishing/program-conflict.ts'
import { delivery } from '../publishing/program-delivery.ts'
import { dryRun } from '../publishing/program-dry-run.ts'
import { previewFiles } from './program-files.ts'
import { forecast } from '../publishing/program-forecast.ts'
import { adOptions, manifest, screenOptions, targetOptions, usedAdOptions } from './program-options.ts'
import { audit, pause, publish, republish, resume, withdraw } from '../publishing/program-publish.ts'
import { get, list, versions } from './program-rows.ts'
import { copy, create, remove, update } from './program-save.ts'

const programModule = implement(programs, { list, get, versions, create, update, remove, copy })
const publishModule = implement(programPublish, { publish, republish, audit, pause, resume, withdraw })
const optionsModule = implement(programOptions, {
  ads: adOptions,
  usedAds: usedAdOptions,
  targets: targetOptions,
  screens: screenOptions,
  files: previewFiles,
  manifest,
})

const checkModule = implement(programChecks, { conflict, dryRun, forecast, agenda, delivery })

export const programModules: readonly Module[] = [programModule, publishModule, optionsModule, checkModule]
