import { QuickModelInput, deviceModels } from '@oms/contract/device-model.ts'
import { OtaCreateInput, ota } from '@oms/contract/ota.ts'
import type { software } from '@oms/contract/software.ts'
import type { Kernel } from '#kernel/kernel.ts'
import { recordFile } from '#kernel/files/save-upload.ts'
import { quickCreate } from '#modules/device-model/device-model.service.ts'
import { disable, enable } from '#modules/ota/ota-enable.service.ts'
import { FIRMWARE } from '#modules/ota/ota-family.ts'
import { create } from '#modules/ota/ota-save.service.ts'
import { type Actor, act } from '../operator/act.ts'
import { DEVICES, FIXES, randomFrom, VERSIONS_PER_MODEL } from './vendor.ts'

const DAY_MS = 24 * 60 * 60 * 1000

/** Types, models, and for each model a line of versions: old ones switched off, the current one on, the newest a draft. */
export async function fillFirmware(kernel: Kernel, demo: Actor) {
  const models: { modelId: number; code: string }[] = []
  for (const [typeName, typeCode, list] of DEVICES) {
    let typeId: number | undefined
    for (const [modelName, code] of list) {
      const type = typeId === undefined ? { typeName, typeCode } : { typeId }
      const input = QuickModelInput.parse({ modelName, modelCode: code, ...type })
      const what = { name: 'quickCreate', ...deviceModels.quickCreate, input }
      const made = await act(kernel, demo, what, (ctx) => quickCreate(ctx, input))
      typeId = made.typeId
      models.push({ modelId: made.modelId, code })
    }
  }
  for (const [place, model] of models.entries())
    for (let step = 0; step < VERSIONS_PER_MODEL; step += 1) await addVersion(kernel, demo, { ...model, place, step })
}

interface Version {
  readonly modelId: number
  readonly code: string
  readonly place: number
  readonly step: number
}

async function addVersion(kernel: Kernel, demo: Actor, version: Version) {
  const { modelId, code, place, step } = version
  const released = new Date(kernel.now().getTime() - ((VERSIONS_PER_MODEL - step) * 45 - place * 2) * DAY_MS)
  const verCode = (place + 1) * 1000 + (step + 1) * 100
  const input = OtaCreateInput.parse({
    otaVersion: {
      modelId,
      verCode: String(verCode),
      verName: `${code} ${1 + place}.${step}.0`,
      buildDate: stamp(new Date(released.getTime() - 3 * DAY_MS)),
      releaseDate: stamp(released),
      description: FIXES[(FIXES.length - 1 - step + FIXES.length) % FIXES.length],
      ...(step > 0 && { oldVerMin: String(verCode - step * 100), oldVerMax: String(verCode - 100) }),
    },
    components: await componentsOf(kernel, demo, version),
  })
  const { otaId } = await act(kernel, demo, { name: 'create', ...ota.create, input }, (ctx) =>
    create(FIRMWARE)(ctx, input),
  )
  if (step === VERSIONS_PER_MODEL - 1) return
  const one = { otaId }
  await act(kernel, demo, { name: 'enable', ...ota.enable, input: one, outside: true }, (ctx) =>
    enable(FIRMWARE)(ctx, one),
  )
  if (step === 0)
    await act(kernel, demo, { name: 'disable', ...ota.disable, input: one }, (ctx) => disable(FIRMWARE)(ctx, one))
}

export const stamp = (date: Date) => date.toISOString().slice(0, 19).replace('T', ' ')

/** Small files with the same bytes at every start. */
async function componentsOf(kernel: Kernel, demo: Actor, { code, place, step }: Version) {
  const random = randomFrom(place * 100 + step)
  const firmware = Buffer.from(Array.from({ length: 24 * 1024 + random(8192) }, () => random(256)))
  const notes = Buffer.from(`${code} 版本说明\n${FIXES[step % FIXES.length]}\n`)
  const parts = [
    ['固件包', 2, `${code.toLowerCase()}-${1 + place}.${step}.0.bin`, firmware],
    ['版本说明', 1, `${code.toLowerCase()}-${1 + place}.${step}.0.txt`, notes],
  ] as const
  return uploaded(kernel, demo, ota.upload, step % 2 === 0 ? parts : parts.slice(0, 1))
}

/** Name, type, file name and bytes of a component. */
type Part = readonly [name: string, type: number, fileName: string, bytes: Buffer]

/** Uploads files as a person does, and answers them as the components of a version. */
export async function uploaded(
  kernel: Kernel,
  demo: Actor,
  upload: typeof ota.upload | typeof software.upload,
  parts: readonly Part[],
) {
  const sent: object[] = []
  for (const [name, type, fileName, bytes] of parts) {
    const stored = await kernel.files.put(once(bytes))
    const what = { name: 'upload', ...upload, input: {} }
    const { url } = await act(kernel, demo, what, (ctx) =>
      recordFile(ctx, { purpose: 'component', name: fileName, stored }),
    )
    sent.push({ name, type, url })
  }
  return sent
}

async function* once(bytes: Buffer) {
  yield bytes
}
