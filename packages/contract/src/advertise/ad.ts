import * as z from 'zod'
import type { Contract } from '../core/endpoint.ts'
import { choice, id, optional, search } from '../core/fields.ts'
import { createPageSchema, sortedPage, timeRange } from '../core/page.ts'
import { declareSwitches } from '../core/switches.ts'
import { AdInput, AdUpdate, AuditInput, fileId } from './ad-input.ts'
import {
  AD_FILE_PURPOSES,
  AD_TODO,
  AD_TYPES,
  AUDIT_STATUS,
  ENABLE_STATUS,
  MAX_TAG_LENGTH,
  ORIENTATION,
  PROBE_STATE,
  AD_VALIDITY,
  VERSION_STATUS,
} from './ad-rules.ts'

const date = z.string().regex(/^\d{4}-\d{2}-\d{2}$/)
const named = z.object({ id: z.string(), name: z.string(), url: z.string(), size: z.int() })

const StoredUpload = named.extend({ md5: z.string(), sha1: z.string(), sha256: z.string() })

/** Facts of an uploaded file, read by the server. */
export const AdMaterial = z.object({
  fileId: z.string(),
  fileName: z.string().meta({ title: '文件名' }),
  url: z.string(),
  thumbUrl: z.string(),
  probeState: z.int().meta({ title: '解析', labels: PROBE_STATE }),
  probeError: z.string().meta({ title: '原因' }),
  mime: z.string(),
  sha256: z.string(),
  size: z.int().meta({ title: '大小' }),
  width: z.int().meta({ title: '宽' }),
  height: z.int().meta({ title: '高' }),
  durationMs: z.int().meta({ title: '时长' }),
  codec: z.string().meta({ title: '编码' }),
  fps: z.number().meta({ title: '帧率' }),
  bitrate: z.int().meta({ title: '码率' }),
  hasAudio: z.int().meta({ title: '声音' }),
})
export type AdMaterial = z.output<typeof AdMaterial>

export const AdRow = z.object({
  id: z.int().meta({ title: '编号' }),
  adName: z.string().meta({ title: '广告名称' }),
  adType: z.int().meta({ title: '类型', labels: AD_TYPES }),
  orientation: z.int().meta({ title: '适用屏幕', labels: ORIENTATION }),
  duration: z.int().meta({ title: '时长' }),
  /** Sizes of the renditions as text: `1920×1080、1080×1920`. */
  spec: z.string().meta({ title: '规格' }),
  /** Bytes of all renditions. */
  fileBytes: z.number(),
  thumbUrl: z.string().meta({ title: '缩略图' }),
  /** Codec of the first file; empty for no file or no codec. */
  codec: z.string(),
  advertiser: z.string().meta({ title: '广告主' }),
  contractNo: z.string().meta({ title: '合同编号' }),
  categoryId: z.int().nullable().meta({ title: '广告类别' }),
  validFrom: date.nullable().meta({ title: '有效期开始' }),
  validTo: date.nullable().meta({ title: '有效期' }),
  tags: z.array(z.string()).meta({ title: '标签' }),
  auditStatus: z.int().meta({ title: '审核状态', labels: AUDIT_STATUS }),
  enableStat: z.int().meta({ title: '状态', labels: ENABLE_STATUS }),
  verNo: z.int().meta({ title: '版本' }),
  /** Number of the version that plays; 0: none. */
  approvedVer: z.int().meta({ title: '已通过的版本' }),
  /** True after the last valid day of the ad or of its approval number. */
  isExpired: z.boolean(),
  /** Number of programs that use the ad. */
  refCount: z.int().meta({ title: '引用' }),
  /** True when programs for tenants outside the caller's data scope use the ad: the caller may only read it. */
  isBeyondScope: z.boolean(),
  tenantName: z.string().meta({ title: '所属客户' }),
  createName: z.string().meta({ title: '创建人' }),
  /**
   * Reason why the caller may not audit the submitted version. Empty when the caller may audit it, and before the
   * first submission.
   */
  auditRefusal: z.string(),
  /** Remark of the last rejection; empty unless the content is rejected. */
  auditRemark: z.string().meta({ title: '审核意见' }),
  createTime: z.string().meta({ title: '创建时间' }),
  updateTime: z.string().meta({ title: '更新时间' }),
  rev: z.int(),
})
export type AdRow = z.output<typeof AdRow>

/** Submitted content of an ad. */
export const AdVersionRow = z.object({
  verNo: z.int().meta({ title: '版本' }),
  contentHash: z.string().meta({ title: '内容校验值' }),
  auditStatus: z.int().meta({ title: '审核状态', labels: VERSION_STATUS }),
  auditRemark: z.string().meta({ title: '审核意见' }),
  checks: z.array(z.string()),
  submitName: z.string().meta({ title: '提交人' }),
  submitTime: z.string().meta({ title: '提交时间' }),
  auditName: z.string().meta({ title: '审核人' }),
  auditTime: z.string().nullable().meta({ title: '审核时间' }),
  /** Description of the content, one entry per field, for the comparison of versions. */
  content: z.array(z.object({ field: z.string(), title: z.string(), value: z.string() })),
  files: z.array(AdMaterial),
})
export type AdVersionRow = z.output<typeof AdVersionRow>

