import * as z from 'zod'
import type { Contract } from '../core/endpoint.ts'
import { choice, id, optional, search } from '../core/fields.ts'
import { declareOptions } from '../core/options.ts'
import { createPageSchema, pageQuery } from '../core/page.ts'
import { ManifestSchema } from './manifest-schema.ts'
import { addProgramChecks, ProgramDraftInput } from './program-input.ts'
import { PROGRAM_TARGET_NAME } from './program-words.ts'

const AD_TYPE_NAME = { 1: '图片', 2: '视频', 3: '音频', 4: '文字', 5: '网页', 6: 'HTML素材包' } as const
/** Maximum number of ads of one preview: the ads of all programs of a screen. */
const MAX_PREVIEWED_ADS = 5000
const access = 'advertiseManage:ProgramList:query'

/** An approved ad that the editor offers. */
export const OfferedAd = z.object({
  id: z.int(),
  adName: z.string(),
  adType: z.int().meta({ labels: AD_TYPE_NAME }),
  orientation: z.int(),
  /** Seconds. */
  duration: z.int(),
  advertiser: z.string(),
  thumbUrl: z.string(),
  /** Codec of the first file; empty for no file or no codec. */
  codec: z.string(),
  validTo: z
    .string()
    .regex(/^\d{4}-\d{2}-\d{2}$/)
    .nullable(),
})
export type OfferedAdRow = z.output<typeof OfferedAd>

/** Options of the program editor. */
export const programOptions = {
  /** Approved and enabled ads that are not expired. */
  ads: {
    method: 'GET',
    path: '/api/v1/advertise/program/option/ad',
    access,
    input: pageQuery.extend({
      keyword: search('关键字', 32),
      adType: optional(choice('类型', AD_TYPE_NAME)),
      /** Tenant of the program. */
      tenantId: optional(id),
    }),
    result: createPageSchema(OfferedAd),
  },
  /** Ads that programs use, for the filter of the list. The ad `adId` is among them. */
  usedAds: declareOptions('/api/v1/advertise/program/option/usedAd', 'advertiseManage:ProgramList:list', {
    asked: { adId: optional(id) },
  }),
  /**
   * Paired screens, groups, models or tenants. A search for devices that matches no paired screen returns the unpaired
   * devices that it matches, to accounts that may pair screens or list devices. `hasScreen` is false for an unpaired
   * device, and for a group, model or tenant without a paired screen.
   */
  targets: declareOptions('/api/v1/advertise/program/option/target', access, {
    row: { detail: z.string(), hasScreen: z.boolean() },
    asked: { targetType: choice('投放对象', PROGRAM_TARGET_NAME), tenantId: optional(id) },
  }),
  /** Paired screens by serial number or name. A search without a paired screen returns unpaired devices, as above. */
  screens: declareOptions('/api/v1/advertise/program/option/screen', access, {
    row: { devName: z.string(), hasScreen: z.boolean() },
  }),
  /**
   * Returns for the preview the addresses of the files of approved ads. For HTML packages, returns the signed query
   * string too.
   */
  files: {
    method: 'POST',
    path: '/api/v1/advertise/program/files',
    access,
    body: 'json',
    log: false,
    perMinute: 120,
    input: z.object({ adIds: z.array(id, '广告不正确').max(MAX_PREVIEWED_ADS, '广告过多').meta({ title: '广告' }) }),
    result: z.object({
      files: z.array(z.object({ sha256: z.string(), url: z.string() })),
      packages: z.array(z.object({ sha256: z.string(), query: z.string() })),
    }),
  },
  /** Manifest of a screen as if the given content were published: for the preview and the 24-hour strip. */
  manifest: {
    method: 'POST',
    path: '/api/v1/advertise/program/manifest',
    access,
    body: 'json',
    log: false,
    perMinute: 120,
    input: addProgramChecks(
      ProgramDraftInput.extend({
        /** Absent: only this program plays. */
        deviceId: optional(id),
      }),
    ),
    result: ManifestSchema.extend({
      /** Names of the programs that exceed the capacity of the screen and therefore do not play. */
      left: z.array(z.string()),
    }),
  },
} as const satisfies Contract
