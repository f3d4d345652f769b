import * as z from 'zod'
import type { Contract } from '../core/endpoint.ts'

/** Application descriptor that the build of ESP-IDF writes into a firmware image. */
export const FirmwareImage = z.object({
  version: z.string().meta({ title: '镜像版本' }),
  project: z.string().meta({ title: '项目' }),
  /** Name of the chip, or its number when the chip is unknown. */
  chip: z.string().meta({ title: '芯片' }),
  idf: z.string().meta({ title: 'ESP-IDF' }),
  buildTime: z.string().meta({ title: '编译时间' }),
})
export type FirmwareImage = z.output<typeof FirmwareImage>

/** Call for the descriptor of an uploaded firmware image of a voice device. */
export const otaImages = {
  /** Returns the application descriptor of an uploaded ESP32 firmware image; null for any other file. */
  get: {
    method: 'GET',
    path: '/api/v1/device/ota/image/:fileId',
    access: 'upgrade:ota:uploadComp',
    input: z.object({
      fileId: z
        .string()
        .regex(/^[0-9a-f]{32}$/, '文件编号不正确')
        .meta({ title: '文件' }),
    }),
    result: z.object({ image: FirmwareImage.nullable() }),
  },
} as const satisfies Contract
