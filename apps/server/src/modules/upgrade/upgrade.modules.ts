import { softwareTask } from '@oms/contract/upgrade/software-release.ts'
import { otaTask } from '@oms/contract/upgrade/upgrade-task.ts'
import { handlerWith, implement, type Module } from '#core/http/implement.ts'
import { tenantChoices, verComments } from './choices.service.ts'
import { type ArtifactKind, FIRMWARE, ofArtifactKind, SOFTWARE } from './releases/release-artifact-kind.ts'
import { get as release, groups } from './releases/release-read.service.ts'
import { audit, publish, share } from './releases/release-save.service.ts'
import { closeAlarm, pause, resume, skip, stop } from './releases/release-steer.service.ts'
import { dryRun, why } from './releases/dry-run.service.ts'
import {
  counts,
  exportFirmwareTasks,
  exportSoftwareTasks,
  failures,
  get as task,
  list,
  ofDevice,
} from './task-list.service.ts'
import { cancel, push, retry } from './task-write.service.ts'
import { inWhite, notInWhite, put, putAll, remove, removeAll } from './allowlist.service.ts'

const steering = { get: release, groups, dryRun, why, publish, share, pause, resume, stop, skip, audit }
const releaseOf = (artifact: ArtifactKind) => ({
  ...ofArtifactKind(artifact, 'otaId', steering),
  ...ofArtifactKind(artifact, 'alarmId', { closeAlarm }),
})
const whiteOf = (artifact: ArtifactKind) =>
  ofArtifactKind(artifact, 'otaId', { inWhite, notInWhite, put, remove, putAll, removeAll })
const taskOf = (artifact: ArtifactKind) => ({
  ...ofArtifactKind(artifact, 'otaId', { list, counts, failures, retry, cancel, push }),
  ...ofArtifactKind(artifact, 'taskId', { get: task }),
})
const choicesOf = (artifact: ArtifactKind) => ({
  verComments: handlerWith(artifact, verComments),
  tenants: tenantChoices,
})
const outsideTransaction = ['putAll', 'removeAll'] as const
const firmwareExport = ofArtifactKind(FIRMWARE, 'otaId', { export: exportFirmwareTasks })
const softwareExport = ofArtifactKind(SOFTWARE, 'otaId', { export: exportSoftwareTasks })

/** Modules for releases of firmware and general software: release, tasks and allowlist. */
export const upgradeModules: readonly Module[] = [
  implement(FIRMWARE.white, whiteOf(FIRMWARE), { outsideTransaction }),
  implement(SOFTWARE.white, whiteOf(SOFTWARE), { outsideTransaction }),
  implement(FIRMWARE.choices, choicesOf(FIRMWARE)),
  implement(SOFTWARE.choices, choicesOf(SOFTWARE)),
  implement(FIRMWARE.release, releaseOf(FIRMWARE)),
  implement(SOFTWARE.release, releaseOf(SOFTWARE)),
  implement(otaTask, { ...taskOf(FIRMWARE), ...firmwareExport, ofDevice }),
  implement(softwareTask, { ...taskOf(SOFTWARE), ...softwareExport }),
]
