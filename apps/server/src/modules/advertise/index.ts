import { ads } from '@oms/contract/advertise/ad.ts'
import { programChecks } from '@oms/contract/advertise/program-check.ts'
import { programOptions } from '@oms/contract/advertise/program-options.ts'
import { programPublish } from '@oms/contract/advertise/program-publish.ts'
import { programs } from '@oms/contract/advertise/program.ts'
import { adScreens } from '@oms/contract/advertise/screen.ts'
import { adStats } from '@oms/contract/advertise/statistics.ts'
import { implement, type Module } from '#core/http/implement.ts'
import type { Services } from '#core/services.ts'
import { reviewAd } from './ads/ad-audit.ts'
import { getAd, listAds } from './ads/ad-rows.ts'
import { createAd, disableAd, enableAd, removeAd, updateAd } from './ads/ad-save.ts'
import { submitAd, withdrawAd } from './ads/ad-submit.ts'
import { getProbeResult, uploadMaterial } from './ads/ad-upload.ts'
import { listVersions as listAdVersions } from './ads/ad-versions.ts'
import { registerAdRetention } from './ads/ad.jobs.ts'
import { registerProbe } from './ads/materials.ts'
import { previewAdPackage } from './ads/package-preview.ts'
import { getAgenda } from './agenda/program-agenda.ts'
import { listPreviewFiles } from './programs/program-files.ts'
import { getDraftManifest, listAdOptions, listUsedAdOptions } from './programs/program-options.ts'
import { getProgram, listPrograms } from './programs/program-rows.ts'
import { copyProgram, createProgram, removeProgram, updateProgram } from './programs/program-save.ts'
import { listScreenOptions, listTargetOptions } from './programs/target-options.ts'
import { countDeliveries } from './publishing/delivery-counts.ts'
import { findConflicts, findDraftConflicts } from './publishing/program-conflict.ts'
import { listDelivery } from './publishing/program-delivery.ts'
import { runDraftDryRun, runDryRun } from './publishing/program-dry-run.ts'
import {
  reviewProgram,
  pauseProgram,
  publishProgramVersion,
  republishProgram,
  resumeProgram,
  withdrawProgram,
} from './publishing/program-publish.ts'
import { getProgramReview } from './publishing/program-review.ts'
import { registerProgramSchedule } from './publishing/program-schedule.ts'
import { listVersions as listProgramVersions } from './publishing/program-versions.ts'
import { registerScreenFailures } from './screens/screen-failure-notice.ts'
import { listDeviceOptions } from './screens/screen-options.ts'
import { getScreen, listScreens } from './screens/screen-rows.ts'
import { createSmilKey, pairScreen, unpairScreen, updateScreen } from './screens/screen.ts'
import { listAdvertisers, listContractNos } from './statistics/statistics-ad-attributes.ts'
import { getTrend, listRanking } from './statistics/statistics-charts.ts'
import { listDetails } from './statistics/statistics-detail.ts'
import { exportAdStats } from './statistics/statistics-export.ts'
import {
  listAdOptions as listPlayedAds,
  listGroupOptions,
  listProgramOptions,
} from './statistics/statistics-options.ts'
import { exportPlays } from './statistics/statistics-plays.ts'
import { registerAdPlayJobs } from './statistics/statistics.jobs.ts'
import { getHeatmap, getSummary } from './statistics/statistics.ts'

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
