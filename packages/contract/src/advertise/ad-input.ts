import * as z from 'zod'
import { AD_TYPE } from './engine/manifest.ts'
import { choice, day, id, note, noteLine, optional, rev, textLine, whole, wholeWithin } from '../core/fields.ts'
import {
  AD_MESSAGES,
  AD_TYPES,
  CHECKLIST,
  type CheckPoint,
  MAX_MATERIALS,
  MAX_PROOFS,
  MAX_SECONDS,
  MAX_TAG_LENGTH,
  MAX_TAGS,
  ORIENTATION,
} from './ad-rules.ts'
import { findWebAddressProblem } from './web-address.ts'

/** Id of an uploaded file. */
export const fileId = z.string('文件编号不正确').regex(/^[0-9a-f]{32}$/, '文件编号不正确')
const color = (title: string, standard: string) =>
  z
    .string(AD_MESSAGES.color)
    .regex(/^#[0-9a-fA-F]{6}$/, AD_MESSAGES.color)
    .default(standard)
    .meta({ title })

/** Content of a text ad. */
export const AdTextInput = z.object({
  content: z
    .string(AD_MESSAGES.text)
    .trim()
    .min(1, AD_MESSAGES.text)
    .max(500, '文字内容不能超过500个字符')
    .meta({ title: '文字内容', max: 500 }),
  fontSize: whole('字号', 12, 400).default(96).meta({ title: '字号' }),
  color: color('文字颜色', '#ffffff'),
  background: color('背景颜色', '#10243e'),
  align: z.enum(['left', 'center', 'right'], '请选择对齐方式').default('center').meta({ title: '对齐方式' }),
  /** A switch of a form sends 1 or 0. */
  scroll: z
    .preprocess((value) => (value === 1 ? true : value === 0 ? false : value), z.boolean('请选择是否滚动'))
    .default(false)
    .meta({ title: '滚动' }),
  speed: whole('滚动速度', 1, 10).default(5).meta({ title: '滚动速度' }),
})

const adName = textLine('广告名称', 32, undefined, AD_MESSAGES.nameLength)

const adFields = {
  adName,
  adType: choice('广告类型', AD_TYPES),
  orientation: choice('适用屏幕', ORIENTATION).default(0).meta({ title: '适用屏幕', labels: ORIENTATION }),
  /** Seconds; ignored for video and audio, which use the duration of the file. */
  duration: whole('播放时长', 1, MAX_SECONDS).default(10).meta({ title: '播放时长' }),
  linkUrl: note('网址', 255),
  text: optional(AdTextInput).meta({ title: '文字' }),
  advertiser: note('广告主', 50),
  contractNo: noteLine('合同编号', 50),
  categoryId: optional(whole('广告类别', 1, 9999)).meta({ title: '广告类别' }),
  approvalNo: noteLine('广告批准文号', 50),
  approvalUntil: optional(day('批准文号有效期')),
  proofs: z
    .array(fileId, '证明文件不正确')
    .max(MAX_PROOFS, `证明文件最多${MAX_PROOFS}个`)
    .default([])
    .meta({ title: '证明文件' }),
  validFrom: optional(day('有效期开始')),
  validTo: optional(day('有效期结束')),
  tags: z
    .array(textLine('标签', MAX_TAG_LENGTH, '标签不正确'), '标签不正确')
    .max(MAX_TAGS, `标签最多${MAX_TAGS}个`)
    .default([])
    .meta({ title: '标签' }),
  /** Uploaded renditions of one creative, in order; `posterId` is the picture that the browser captured of a video. */
  materials: z
    .array(z.object({ fileId, posterId: optional(fileId) }), '素材不正确')
    .max(MAX_MATERIALS, `素材最多${MAX_MATERIALS}个`)
    .default([])
    .meta({ title: '素材' }),
}
export const AdFields = z.object(adFields)
type Saved = z.output<typeof AdFields>

/** Adds the rules that concern several fields. The server also checks files, category and host. */
const consistent = <T extends z.ZodType<Saved>>(schema: T) =>
  schema.superRefine((ad, ctx) => {
    const refuse = (message: string, path: string) => ctx.addIssue({ code: 'custom', message, path: [path] })
    if (ad.validFrom && ad.validTo && ad.validTo < ad.validFrom) refuse(AD_MESSAGES.dates, 'validTo')
    if (ad.adType === AD_TYPE.text && !ad.text) refuse(AD_MESSAGES.text, 'text')
    const addressProblem = ad.adType === AD_TYPE.web ? findWebAddressProblem(ad.linkUrl) : undefined
    if (addressProblem) refuse(addressProblem, 'linkUrl')
  })
export const AdInput = consistent(AdFields)
/** A save that leaves an ad with files without any file needs `confirmRemoval` 1, so that no caller removes them by mistake. */
export const AdUpdate = consistent(
  AdFields.extend({ id, rev, confirmRemoval: wholeWithin(0, 1, '移除确认不正确').default(0) }),
)

/** Decision on one content, identified by its hash. */
export const AuditInput = z.object({
  id,
  verNo: whole('版本', 1, 2_147_483_647),
  contentHash: z.string(AD_MESSAGES.changed).regex(/^[0-9a-f]{64}$/, AD_MESSAGES.changed),
  auditStatus: choice('审核结果', { 2: '通过', 3: '驳回' }),
  remark: note('审核意见', 200),
  checks: z
    .array(z.enum(Object.keys(CHECKLIST) as [CheckPoint, ...CheckPoint[]], AD_MESSAGES.checks), AD_MESSAGES.checks)
    .max(Object.keys(CHECKLIST).length, AD_MESSAGES.checks)
    .default([])
    .meta({ title: '审核要点' }),
})
