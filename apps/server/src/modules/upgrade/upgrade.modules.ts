import { softwareTask } from '@oms/contract/software-release.ts'
import { otaTask } from '@oms/contract/upgrade-task.ts'
import { implement, type Module } from '#kernel/implement.ts'
import { tenantChoices, verComments } from './choices.service.ts'
import { type Family, FIRMWARE, ofFamily, SOFTWARE } from './release-family.ts'
import { get as release, groups } from './release-read.service.ts'
import { audit, publish, share } from './release-save.service.ts'
import { closeAlarm, pause, resume, skip, stop } from './release-steer.service.ts'
import { survey, why } from './survey.service.ts'
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
import { inWhite, notInWhite, put, putAll, remove, removeAll } from './white.service.ts'

const steering = { get: release, groups, survey, why, publish, share, pause, resume, stop, skip, audit }
const releaseOf = (family: Family) => ({
  ...ofFamily(family, 'otaId', steering),
  ...ofFamily(family, 'alarmId', { closeAlarm }),
})
const whiteOf = (family: Family) => ofFamily(family, 'otaId', { inWhite, notInWhite, put, remove, putAll, removeAll })
const taskOf = (family: Family) => ({
  ...ofFamily(family, 'otaId', { list, counts, failures, retry, cancel, push }),
  ...ofFamily(family, 'taskId', { get: task }),
})
const choicesOf = (family: Family) => ({ verComments: verComments(family), tenants: tenantChoices })
const outsideTransaction = ['putAll', 'removeAll'] as const
const firmwareExport = ofFamily(FIRMWARE, 'otaId', { export: exportFirmwareTasks })
const softwareExport = ofFamily(SOFTWARE, 'otaId', { export: exportSoftwareTasks })

/** Releases of firmware and of general software: who gets them, what came of it, and who is on their white lists. */
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
