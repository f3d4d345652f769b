import * as z from 'zod'
import { accountName, email, mobileNo } from '../account/account-fields.ts'
import { choice, dateTime, id, note, optional, reference, search, textLine, whole } from '../core/fields.ts'
import { sortedPage, timeRange } from '../core/page.ts'

/** Status of a tenant in lists: enabled, disabled or expired. */
export const TENANT_STATUS = { 1: '启用', 0: '停用', 3: '已过期' } as const
export const TENANT_LEVEL = { 1: '普通', 2: '重点', 3: '战略' } as const
export const COMPANY_SIZE = { 1: '20人以下', 2: '20-99人', 3: '100-499人', 4: '500人及以上' } as const
export const ALLOW_APPLY = { 1: '接受', 0: '不接受' } as const
/** Who reviews the ads of the tenant: staff of the platform, or the tenant itself. */
export const AD_PLATFORM_AUDIT = { 1: '平台', 0: '客户' } as const
/** Days before expiry at which the tenant and its managers are warned. */
export const EXPIRY_WARNING_DAYS = [30, 7] as const
/** Letters and digits that are not easily confused. */
export const JOIN_ALPHABET = 'ABCDEFGHJKMNPQRSTUVWXYZ23456789'

const CREDIT_ALPHABET = '0123456789ABCDEFGHJKLMNPQRTUWXY'
const CREDIT_WEIGHTS = [1, 3, 9, 27, 19, 26, 16, 17, 20, 29, 25, 13, 8, 24, 10, 30, 28]

/** Returns whether the text is a unified social credit code (GB 32100-2015) with a valid check digit. */
export function isCreditCode(code: string) {
  if (!/^[0-9A-HJ-NPQRTUWXY]{18}$/.test(code)) return false
  const sum = CREDIT_WEIGHTS.reduce((total, weight, at) => total + weight * CREDIT_ALPHABET.indexOf(code[at] ?? ''), 0)
  return CREDIT_ALPHABET[(31 - (sum % 31)) % 31] === code[17]
}

const PHONE = /^(?:1[3-9]\d{9}|(?:0\d{2,3}-?)?[2-9]\d{6,7}(?:-\d{1,6})?|400-?\d{3}-?\d{4}|\+\d{6,15})$/
const HOST = /^(?=.{1,100}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,}$/i

const quota = (title: string) => whole(title, -1, 100_000_000).default(-1).meta({ title })

const sceneIds = z
  .preprocess(
    (value) => (value === undefined || Array.isArray(value) ? value : [value]),
    z.array(id, '请选择业务场景').min(1, '请至少选择一个业务场景').max(100, '业务场景不能超过100个'),
  )
  .meta({ title: '业务场景' })

const fields = {
  name: textLine('客户名称', 50),
  shortName: note('简称', 20),
  industryId: reference('所属行业'),
  companySize: optional(choice('企业规模', COMPANY_SIZE)),
  contactName: textLine('联系人', 20),
  contactPhone: textLine('联系电话', 20)
    .regex(PHONE, '联系电话格式不正确，请输入手机号或带区号的座机号')
    .meta({ title: '联系电话', max: 20 }),
  contactEmail: optional(email).meta({ title: '联系邮箱', max: 50 }),
  licenseNumber: note('统一社会信用代码', 30)
    .transform((code) => code.toUpperCase())
    .refine((code) => code === '' || isCreditCode(code), '统一社会信用代码不正确，请核对18位代码')
    .meta({ title: '统一社会信用代码', max: 30 }),
  areaCode: note('行政区划代码', 12)
    .refine((code) => /^(\d{6}|\d{9}|\d{12})?$/.test(code), '行政区划代码应为6、9或12位数字')
    .meta({ title: '行政区划代码', max: 12 }),
  address: note('地址', 200),
  logo: note('客户标志', 255)
    .refine((url) => /^(\/api\/v1\/file\/[0-9a-f]{32})?$/.test(url), '客户标志不正确，请重新上传')
    .meta({ title: '客户标志', max: 255 }),
  domain: note('域名', 200)
    .refine((list) => parseHosts(list).every((host) => HOST.test(host)), '域名格式不正确，多个域名用逗号分隔')
    .meta({ title: '域名', max: 200 }),
  sceneIds,
  allowApply: choice('加入申请', ALLOW_APPLY).default(1).meta({ title: '加入申请', labels: ALLOW_APPLY }),
  adPlatformAudit: choice('广告审核方', AD_PLATFORM_AUDIT)
    .default(0)
    .meta({ title: '广告审核方', labels: AD_PLATFORM_AUDIT }),
  accountCount: quota('账号数量上限'),
  deviceQuota: quota('设备数量上限'),
  beginTime: optional(dateTime('开始时间')),
  expireTime: optional(dateTime('到期时间')),
  level: choice('客户级别', TENANT_LEVEL).default(1).meta({ title: '客户级别', labels: TENANT_LEVEL }),
  intro: note('简介', 200),
  remark: note('备注', 200),
}

/** Hosts in the field `domain`, separated by commas, semicolons or spaces. */
export function parseHosts(list: string) {
  return list.split(/[\s,;，；]+/).filter(Boolean)
}

