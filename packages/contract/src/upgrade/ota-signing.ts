import * as z from 'zod'
import type { Contract } from '../core/endpoint.ts'
import { id } from '../core/fields.ts'
import { createPageSchema, pageQuery } from '../core/page.ts'

/** Validity of a signed manifest in years. Enabling the version again renews the signature. */
export const MANIFEST_YEARS = 5
export const SIGNING_STATE = { 0: '未签名', 1: '等待离线签名', 2: '已签名', 3: '签名无效' } as const

export const SIGNING_MESSAGES = {
  needed: '系统要求离线签名：请先生成清单，签名并上传后再启用',
  changed: '清单生成后版本内容有变化，请重新生成清单并签名',
  behind: '同一型号已有更新的清单启用，请重新生成清单并签名',
  expired: '清单已过期，请重新生成清单并签名',
  missing: '请先生成清单',
  wrong: '签名与清单不符，或签名的密钥未登记',
  enabled: '版本已启用，不能重新生成清单',
  signed: '离线签名的版本不能修改名称和适用范围，请先停用，修改后重新签名',
} as const

/** One check and its result. */
const Check = z.object({
  key: z.enum(['signature', 'content', 'expiry', 'bytes']),
  title: z.string(),
  ok: z.boolean(),
  words: z.string(),
})
export const ManifestView = z.object({
  otaId: z.int(),
  state: z.int().meta({ title: '签名状态', labels: SIGNING_STATE }),
  /** The bytes to sign; empty before the manifest exists. */
  manifest: z.string().meta({ title: '清单' }),
  signature: z.string().meta({ title: '签名' }),
  keyId: z.string().meta({ title: '密钥编号' }),
  isOwn: z.boolean().meta({ title: '由服务器签名' }),
  release: z.int().nullable().meta({ title: '发布序号' }),
  createTime: z.string().nullable().meta({ title: '生成时间' }),
  expireTime: z.string().nullable().meta({ title: '有效期至' }),
  /** True when only external signatures are valid, so that the server signs nothing. */
  detachedOnly: z.boolean(),
  checks: z.array(Check),
})
const Keys = z.object({
  detachedOnly: z.boolean(),
  keys: z.array(z.object({ keyId: z.string(), isOwn: z.boolean(), pem: z.string() })),
})

/** Base64 of the 64 bytes of an Ed25519 signature. */
const signature = z
  .string('请输入签名')
  .transform((text) => text.replaceAll(/\s/g, ''))
  .pipe(
    z
      .string()
      .min(1, '请输入签名')
      .regex(/^[A-Za-z0-9+/]{86}==$/, '签名应为 64 字节 Ed25519 签名的 Base64 文本'),
  )
  .meta({ title: '签名' })
const one = z.object({ otaId: id })
export const SignInput = z.object({ signature })

/** Signed manifests of versions: read, export for external signing, and verify. */
export const otaSigning = {
  get: {
    method: 'GET',
    path: '/api/v1/device/ota/manifest/:otaId',
    access: 'upgrade:ota:query',
    summary: '签名清单、签名、密钥编号与核对结论（不重读文件）',
    input: one,
    result: ManifestView,
  },
  keys: {
    method: 'GET',
    path: '/api/v1/device/ota/signing/keys',
    access: 'upgrade:ota:query',
    summary: '核对签名的公钥（PEM）；第一个是服务器自己的',
    input: z.object({}),
    result: Keys,
  },
  verify: {
    method: 'POST',
    path: '/api/v1/device/ota/manifest/verify/:otaId',
    access: 'upgrade:ota:query',
    summary: '重新读取全部组件文件，与清单比对',
    log: false,
    perMinute: 20,
    input: one,
    result: ManifestView,
  },
  prepare: {
    method: 'POST',
    path: '/api/v1/device/ota/manifest/prepare/:otaId',
    access: 'upgrade:ota:enable',
    title: '生成待签名清单',
    kind: 'edit',
    summary: '启用前生成清单，供离线签名；再次生成后以前的签名作废',
    input: one,
    result: ManifestView,
    done: '清单已生成',
  },
  sign: {
    method: 'POST',
    path: '/api/v1/device/ota/manifest/sign/:otaId',
    access: 'upgrade:ota:enable',
    title: '上传清单签名',
    kind: 'edit',
    summary: '上传对清单原文的 Ed25519 签名（Base64），公钥须已登记',
    input: one.extend(SignInput.shape),
    result: ManifestView,
    done: '签名已核对并保存',
  },
} as const satisfies Contract

export const softwareSigning = {
  get: {
    ...otaSigning.get,
    path: '/api/v1/device/software/manifest/:otaId',
    access: 'upgrade:GeneralSoftware:query',
  },
  keys: {
    ...otaSigning.keys,
    path: '/api/v1/device/software/signing/keys',
    access: 'upgrade:GeneralSoftware:query',
  },
  verify: {
    ...otaSigning.verify,
    path: '/api/v1/device/software/manifest/verify/:otaId',
    access: 'upgrade:GeneralSoftware:query',
  },
  prepare: {
    ...otaSigning.prepare,
    path: '/api/v1/device/software/manifest/prepare/:otaId',
    access: 'upgrade:GeneralSoftware:enable',
  },
  sign: {
    ...otaSigning.sign,
    path: '/api/v1/device/software/manifest/sign/:otaId',
    access: 'upgrade:GeneralSoftware:enable',
  },
} as const satisfies Contract

export const ALARM_KIND = { 1: '文件损坏', 2: '发布自动暂停', 3: '设备报告校验不一致', 4: '升级后回退' } as const
const Alarm = z.object({
  id: z.int(),
  otaId: z.int(),
  kind: z.int().meta({ title: '类型', labels: ALARM_KIND }),
  message: z.string().meta({ title: '内容' }),
  verName: z.string().meta({ title: '版本名称' }),
  verCode: z.int().meta({ title: '版本号' }),
  createTime: z.string().meta({ title: '时间' }),
})

/** Lists problems of versions that a user must review. */
export const otaAlarms = {
  list: {
    method: 'GET',
    path: '/api/v1/device/ota/alarm/list',
    access: 'upgrade:ota:list',
    summary: '未关闭的固件告警，最新在前',
    input: pageQuery,
    result: createPageSchema(Alarm),
  },
  close: {
    method: 'POST',
    path: '/api/v1/device/ota/alarm/close/:id',
    access: 'upgrade:ota:enable',
    title: '关闭固件告警',
    kind: 'edit',
    input: z.object({ id }),
    result: z.null(),
    done: '告警已关闭',
  },
} as const satisfies Contract

export const softwareAlarms = {
  list: {
    ...otaAlarms.list,
    path: '/api/v1/device/software/alarm/list',
    access: 'upgrade:GeneralSoftware:list',
    summary: '未关闭的软件包告警，最新在前',
  },
  close: {
    ...otaAlarms.close,
    path: '/api/v1/device/software/alarm/close/:id',
    access: 'upgrade:GeneralSoftware:enable',
    title: '关闭软件包告警',
  },
} as const satisfies Contract
