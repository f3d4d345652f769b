import { otaImages } from '@oms/contract/upgrade/app-image.ts'
import { ota } from '@oms/contract/upgrade/ota.ts'
import { otaAlarms, otaSigning, softwareAlarms, softwareSigning } from '@oms/contract/upgrade/ota-signing.ts'
import { software } from '@oms/contract/upgrade/software.ts'
import { bindHandler, implement, type Module } from '#core/http/implement.ts'
import { getImage } from './ota-image.ts'
import * as alarm from './ota-alarm.ts'
import { disableVersion, enableVersion } from './ota-enable.ts'
import { exportFirmware, exportSoftware } from './ota-export.ts'
import { type ArtifactKind, FIRMWARE_KIND, SOFTWARE_KIND } from './ota-artifact-kind.ts'
import { getVersion, listVersions } from './ota-list.ts'
import { createVersion, removeVersion, updateVersion } from './ota-save.ts'
import * as signing from './ota-signing.ts'
import { uploadComponent } from './ota-upload.ts'

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