export const AdDetail = AdRow.extend({
  linkUrl: z.string().meta({ title: '网址' }),
  text: z
    .object({
      content: z.string(),
      fontSize: z.int(),
      color: z.string(),
      background: z.string(),
      align: z.enum(['left', 'center', 'right']),
      scroll: z.boolean(),
      speed: z.int(),
    })
    .nullable(),
  approvalNo: z.string().meta({ title: '广告批准文号' }),
  approvalUntil: date.nullable().meta({ title: '批准文号有效期' }),
  proofs: z.array(named),
  materials: z.array(AdMaterial),
  /**
   * Words of the dictionary `ad_banned_words` that the name and the text contain. These words are shown as a hint and
   * do not block the ad.
   */
  bannedWords: z.array(z.string()),
})
export type AdDetail = z.output<typeof AdDetail>

export const AdQuery = sortedPage(['adName', 'duration', 'validTo', 'createTime', 'updateTime']).extend({
  adName: search('广告名称', 32),
  adType: optional(choice('类型', AD_TYPES)),
  auditStatus: optional(choice('审核状态', AUDIT_STATUS)),
  advertiser: search('广告主', 50),
  validity: optional(choice('有效期', AD_VALIDITY)),
  enableStat: optional(choice('状态', ENABLE_STATUS)),
  /** 1: only ads with an approved version that is enabled and valid, for programs. */
  usable: optional(choice('可编排', { 1: '可编入节目单' })),
  tag: search('标签', MAX_TAG_LENGTH),
  todo: optional(choice('待办', AD_TODO)),
  ...timeRange,
})
const byId = z.object({ id })

/** Ads (`/advertiseManage/adList`). */
export const ads = {
  list: {
    method: 'GET',
    path: '/api/v1/advertise/ad/page',
    access: 'advertiseManage:adList:list',
    input: AdQuery,
    result: createPageSchema(AdRow),
  },
  get: {
    method: 'GET',
    path: '/api/v1/advertise/ad/:id',
    access: 'advertiseManage:adList:query',
    input: byId,
    result: AdDetail,
  },
  /** Submitted versions, newest first. */
  versions: {
    method: 'GET',
    path: '/api/v1/advertise/ad/:id/versions',
    access: 'advertiseManage:adList:query',
    input: byId,
    result: z.object({ list: z.array(AdVersionRow) }),
  },
  /** Signed queries of the pages of packages, by the sha256 of the archive; valid for a minute. */
  preview: {
    method: 'GET',
    path: '/api/v1/advertise/ad/:id/preview',
    access: 'advertiseManage:adList:query',
    input: byId,
    result: z.object({ packages: z.array(z.object({ sha256: z.string(), query: z.string() })) }),
  },
  create: {
    method: 'POST',
    path: '/api/v1/advertise/ad',
    access: 'advertiseManage:adList:add',
    title: '新增广告',
    body: 'json',
    input: AdInput,
    result: z.object({ id: z.int() }),
    done: '新增成功',
  },
  update: {
    method: 'PUT',
    path: '/api/v1/advertise/ad',
    access: 'advertiseManage:adList:edit',
    title: '修改广告',
    body: 'json',
    input: AdUpdate,
    result: z.object({ rev: z.int(), auditStatus: z.int() }),
    done: '修改成功',
  },
  remove: {
    method: 'DELETE',
    path: '/api/v1/advertise/ad/:id',
    access: 'advertiseManage:adList:remove',
    title: '删除广告',
    input: byId,
    result: z.null(),
    done: '删除成功',
  },
  /**
   * Uploads one file in a single request. Large files are uploaded in parts (`system/file.ts`) with the same purposes.
   */
  upload: {
    method: 'POST',
    path: '/api/v1/advertise/ad/upload',
    access: 'advertiseManage:adList:upload',
    body: 'multipart',
    title: '上传广告素材',
    log: false,
    input: z.object({ purpose: z.enum([...AD_FILE_PURPOSES, 'adPoster'], '请选择素材类型') }),
    result: StoredUpload,
    done: '素材上传成功',
  },
  /** State and facts of an uploaded file. */
  probe: {
    method: 'GET',
    path: '/api/v1/advertise/ad/probe/:fileId',
    access: 'advertiseManage:adList:upload',
    input: z.object({ fileId }),
    result: AdMaterial,
  },
  submit: {
    method: 'POST',
    path: '/api/v1/advertise/ad/submit/:id',
    access: 'advertiseManage:adList:submit',
    title: '提交广告审核',
    kind: 'edit',
    input: byId,
    /** `hasAuditor` is false when no other account may audit the version. */
    result: z.object({ verNo: z.int(), contentHash: z.string(), hasAuditor: z.boolean() }),
    done: '已提交审核',
  },
  withdraw: {
    method: 'POST',
    path: '/api/v1/advertise/ad/withdraw/:id',
    access: 'advertiseManage:adList:submit',
    title: '撤回广告审核',
    kind: 'edit',
    input: byId,
    result: z.null(),
    done: '已撤回',
  },
  audit: {
    method: 'POST',
    path: '/api/v1/advertise/ad/audit',
    access: 'advertiseManage:adList:audit',
    title: '审核广告',
    kind: 'edit',
    body: 'json',
    input: AuditInput,
    result: z.null(),
    done: '审核完成',
  },
  ...declareSwitches('/api/v1/advertise/ad', 'advertiseManage:adList:enable', '广告'),
} as const satisfies Contract