/** Fields of a tenant that the vendor edits. */
export const TenantInput = z.object(fields)
/** Fields of a tenant together with its first administrator. */
export const TenantCreateInput = TenantInput.extend({
  adminAccount: optional(accountName).meta({ title: '管理员账号', max: 30 }),
  adminName: textLine('管理员姓名', 15),
  adminMobile: optional(mobileNo).meta({ title: '管理员手机号', max: 20 }),
  adminEmail: optional(email).meta({ title: '管理员邮箱', max: 50 }),
})

export const TenantRow = z.object({
  id: z.int().meta({ title: '客户 ID' }),
  tenantNo: z.string().meta({ title: '客户编号' }),
  name: z.string().meta({ title: '客户名称' }),
  shortName: z.string().meta({ title: '简称' }),
  industryId: z.int().nullable(),
  industryName: z.string().meta({ title: '所属行业' }),
  companySize: z.int().nullable().meta({ title: '企业规模', labels: COMPANY_SIZE }),
  contactName: z.string().meta({ title: '联系人' }),
  contactPhone: z.string().meta({ title: '联系电话' }),
  contactEmail: z.string().meta({ title: '联系邮箱' }),
  level: z.int().meta({ title: '客户级别', labels: TENANT_LEVEL }),
  sceneNames: z.array(z.string()).meta({ title: '业务场景' }),
  accountCount: z.int().meta({ title: '账号数量上限' }),
  accountUsed: z.int().meta({ title: '账号数' }),
  deviceQuota: z.int().meta({ title: '设备数量上限' }),
  deviceUsed: z.int().meta({ title: '设备数' }),
  allowApply: z.int().meta({ title: '加入申请', labels: ALLOW_APPLY }),
  joinCode: z.string().meta({ title: '加入码' }),
  beginTime: z.string().nullable().meta({ title: '开始时间' }),
  expireTime: z.string().nullable().meta({ title: '到期时间' }),
  /** Days until expiry; negative after expiry; null without an expiry date. */
  daysLeft: z.int().nullable().meta({ title: '剩余天数' }),
  status: z.int().meta({ title: '状态', labels: TENANT_STATUS }),
  createTime: z.string().meta({ title: '创建时间' }),
  updateTime: z.string().meta({ title: '更新时间' }),
  remark: z.string().meta({ title: '备注' }),
  rev: z.int(),
})

export const TenantDetail = TenantRow.extend({
  adPlatformAudit: z.int().meta({ title: '广告审核方', labels: AD_PLATFORM_AUDIT }),
  licenseNumber: z.string().meta({ title: '统一社会信用代码' }),
  areaCode: z.string().meta({ title: '行政区划代码' }),
  address: z.string().meta({ title: '地址' }),
  logo: z.string().meta({ title: '客户标志' }),
  domain: z.string().meta({ title: '域名' }),
  sceneIds: z.array(z.int()),
  intro: z.string().meta({ title: '简介' }),
})

export const TenantQuery = sortedPage(['createTime', 'expireTime', 'name', 'level']).extend({
  /** Part of name, number, contact, telephone, mail address or credit code. */
  keyword: search('关键字', 64),
  name: search('客户名称', 50),
  tenantNo: search('客户编号', 20),
  contactName: search('联系人', 20),
  contactPhone: search('联系电话', 20),
  industryId: optional(id).meta({ title: '所属行业' }),
  level: optional(choice('客户级别', TENANT_LEVEL)),
  status: optional(choice('状态', TENANT_STATUS)),
  sceneId: optional(id).meta({ title: '业务场景' }),
  /** Tenants that expire within this number of days and have not expired yet. */
  expiresWithin: optional(whole('即将到期（天）', 1, 3650)).meta({ title: '即将到期（天）' }),
  ...timeRange,
})

/** Blocks of the tenant page; each is loaded separately, and only blocks that the caller may see. */
export const OVERVIEW_BLOCKS = [
  'devices',
  'licenses',
  'storage',
  'voice',
  'tickets',
  'staff',
  'logins',
  'applications',
  'appAccounts',
] as const
export type OverviewBlockKey = (typeof OVERVIEW_BLOCKS)[number]

export const OverviewBlock = z.object({
  key: z.enum(OVERVIEW_BLOCKS),
  title: z.string(),
  figures: z.array(
    z.object({
      label: z.string(),
      value: z.number(),
      tone: z.enum(['good', 'warn', 'bad']).optional(),
      /** URL of a list that shows exactly the counted rows; absent when no list can be filtered like this. */
      url: z.string().optional(),
    }),
  ),
  /** Parts of the total, largest first. */
  bars: z.array(z.object({ label: z.string(), value: z.number(), part: z.number() })),
  rows: z.array(
    z.object({
      id: z.string(),
      title: z.string(),
      detail: z.string(),
      time: z.string().nullable(),
      state: z.string(),
      tone: z.enum(['good', 'busy', 'warn', 'bad', 'none']),
      /** URL of the record. */
      url: z.string().optional(),
    }),
  ),
  /** URL of the rows; empty when no page lists them. */
  url: z.string(),
})
