import { ota } from '@oms/contract/ota/ota.ts'
import { otaGraph, softwareGraph } from '@oms/contract/ota/ota-graph.ts'
import { otaAlarms, otaSigning, softwareAlarms, softwareSigning } from '@oms/contract/ota/ota-signing.ts'
import { software } from '@oms/contract/ota/software.ts'
import { implement, type Module } from '#core/http/implement.ts'
import * as alarm from './ota-alarm.service.ts'
import { disable, enable } from './ota-enable.service.ts'
import { exportFirmware, exportSoftware } from './ota-export.service.ts'
import { type ArtifactKind, FIRMWARE, SOFTWARE } from './ota-artifact-kind.ts'
import * as graph from './ota-graph.service.ts'
import { get, list } from './ota-list.service.ts'
import { create, remove, update } from './ota-save.service.ts'
import * as signing from './ota-signing.service.ts'
import { upload } from './ota-upload.service.ts'

const servicesOf = (artifact: ArtifactKind) => ({
  list: list(artifact),
  get: get(artifact),
  create: create(artifact),
  update: update(artifact),
  remove: remove(artifact),
  enable: enable(artifact),
  disable: disable(artifact),
  upload,
})
const outsideTransaction = ['enable', 'upload'] as const

const otaModule = implement(ota, { ...servicesOf(FIRMWARE), export: exportFirmware }, { outsideTransaction })
const softwareModule = implement(software, { ...servicesOf(SOFTWARE), export: exportSoftware }, { outsideTransaction })

const signingOf = (artifact: ArtifactKind) => ({
  get: signing.get(artifact),
  keys: signing.keys(),
  verify: signing.verify(artifact),
  prepare: signing.prepare(artifact),
  sign: signing.sign(artifact),
})
const signingModules = [
  implement(otaSigning, signingOf(FIRMWARE), { outsideTransaction: ['verify'] }),
  implement(softwareSigning, signingOf(SOFTWARE), { outsideTransaction: ['verify'] }),
]

const alarmsOf = (artifact: ArtifactKind) => ({ list: alarm.list(artifact), close: alarm.close(artifact) })
const alarmModules = [implement(otaAlarms, alarmsOf(FIRMWARE)), implement(softwareAlarms, alarmsOf(SOFTWARE))]
const graphModules = [
  implement(otaGraph, { get: graph.get(FIRMWARE) }, { outsideTransaction: ['get'] }),
  implement(softwareGraph, { get: graph.get(SOFTWARE) }, { outsideTransaction: ['get'] }),
]

/** Modules for firmware and general software with their signing keys, alarms and upgrade graphs. */
export const otaModules: readonly Module[] = [
  otaModule,
  softwareModule,
  ...signingModules,
  ...alarmModules,
  ...graphModules,
]
