import { AD_TYPE } from './engine/manifest.ts'
import { readFileType, UPLOAD } from '../core/upload.ts'

export const AD_TYPES = { 1: '图片', 2: '视频', 3: '音频', 4: '文字', 5: '网页', 6: 'HTML素材包' } as const
export const ORIENTATION = { 0: '不限', 1: '横屏', 2: '竖屏' } as const
/** State of the edited content of an ad. */
export const AUDIT_STATUS = { 0: '草稿', 1: '待审核', 2: '已通过', 3: '已驳回' } as const
/** State of a submitted version. */
export const VERSION_STATUS = { 0: '已撤回', 1: '待审核', 2: '已通过', 3: '已驳回' } as const
export const ENABLE_STATUS = { 1: '已启用', 0: '已停用' } as const
/** Result of reading an uploaded file. */
export const PROBE_STATE = { 0: '解析中', 1: '已解析', 2: '无法使用' } as const
export const AD_VALIDITY = { 1: '未开始', 2: '有效期内', 3: '已过期' } as const
/** Values of the filter for submitted ads that the account may review. */
export const AD_TODO = { 1: '待我审核的广告' } as const

/** Values of the dictionary `ad_category` whose ads need an approval number of the authorities. */
export const APPROVAL_CATEGORIES: readonly number[] = [11, 12, 13, 14, 15, 16]
export const needsApproval = (categoryId: number | null | undefined) =>
  categoryId != null && APPROVAL_CATEGORIES.includes(categoryId)

/** Kinds of ads that consist of uploaded files, with the purpose of the upload. */
export const MATERIAL_PURPOSE: Readonly<Record<number, AdFilePurpose>> = {
  [AD_TYPE.image]: 'adImage',
  [AD_TYPE.video]: 'adVideo',
  [AD_TYPE.audio]: 'adAudio',
  [AD_TYPE.package]: 'adPackage',
}
export const AD_FILE_PURPOSES = ['adImage', 'adVideo', 'adAudio', 'adPackage'] as const
export type AdFilePurpose = (typeof AD_FILE_PURPOSES)[number]

/** Returns the type of ad whose files have the extension of this file. */
export function findTypeOfFile(name: string): number | undefined {
  const extension = readFileType(name)
  const found = Object.entries(MATERIAL_PURPOSE).find(([, purpose]) =>
    (UPLOAD[purpose].extensions as readonly string[]).includes(extension),
  )
  return found && Number(found[0])
}

export const MAX_MATERIALS = 10
export const MAX_PROOFS = 5
export const MAX_TAGS = 10
export const MAX_TAG_LENGTH = 20
export const MAX_SECONDS = 3600
/** Maximum length in pixels of the longer and the shorter side of a video. */
export const MAX_VIDEO_SIDES = { long: 3840, short: 2160 } as const

/** Points that an auditor confirms before approval. */
export const CHECKLIST = {
  advertiser: '主体资格',
  truthful: '内容真实',
  wording: '无绝对化用语',
  approval: '专项批准文号与内容一致',
  suitable: '适合公共场所播放',
  quality: '画面与声音正常',
  webpage: '已在预览中确认网页可显示',
} as const
export type CheckPoint = keyof typeof CHECKLIST

/** Returns the points to confirm for a type of ad. Only web addresses have the last point. */
export const listChecks = (adType: number): readonly CheckPoint[] =>
  (Object.keys(CHECKLIST) as CheckPoint[]).filter((key) => key !== 'webpage' || adType === AD_TYPE.web)

export const AD_MESSAGES = {
  nameLength: '最多32个字符',
  https: '请输入 https 开头的网址',
  ownHost: '不能使用本系统的地址',
  credentials: '网址不能包含用户名或密码',
  port: '网址的端口应为 443 或不小于 1024',
  privateHost: '不能使用内网地址',
  text: '请输入文字内容',
  color: '颜色格式应为 #RRGGBB',
  dates: '结束日期不能早于开始日期',
  approval: '该类广告须填写广告批准文号、有效期并上传证明文件',
  noMaterial: '请先上传素材',
  probing: '素材正在解析，请稍后提交',
  removesAll: '保存将移除该广告的全部素材，请确认后再保存',
  material: '素材不存在或不属于当前客户，请重新上传',
  proof: '证明文件不存在或不属于当前客户，请重新上传',
  category: '广告类别不存在',
  submitted: '广告已提交审核，请先撤回再修改',
  notSubmitted: '广告未提交审核',
  alreadySubmitted: '广告已提交审核',
  unchanged: '广告内容未变更，无须重新提交',
  ownSubmission: '不能审核自己提交的广告，请由另一人审核',
  ownUpload: '素材由您上传，请由另一人审核',
  changed: '广告内容已变更，请刷新后重新审核',
  remark: '请填写驳回原因',
  checks: '请勾选全部审核要点',
  platformAudit: '该客户的广告由平台审核',
  tenantAudit: '该客户的广告由客户自行审核',
  beyondScope: '使用该广告的节目单投放到您数据范围之外的客户，您只能查看',
  damaged: '无法识别视频信息，请检查文件是否完整!',
  damagedAudio: '无法识别音频信息，请检查文件是否完整!',
  damagedImage: '无法识别图片，请检查文件是否完整!',
  videoLength: '视频时长须在1秒到1小时之间',
  audioLength: '音频时长须在1秒到1小时之间',
  videoSize: '视频分辨率不能超过3840×2160',
  pageMissing: '素材包缺少 index.html',
  pageBroken: '素材包内容不正确，请重新打包',
} as const

export const formatExternalReference = (address: string) => `素材包不能引用外部地址：${address}`
/** Returns the text for a package that breaks a rule. `problem` names the file and the rule. */
export const formatPackageProblem = (problem: string) => `素材包内容不正确：${problem}`
