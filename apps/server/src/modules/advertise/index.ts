import { ads } from '@oms/contract/advertise/ad.ts'
import { programChecks } from '@oms/contract/advertise/program-check.ts'
import { programOptions } from '@oms/contract/advertise/program-options.ts'
import { programPublish } from '@oms/contract/advertise/program-publish.ts'
import { programs } from '@oms/contract/advertise/program.ts'
import { adScreens } from '@oms/contract/advertise/screen.ts'
import { adStats } from '@oms/contract/advertise/statistics.ts'
import { implement, type Module } from '#core/http/implement.ts'
import type { Services } from '#core/services.ts'
import { reviewAd, submitAd, withdrawAd } from './ads/ad-audit.ts'
import { registerAdRetention } from './ads/ad-retention.ts'
import { createAd, disableAd, enableAd, removeAd, updateAd, getProbeResult, uploadMaterial } from './ads/ad-save.ts'
import { getAd, listAds, listAdVersions } from './ads/ad.ts'
import { registerProbe } from './ads/materials.ts'
import { previewAdPackage } from './ads/package-preview.ts'
import { registerAdPlayJobs } from './plays/play-sums.ts'
import { getAgenda } from './programs/agenda.ts'
import { findConflicts, findDraftConflicts } from './programs/program-conflict.ts'
import { countDeliveries, listDelivery } from './programs/program-delivery.ts'
import { runDraftDryRun, runDryRun } from './programs/program-dry-run.ts'
import { listPreviewFiles, getDraftManifest, listAdOptions, listUsedAdOptions } from './programs/program-options.ts'
import {
  reviewProgram,
  pauseProgram,
  publishProgramVersion,
  republishProgram,
  resumeProgram,
  withdrawProgram,
} from './programs/program-publish.ts'
import { getProgramReview, listProgramVersions } from './programs/program-review.ts'
import { copyProgram, createProgram, removeProgram, updateProgram } from './programs/program-save.ts'
import { registerProgramSchedule } from './programs/program-schedule.ts'
import { getProgram, listPrograms } from './programs/program.ts'
import { listScreenOptions, listTargetOptions } from './programs/target-options.ts'
import { registerScreenFailures } from './screens/screen-states.ts'
import {
  listDeviceOptions,
  getScreen,
  listScreens,
  createSmilKey,
  pairScreen,
  unpairScreen,
  updateScreen,
} from './screens/screen.ts'
import { listDetails } from './statistics/statistics-detail.ts'
import { exportAdStats, exportPlays } from './statistics/statistics-export.ts'
import {
  listAdvertisers,
  listContractNos,
  listPlayedAds,
  listGroupOptions,
  listProgramOptions,
} from './statistics/statistics-filters.ts'
import { getTrend, listRanking, getHeatmap, getSummary } from './statistics/statistics.ts'

const adModule = implement(
  ads,
  {
    list: listAds,
    get: getAd,
    versions: listAdVersions,
    preview: previewAdPackage,
    create: createAd,
    update: updateAd,
    remove: removeAd,
    upload: uploadMaterial,
    probe: getProbeResult,
    submit: submitAd,
    withdraw: withdrawAd,
    audit: reviewAd,
    enable: enableAd,
    disable: disableAd,
  },
  { outsideTransaction: ['upload'] },
)

const programModule = implement(programs, {
  list: listPrograms,
  get: getProgram,
  versions: listProgramVersions,
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

const screenModule = implement(adScreens, {
  list: listScreens,
  get: getScreen,
  devices: listDeviceOptions,
  update: updateScreen,
  pair: pairScreen,
  unpair: unpairScreen,
  smilKey: createSmilKey,
})

const statisticsModule = implement(
  adStats,
  {
    summary: getSummary,
    trend: getTrend,
    rank: listRanking,
    heatmap: getHeatmap,
    detail: listDetails,
    ads: listPlayedAds,
    programs: listProgramOptions,
    groups: listGroupOptions,
    advertisers: listAdvertisers,
    contracts: listContractNos,
    export: exportAdStats,
    exportPlays,
  },
  { outsideTransaction: ['export', 'exportPlays'] },
)

export const advertiseModules: readonly Module[] = [
  adModule,
  programModule,
  publishModule,
  optionsModule,
  checkModule,
  screenModule,
  statisticsModule,
]

export function registerAdvertiseJobs(services: Services) {
  registerProgramSchedule(services)
  registerScreenFailures(services)
  registerAdPlayJobs(services)
  registerAdRetention(services)
  registerProbe(services)
}

// What later modules use.
export { adScreens } from './schema-screen.ts'
export { adPrograms, ads } from './schema.ts'
export { buildAwaitingAdAuditCondition, buildAwaitingProgramAuditCondition } from './scope.ts'
export { readPlaysByDay } from './statistics/statistics.ts'
