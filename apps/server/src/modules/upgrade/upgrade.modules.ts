import { otaRelease } from '@oms/contract/upgrade-release.ts'
import { otaTask } from '@oms/contract/upgrade-task.ts'
import { otaChoices, otaWhite } from '@oms/contract/upgrade-white.ts'
import { implement, type Module } from '#kernel/implement.ts'
import { tenantChoices, verComments } from './choices.service.ts'
import { get as release, groups } from './release-read.service.ts'
import { audit, publish, share } from './release-save.service.ts'
import { closeAlarm, pause, resume, skip, stop } from './release-steer.service.ts'
import { survey, why } from './survey.service.ts'
import { counts, exportTasks, failures, get as task, list, ofDevice } from './task-list.service.ts'
import { cancel, push, retry } from './task-write.service.ts'
import { inWhite, notInWhite, put, putAll, remove, removeAll } from './white.service.ts'

export const upgradeModules: readonly Module[] = [
  implement(
    otaWhite,
    { inWhite, notInWhite, put, remove, putAll, removeAll },
    { outsideTransaction: ['putAll', 'removeAll'] },
  ),
  implement(otaChoices, { verComments, tenants: tenantChoices }),
  implement(otaRelease, {
    get: release,
    groups,
    survey,
    why,
    publish,
    share,
    pause,
    resume,
    stop,
    skip,
    audit,
    closeAlarm,
  }),
  implement(otaTask, { list, counts, failures, export: exportTasks, get: task, retry, cancel, push, ofDevice }),
]
