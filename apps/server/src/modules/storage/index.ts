import { storageAllowances } from '@oms/contract/storage/allowance.ts'
import { appAccount } from '@oms/contract/storage/app-account.ts'
import { appKeys } from '@oms/contract/storage/app-key.ts'
import { storageApp } from '@oms/contract/storage/app-sales.ts'
import { playbackApp, playbackStream } from '@oms/contract/storage/app.ts'
import { storageCards } from '@oms/contract/storage/card.ts'
import { playbackConsents } from '@oms/contract/storage/consent.ts'
import { storageDeviceVideos } from '@oms/contract/storage/device-video.ts'
import { storageEntitlements } from '@oms/contract/storage/entitlement.ts'
import { storageGrantFiles } from '@oms/contract/storage/grant-file.ts'
import { storageHooks } from '@oms/contract/storage/hook.ts'
import { storageOptions } from '@oms/contract/storage/options.ts'
import { storageOrders } from '@oms/contract/storage/order.ts'
import { storagePackages } from '@oms/contract/storage/package.ts'
import { storageSettings } from '@oms/contract/storage/setting.ts'
import { storageStats } from '@oms/contract/storage/statistics.ts'
import { tooMany } from '#core/http/api-error.ts'
import { implement, type Module } from '#core/http/implement.ts'
import { limitConcurrency } from '#core/process/concurrency.ts'
import type { Services } from '#core/services.ts'
import { listAllowanceLedger, createAllowance, getAllowance, listAllowances, updateAllowance } from './allowance.ts'
import { importAppAccounts } from './app-account-import.ts'
import * as apps from './app-account.ts'
import { registerStorageSchedule } from './clock.ts'
import { getDeviceUsage, explainPermitForDevice } from './device-video.ts'
import {
  cancelEntitlements,
  resumeEntitlements,
  suspendEntitlements,
  renewEntitlements,
} from './entitlements/entitlement-steps.ts'
import { getDeviceQueues, exportEntitlements, getEntitlement, listEntitlements } from './entitlements/entitlement.ts'
import { importGrantFile } from './entitlements/grant-file-import.ts'
import {
  listFailedLines,
  getGrantFile,
  listGrantFiles,
  reviewGrantFile,
  uploadGrantFile,
} from './entitlements/grant-file.ts'
import { openPackage, planOpening } from './entitlements/open.ts'
import { transferEntitlements } from './entitlements/transfer.ts'
import { registerStorageNotice } from './notices.ts'
import { listDeviceOptions, listPackageOptions, listTransferTargets } from './options.ts'
import { listAppNotices, openTrialInApp, redeemCardInApp, transferInApp } from './orders/app-sales.ts'
import { redeemCard, sendCardFile, createCards, listBatches, listCards, voidCards } from './orders/card.ts'
import {
  createHook,
  getEvent,
  getHook,
  listEvents,
  listHooks,
  replayHookEvent,
  rotateHookSecret,
  updateHook,
} from './orders/hook.ts'
import { exportOrders, getOrder, listOrders, listRefunds } from './orders/order.ts'
import { recordRefund, rejectRefund, requestRefund } from './orders/refund.ts'
import {
  exportPackages,
  getPackage,
  listPackages,
  listPackageVersions,
  createPackage,
  disablePackage,
  enablePackage,
  removePackage,
  updatePackage,
} from './package.ts'
import {
  listRecordedDays,
  listAppDevices,
  playRecording,
  removeRecordings,
  setRecordingSwitch,
  getTimeline,
  listVideoEvents,
  listAppPictures,
} from './playback/app-device.ts'
import {
  createAppKey,
  disableAppKey,
  enableAppKey,
  getAppKey,
  listAppKeys,
  removeAppKey,
  rotateAppKey,
  updateAppKey,
  createAppSession,
} from './playback/app-key.ts'
import {
  createAppConsent,
  listAppConsents,
  listAppViews,
  withdrawAppConsent,
  createConsent,
  listConsents,
  withdrawConsent,
} from './playback/consent.ts'
import { sendPlayFile } from './playback/play-stream.ts'
import { listConsentedTimes, viewRecording, listViews } from './playback/view.ts'
import { getSettings, saveSettings } from './settings.ts'
import { listSilentChannels, registerSilentChannelNotice } from './silent-channels.ts'
import {
  exportStorageStats,
  getStorageUsage,
  countExpiringEntitlements,
  getExpiryForecast,
  listPackageStats,
  listSourceStats,
  getStorageSummary,
  listTenantStats,
  getStorageTrend,
} from './statistics.ts'
import { registerStorageVerify } from './verify.ts'
import { registerVideoJobs } from './video/retention.ts'

const packageModule = implement(storagePackages, {
  list: listPackages,
  get: getPackage,
  versions: listPackageVersions,
  create: createPackage,
  update: updatePackage,
  remove: removePackage,
  enable: enablePackage,
  disable: disablePackage,
  export: exportPackages,
})
/**
 * Limits calls that lock queues, so that calls for the same entitlement do not hold all database connections while they
 * wait for the lock.
 */
const limitQueueChanges = limitConcurrency(2, 500, () => tooMany(5))

