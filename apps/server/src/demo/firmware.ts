import { QuickModelInput, deviceModels } from '@oms/contract/device/device-model.ts'
import { OtaCreateInput, ota } from '@oms/contract/upgrade/ota.ts'
import type { software } from '@oms/contract/upgrade/software.ts'
import type { Services } from '#core/services.ts'
import { insertFileRow } from '#core/storage/save-upload.ts'
import { createModelQuickly } from '#modules/device/model-choices.ts'
import { disableVersion, enableVersion } from '#modules/upgrade/versions/version-enable.ts'
import { FIRMWARE_KIND } from '#modules/upgrade/artifact-kind.ts'
import { createVersion } from '#modules/upgrade/versions/version-save.ts'
import { type Actor, runAsActor } from '#core/auth/system-actor.ts'
import { putBytes } from '#core/storage/open-store.ts'
import { DEVICES, DEMO_FIXES, createRandom, VERSIONS_PER_MODEL } from './vendor.ts'

/** Makes the oldest version older than the oldest device of the demo. */
const DAYS_BETWEEN_VERSIONS = 110
const DAY_MS = 24 * 60 * 60 * 1000

/**
 * Creates device types, models, and for each model several versions: old versions disabled, the current enabled, the
 * newest a draft.
 */
export async function seedDemoFirmware(services: Services, demo: Actor) {
  const models: { modelId: number; code: string }[] = []
  for (const [typeName, typeCode, list] of DEVICES) {
    let typeId: number | undefined
    for (const [modelName, code] of list) {
      const type = typeId === undefined ? { typeName, typeCode } : { typeId }
      const input = QuickModelInput.parse({ modelName, modelCode: code, ...type })
      const what = { name: 'quickCreate', ...deviceModels.quickCreate, input }
      const made = await runAsActor(services, demo, what, (ctx) => createModelQuickly(ctx, input))
      typeId = made.typeId
      models.push({ modelId: made.modelId, code })
    }
  }
  for (const [place, model] of models.entries())
    for (let step = 0; step < VERSIONS_PER_MODEL; step += 1) await addVersion(services, demo, { ...model, place, step })
}

interface Version {
  readonly modelId: number
  readonly code: string
  readonly place: number
  readonly step: number
}

async function addVersion(services: Services, demo: Actor, version: Version) {
  const { modelId, code, place, step } = version
  const released = new Date(
    services.now().getTime() - ((VERSIONS_PER_MODEL - step) * DAYS_BETWEEN_VERSIONS - place * 2) * DAY_MS,
  )
  const verCode = (place + 1) * 1000 + (step + 1) * 100
  const input = OtaCreateInput.parse({
    otaVersion: {
      modelId,
      verCode: String(verCode),
      verName: `${code} ${1 + place}.${step}.0`,
      buildDate: isoDateTime(new Date(released.getTime() - 3 * DAY_MS)),
      releaseDate: isoDateTime(released),
      description: DEMO_FIXES[(DEMO_FIXES.length - 1 - step + DEMO_FIXES.length) % DEMO_FIXES.length],
      ...(step > 0 && { oldVerMin: String(verCode - step * 100), oldVerMax: String(verCode - 100) }),
    },
    components: await componentsOf(services, demo, version),
  })
  const { otaId } = await runAsActor(services, demo, { name: 'create', ...ota.create, input }, (ctx) =>
    createVersion(ctx, FIRMWARE_KIND, input),
  )
  if (step === VERSIONS_PER_MODEL - 1) return
  const one = { otaId }
  await runAsActor(services, demo, { name: 'enable', ...ota.enable, input: one, outside: true }, (ctx) =>
    enableVersion(ctx, FIRMWARE_KIND, one),
  )
  if (step === 0)
    await runAsActor(services, demo, { name: 'disable', ...ota.disable, input: one }, (ctx) =>
      disableVersion(ctx, FIRMWARE_KIND, one),
    )
}

export const isoDateTime = (date: Date) => date.toISOString().slice(0, 19).replace('T', ' ')

/** Returns small component files with the same bytes at every start. */
async function componentsOf(services: Services, demo: Actor, { code, place, step }: Version) {
  const random = createRandom(place * 100 + step)
  const firmware = Buffer.from(Array.from({ length: 24 * 1024 + random(8192) }, () => random(256)))
  const notes = Buffer.from(`${code} 版本说明\n${DEMO_FIXES[step % DEMO_FIXES.length]}\n`)
  const parts = [
    ['固件包', 2, `${code.toLowerCase()}-${1 + place}.${step}.0.bin`, firmware],
    ['版本说明', 1, `${code.toLowerCase()}-${1 + place}.${step}.0.txt`, notes],
  ] as const
  return uploadComponents(services, demo, ota.upload, step % 2 === 0 ? parts : parts.slice(0, 1))
}

/** Name, type, file name and bytes of a component. */
type Part = readonly [name: string, type: number, fileName: string, bytes: Buffer]

/** Uploads files and returns the components of a version. */
export async function uploadComponents(
  services: Services,
  demo: Actor,
  upload: typeof ota.upload | typeof software.upload,
  parts: readonly Part[],
) {
  const sent: object[] = []
  for (const [name, type, fileName, bytes] of parts) {
    const stored = await putBytes(services.files, bytes)
    const what = { name: 'upload', ...upload, input: {} }
    const { url } = await runAsActor(services, demo, what, (ctx) =>
      insertFileRow(ctx, { purpose: 'component', name: fileName, stored }),
    )
    sent.push({ name, type, url })
  }
  return sent
}
