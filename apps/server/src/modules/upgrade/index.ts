import { otaImages } from '@oms/contract/upgrade/app-image.ts'
import { otaAlarms, otaSigning, softwareAlarms, softwareSigning } from '@oms/contract/upgrade/ota-signing.ts'
import { ota } from '@oms/contract/upgrade/ota.ts'
import { softwareTask } from '@oms/contract/upgrade/software-release.ts'
import { software } from '@oms/contract/upgrade/software.ts'
import { otaChoices } from '@oms/contract/upgrade/upgrade-allowlist.ts'
import { otaTask } from '@oms/contract/upgrade/upgrade-task.ts'
import { implement, type Module, bindHandler } from '#core/http/implement.ts'
import type { Services } from '#core/services.ts'
import {
  listAllowlistDevices,
  listDevicesOutsideAllowlist,
  addToAllowlist,
  addAllToAllowlist,
  removeFromAllowlist,
  removeAllFromAllowlist,
  registerAllowlistJob,
} from './allowlist.ts'
import { type ArtifactKind, FIRMWARE_KIND, limitToArtifactKind, SOFTWARE_KIND } from './artifact-kind.ts'
import { runDryRun, explainForDevice } from './dry-run.ts'
import { listTenantChoices, listReleaseNotes, getRelease, listReleaseGroups } from './release-read.ts'
import { reviewRelease, publishRelease, setRolloutPercentage } from './release-save.ts'
import { closeAlarm, pauseRelease, resumeRelease, skipStage, stopRelease } from './release-steer.ts'
import { registerStageSchedule } from './stages.ts'
import {
  countTasks,
  exportFirmwareTasks,
  exportSoftwareTasks,
  listFailures,
  getTask,
  listTasks,
  listTasksOfDevice,
  cancelOpenTasks,
  pushToDevice,
  retryTasks,
} from './task.ts'
import { getImage } from './versions/image.ts'
import { closeAlarm as closeVersionAlarm, listAlarms, registerOtaScrub } from './versions/scrub.ts'
import * as signing from './versions/signing.ts'
import { disableVersion, enableVersion } from './versions/version-enable.ts'
import { createVersion, removeVersion, updateVersion, uploadComponent } from './versions/version-save.ts'
import { exportFirmware, exportSoftware, getVersion, listVersions } from './versions/version.ts'

const steering = {
  get: getRelease,
  groups: listReleaseGroups,
  dryRun: runDryRun,
  why: explainForDevice,
  publish: publishRelease,
  share: setRolloutPercentage,
  pause: pauseRelease,
  resume: resumeRelease,
  stop: stopRelease,
  skip: skipStage,
  audit: reviewRelease,
}
const releaseOf = (artifact: ArtifactKind) => ({
  ...limitToArtifactKind(artifact, 'otaId', steering),
  ...limitToArtifactKind(artifact, 'alarmId', { closeAlarm }),
})
const whiteOf = (artifact: ArtifactKind) =>
  limitToArtifactKind(artifact, 'otaId', {
    inWhite: listAllowlistDevices,
    notInWhite: listDevicesOutsideAllowlist,
    put: addToAllowlist,
    remove: removeFromAllowlist,
    putAll: addAllToAllowlist,
    removeAll: removeAllFromAllowlist,
  })
const taskOf = (artifact: ArtifactKind) => ({
  ...limitToArtifactKind(artifact, 'otaId', {
    list: listTasks,
    counts: countTasks,
    failures: listFailures,
    retry: retryTasks,
    cancel: cancelOpenTasks,
    push: pushToDevice,
  }),
  ...limitToArtifactKind(artifact, 'taskId', { get: getTask }),
})
const firmwareExport = limitToArtifactKind(FIRMWARE_KIND, 'otaId', { export: exportFirmwareTasks })
const softwareExport = limitToArtifactKind(SOFTWARE_KIND, 'otaId', { export: exportSoftwareTasks })

const releaseModules = [
  implement(FIRMWARE_KIND.white, whiteOf(FIRMWARE_KIND), { outsideTransaction: ['putAll', 'removeAll'] }),
  implement(SOFTWARE_KIND.white, whiteOf(SOFTWARE_KIND), { outsideTransaction: ['putAll', 'removeAll'] }),
  implement(otaChoices, { verComments: listReleaseNotes, tenants: listTenantChoices }),
  implement(FIRMWARE_KIND.release, releaseOf(FIRMWARE_KIND)),
  implement(SOFTWARE_KIND.release, releaseOf(SOFTWARE_KIND)),
  implement(otaTask, { ...taskOf(FIRMWARE_KIND), ...firmwareExport, ofDevice: listTasksOfDevice }),
  implement(softwareTask, { ...taskOf(SOFTWARE_KIND), ...softwareExport }),
]

const servicesOf = (artifact: ArtifactKind) => ({
  list: bindHandler(artifact, listVersions),
  get: bindHandler(artifact, getVersion),
  create: bindHandler(artifact, createVersion),
  update: bindHandler(artifact, updateVersion),
  remove: bindHandler(artifact, removeVersion),
  enable: bindHandler(artifact, enableVersion),
  disable: bindHandler(artifact, disableVersion),
  upload: uploadComponent,
})
const outsideTransaction = ['enable', 'upload'] as const
const versionModules = [
  implement(ota, { ...servicesOf(FIRMWARE_KIND), export: exportFirmware }, { outsideTransaction }),
  implement(software, { ...servicesOf(SOFTWARE_KIND), export: exportSoftware }, { outsideTransaction }),
  implement(otaImages, { get: getImage }, { outsideTransaction: ['get'] }),
]

const signingOf = (artifact: ArtifactKind) => ({
  get: bindHandler(artifact, signing.getSigning),
  keys: signing.listSigningKeys,
  verify: bindHandler(artifact, signing.verifyVersion),
  prepare: bindHandler(artifact, signing.prepareManifest),
  sign: bindHandler(artifact, signing.storeSignature),
})
const signingModules = [
  implement(otaSigning, signingOf(FIRMWARE_KIND), { outsideTransaction: ['verify'] }),
  implement(softwareSigning, signingOf(SOFTWARE_KIND), { outsideTransaction: ['verify'] }),
]

const alarmsOf = (artifact: ArtifactKind) => ({
  list: bindHandler(artifact, listAlarms),
  close: bindHandler(artifact, closeVersionAlarm),
})
const alarmModules = [implement(otaAlarms, alarmsOf(FIRMWARE_KIND)), implement(softwareAlarms, alarmsOf(SOFTWARE_KIND))]

/** All calls on firmware and general software: versions, signing keys, alarms, releases, tasks and allowlists. */
export const upgradeModules: readonly Module[] = [
  ...versionModules,
  ...signingModules,
  ...alarmModules,
  ...releaseModules,
]

export function registerUpgradeJobs(services: Services) {
  registerOtaScrub(services)
  registerAllowlistJob(services)
  registerStageSchedule(services)
}

// What later modules use.
export { otaVersions, otaTasks } from './schema.ts'
export { visibleTasks } from './task.ts'
export { hasOpenAlarm, isAwaitingAudit, buildReleaseInScopeCondition, visibleVersions, moveToModel } from './release.ts'
export { findBoardImage } from './versions/image.ts'
export { findComponent, sendComponent } from './wire/artifact.ts'
export { isReleasePaused, computeSecondsUntilOpen } from './wire/maintenance-window.ts'
export { closeByVersion, recordTaskStep } from './wire/tasks.ts'
export { storeReportedVersion } from './wire/versions.ts'