const entitlementModule = implement(
  storageEntitlements,
  {
    list: listEntitlements,
    get: getEntitlement,
    queue: getDeviceQueues,
    plan: planOpening,
    open: openPackage,
    renew: renewEntitlements,
    suspend: suspendEntitlements,
    resume: resumeEntitlements,
    cancel: cancelEntitlements,
    transfer: transferEntitlements,
    export: exportEntitlements,
  },
  { limit: { entries: ['open', 'renew', 'suspend', 'resume', 'cancel', 'transfer'], run: limitQueueChanges } },
)
const deviceVideoModule = implement(storageDeviceVideos, { why: explainPermitForDevice, usage: getDeviceUsage })
const optionsModule = implement(storageOptions, {
  packages: listPackageOptions,
  devices: listDeviceOptions,
  targets: listTransferTargets,
})
const allowanceModule = implement(storageAllowances, {
  list: listAllowances,
  get: getAllowance,
  ledger: listAllowanceLedger,
  create: createAllowance,
  update: updateAllowance,
})

const appAccountModule = implement(
  appAccount,
  {
    list: apps.listAppAccounts,
    export: apps.exportAppAccounts,
    template: importAppAccounts.template,
    import: importAppAccounts.take,
    get: apps.getAppAccount,
    devices: apps.listBoundDevices,
    create: apps.createAppAccount,
    enable: apps.enableAppAccount,
    disable: apps.disableAppAccount,
    bind: apps.bindDevice,
    unbind: apps.unbindDevice,
  },
  { outsideTransaction: ['import'] },
)

const grantFileModule = implement(
  storageGrantFiles,
  {
    template: importGrantFile.template,
    import: uploadGrantFile,
    list: listGrantFiles,
    get: getGrantFile,
    failedLines: listFailedLines,
    audit: reviewGrantFile,
  },
  { outsideTransaction: ['import', 'audit'] },
)

const statModule = implement(storageStats, {
  summary: getStorageSummary,
  trend: getStorageTrend,
  packages: listPackageStats,
  sources: listSourceStats,
  tenants: listTenantStats,
  expiring: countExpiringEntitlements,
  forecast: getExpiryForecast,
  usage: getStorageUsage,
  trouble: listSilentChannels,
  export: exportStorageStats,
})
const settingModule = implement(storageSettings, { get: getSettings, save: saveSettings })

const orderModule = implement(
  storageOrders,
  {
    list: listOrders,
    export: exportOrders,
    get: getOrder,
    refunds: listRefunds,
    requestRefund,
    recordRefund,
    rejectRefund,
  },
  { outsideTransaction: ['recordRefund'] },
)
const hookModule = implement(
  storageHooks,
  {
    list: listHooks,
    get: getHook,
    create: createHook,
    update: updateHook,
    rotate: rotateHookSecret,
    events: listEvents,
    event: getEvent,
    replay: replayHookEvent,
  },
  { outsideTransaction: ['replay'] },
)
const cardModule = implement(
  storageCards,
  {
    batches: listBatches,
    list: listCards,
    create: createCards,
    void: voidCards,
    redeem: (ctx, input) => redeemCard(ctx, input),
    file: sendCardFile,
  },
  { outsideTransaction: ['redeem', 'file'] },
)
const salesAppModule = implement(
  storageApp,
  { redeem: redeemCardInApp, trial: openTrialInApp, transfer: transferInApp, notices: listAppNotices },
  { outsideTransaction: ['redeem'] },
)

const appKeyModule = implement(appKeys, {
  list: listAppKeys,
  get: getAppKey,
  create: createAppKey,
  update: updateAppKey,
  rotate: rotateAppKey,
  enable: enableAppKey,
  disable: disableAppKey,
  remove: removeAppKey,
})
const consentModule = implement(playbackConsents, {
  list: listConsents,
  create: createConsent,
  withdraw: withdrawConsent,
  times: listConsentedTimes,
  view: viewRecording,
  views: listViews,
})
const playbackAppModule = implement(playbackApp, {
  session: createAppSession,
  devices: listAppDevices,
  days: listRecordedDays,
  timeline: getTimeline,
  events: listVideoEvents,
  pictures: listAppPictures,
  play: playRecording,
  remove: removeRecordings,
  switch: setRecordingSwitch,
  consents: listAppConsents,
  consent: createAppConsent,
  withdraw: withdrawAppConsent,
  views: listAppViews,
})
const streamModule = implement(playbackStream, { file: sendPlayFile })

export const storageModules: readonly Module[] = [
  packageModule,
  entitlementModule,
  deviceVideoModule,
  optionsModule,
  allowanceModule,
  appAccountModule,
  statModule,
  settingModule,
  grantFileModule,
  orderModule,
  hookModule,
  cardModule,
  salesAppModule,
  appKeyModule,
  consentModule,
  playbackAppModule,
  streamModule,
]

export function registerStorageJobs(services: Services) {
  registerStorageSchedule(services)
  registerStorageNotice(services)
  registerVideoJobs(services)
  registerSilentChannelNotice(services)
  registerStorageVerify(services)
}

// What later modules use.
export { buildAwaitingGrantFileCondition } from './entitlements/grant-file-scope.ts'
export { ossGrantFiles } from './schema-sales.ts'
export { ossEntitlements } from './schema.ts'
export { createPackageStore } from './package-store.ts'
export { readPackageScopeNames } from './package.ts'
