import { otaImages } from '@oms/contract/ota/app-image.ts'
import { ota } from '@oms/contract/ota/ota.ts'
import { otaGraph, softwareGraph } from '@oms/contract/ota/ota-graph.ts'
import { otaAlarms, otaSigning, softwareAlarms, softwareSigning } from '@oms/contract/ota/ota-signing.ts'
import { software } from '@oms/contract/ota/software.ts'
import { handlerWith, implement, type Module } from '#core/http/implement.ts'
import { image } from './files/ota-image.service.ts'
import * as alarm from './ota-alarm.service.ts'
import { disable, enable } from './ota-enable.service.ts'
import { exportFirmware, exportSoftware } from './ota-export.service.ts'
import { type ArtifactKind, FIRMWARE, SOFTWARE } from './ota-artifact-kind.ts'
import * as graph from './ota-graph.service.ts'
import { get, list } from './ota-list.service.ts'
import { create, remove, update } from './ota-save.service.ts'
import * as signing from './files/ota-signing.service.ts'
import { upload } from './files/ota-upload.service.ts'

const servicesOf = (artifact: ArtifactKind) => ({
  list: handlerWith(artifact, list),
  get: handlerWith(artifact, get),
  create: handlerWith(artifact, create),
  update: handlerWith(artifact, update),
  remove: handlerWith(artifact, remove),
  enable: handlerWith(artifact, enable),
  disable: handlerWith(artifact, disable),
  upload,
})
const outsideTransaction = ['enable', 'upload'] as const

const otaModule = implement(ota, { ...servicesOf(FIRMWARE), export: exportFirmware }, { outsideTransaction })
const imageModule = implement(otaImages, { get: image }, { outsideTransaction: ['get'] })
const softwareModule = implement(software, { ...servicesOf(SOFTWARE), export: exportSoftware }, { outsideTransaction })

const signingOf = (artifact: ArtifactKind) => ({
  get: handlerWith(artifact, signing.get),
  keys: signing.keys,
  verify: handlerWith(artifact, signing.verify),
  prepare: handlerWith(artifact, signing.prepare),
  sign: handlerWith(artifact, signing.sign),
})
const signingModules = [
  implement(otaSigning, signingOf(FIRMWARE), { outsideTransaction: ['verify'] }),
  implement(softwareSigning, signingOf(SOFTWARE), { outsideTransaction: ['verify'] }),
]

const alarmsOf = (artifact: ArtifactKind) => ({
  list: handlerWith(artifact, alarm.list),
  close: handlerWith(artifact, alarm.close),
})
const alarmModules = [implement(otaAlarms, alarmsOf(FIRMWARE)), implement(softwareAlarms, alarmsOf(SOFTWARE))]
const graphModules = [
  implement(otaGraph, { get: handlerWith(FIRMWARE, graph.get) }, { outsideTransaction: ['get'] }),
  implement(softwareGraph, { get: handlerWith(SOFTWARE, graph.get) }, { outsideTransaction: ['get'] }),
]

/** Modules for firmware and general software with their signing keys, alarms and upgrade graphs. */
export const otaModules: readonly Module[] = [
  otaModule,
  imageModule,
  softwareModule,
  ...signingModules,
  ...alarmModules,
  ...graphModules,
]
