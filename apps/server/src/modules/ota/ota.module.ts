import { otaImages } from '@oms/contract/ota/app-image.ts'
import { ota } from '@oms/contract/ota/ota.ts'
import { otaAlarms, otaSigning, softwareAlarms, softwareSigning } from '@oms/contract/ota/ota-signing.ts'
import { software } from '@oms/contract/ota/software.ts'
import { bindHandler, implement, type Module } from '#core/http/implement.ts'
import { getImage } from './files/ota-image.service.ts'
import * as alarm from './ota-alarm.service.ts'
import { disableVersion, enableVersion } from './ota-enable.service.ts'
import { exportFirmware, exportSoftware } from './ota-export.service.ts'
import { type ArtifactKind, FIRMWARE_KIND, SOFTWARE_KIND } from './ota-artifact-kind.ts'
import { getVersion, listVersions } from './ota-list.service.ts'
import { createVersion, removeVersion, updateVersion } from './ota-save.service.ts'
import * as signing from './files/ota-signing.service.ts'
import { uploadComponent } from './files/ota-upload.service.ts'

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

const otaModule = implement(ota, { ...servicesOf(FIRMWARE_KIND), export: exportFirmware }, { outsideTransaction })
const imageModule = implement(otaImages, { get: getImage }, { outsideTransaction: ['get'] })
const softwareModule = implement(
  software,
  { ...servicesOf(SOFTWARE_KIND), export: exportSoftware },
  { outsideTransaction },
)

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
  list: bindHandler(artifact, alarm.listAlarms),
  close: bindHandler(artifact, alarm.closeAlarm),
})
const alarmModules = [implement(otaAlarms, alarmsOf(FIRMWARE_KIND)), implement(softwareAlarms, alarmsOf(SOFTWARE_KIND))]

/** Modules for firmware and general software with their signing keys and alarms. */
export const otaModules: readonly Module[] = [
  otaModule,
  imageModule,
  softwareModule,
  ...signingModules,
  ...alarmModules,
]
