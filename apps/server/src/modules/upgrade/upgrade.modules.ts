import { otaChoices } from '@oms/contract/upgrade/upgrade-allowlist.ts'
import { softwareTask } from '@oms/contract/upgrade/software-release.ts'
import { otaTask } from '@oms/contract/upgrade/upgrade-task.ts'
import { implement, type Module } from '#core/http/implement.ts'
import { listTenantChoices, listReleaseNotes } from './choices.ts'
import {
  type ArtifactKind,
  FIRMWARE_KIND,
  limitToArtifactKind,
  SOFTWARE_KIND,
} from './releases/release-artifact-kind.ts'
import { getRelease as release, listReleaseGroups } from './releases/release-read.ts'
import { reviewRelease, publishRelease, setRolloutPercentage } from './releases/release-save.ts'
import { closeAlarm, pauseRelease, resumeRelease, skipStage, stopRelease } from './releases/release-steer.ts'
import { runDryRun, explainForDevice } from './releases/dry-run.ts'
import {
  countTasks,
  exportFirmwareTasks,
  exportSoftwareTasks,
  listFailures,
  getTask as task,
  listTasks,
  listTasksOfDevice,
} from './task-list.ts'
import { cancelOpenTasks, pushToDevice, retryTasks } from './task-write.ts'
import {
  listAllowlistDevices,
  listDevicesOutsideAllowlist,
  addToAllowlist,
  addAllToAllowlist,
  removeFromAllowlist,
  removeAllFromAllowlist,
} from './allowlist.ts'

const steering = {
  get: release,
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
  ...limitToArtifactKind(artifact, 'taskId', { get: task }),
})
const outsideTransaction = ['putAll', 'removeAll'] as const
const firmwareExport = limitToArtifactKind(FIRMWARE_KIND, 'otaId', { export: exportFirmwareTasks })
const softwareExport = limitToArtifactKind(SOFTWARE_KIND, 'otaId', { export: exportSoftwareTasks })

/** Modules for releases of firmware and general software: release, tasks and allowlist. */
export const upgradeModules: readonly Module[] = [
  implement(FIRMWARE_KIND.white, whiteOf(FIRMWARE_KIND), { outsideTransaction }),
  implement(SOFTWARE_KIND.white, whiteOf(SOFTWARE_KIND), { outsideTransaction }),
  implement(otaChoices, { verComments: listReleaseNotes, tenants: listTenantChoices }),
  implement(FIRMWARE_KIND.release, releaseOf(FIRMWARE_KIND)),
  implement(SOFTWARE_KIND.release, releaseOf(SOFTWARE_KIND)),
  implement(otaTask, { ...taskOf(FIRMWARE_KIND), ...firmwareExport, ofDevice: listTasksOfDevice }),
  implement(softwareTask, { ...taskOf(SOFTWARE_KIND), ...softwareExport }),
]
