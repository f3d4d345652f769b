import { ota } from '@oms/contract/ota.ts'
import { otaGraph, softwareGraph } from '@oms/contract/ota-graph.ts'
import { otaAlarms, otaSigning, softwareAlarms, softwareSigning } from '@oms/contract/ota-signing.ts'
import { software } from '@oms/contract/software.ts'
import { implement, type Module } from '#kernel/implement.ts'
import * as alarm from './ota-alarm.service.ts'
import { disable, enable } from './ota-enable.service.ts'
import { exportFirmware, exportSoftware } from './ota-export.service.ts'
import { type Family, FIRMWARE, SOFTWARE } from './ota-family.ts'
import * as graph from './ota-graph.service.ts'
import { get, list } from './ota-list.service.ts'
import { create, remove, update } from './ota-save.service.ts'
import * as signing from './ota-signing.service.ts'
import { upload } from './ota-upload.service.ts'

const servicesOf = (family: Family) => ({
  list: list(family),
  get: get(family),
  create: create(family),
  update: update(family),
  remove: remove(family),
  enable: enable(family),
  disable: disable(family),
  upload,
})
const outsideTransaction = ['enable', 'upload'] as const

const otaModule = implement(ota, { ...servicesOf(FIRMWARE), export: exportFirmware }, { outsideTransaction })
const softwareModule = implement(software, { ...servicesOf(SOFTWARE), export: exportSoftware }, { outsideTransaction })

const signingOf = (family: Family) => ({
  get: signing.get(family),
  keys: signing.keys(),
  verify: signing.verify(family),
  prepare: signing.prepare(family),
  sign: signing.sign(family),
})
const signingModules = [
  implement(otaSigning, signingOf(FIRMWARE), { outsideTransaction: ['verify'] }),
  implement(softwareSigning, signingOf(SOFTWARE), { outsideTransaction: ['verify'] }),
]

const alarmsOf = (family: Family) => ({ list: alarm.list(family), close: alarm.close(family) })
const alarmModules = [implement(otaAlarms, alarmsOf(FIRMWARE)), implement(softwareAlarms, alarmsOf(SOFTWARE))]
const graphModules = [
  implement(otaGraph, { get: graph.get(FIRMWARE) }, { outsideTransaction: ['get'] }),
  implement(softwareGraph, { get: graph.get(SOFTWARE) }, { outsideTransaction: ['get'] }),
]

/** Firmware, general software, and what both are signed with, what is wrong with them, and where they lead. */
export const otaModules: readonly Module[] = [
  otaModule,
  softwareModule,
  ...signingModules,
  ...alarmModules,
  ...graphModules,
]
