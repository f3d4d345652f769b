import * as z from 'zod'
import { normalizeLine } from '../core/normalize-line.ts'

export const GENDER = { 1: '男', 2: '女' } as const

export const ACCOUNT_STATUS = { 0: '停用', 1: '启用' } as const

export const accountName = z
  .string('请输入账号')
  .trim()
  .min(1, '请输入账号')
  .min(4, '账号至少4个字符')
  .max(30, '账号不能超过30个字符')
  .regex(/^[A-Za-z0-9_.@-]+$/, '账号只能包含字母、数字和 _ . @ -')
  .meta({ title: '账号', max: 30 })

/** 11 digits of mainland China, with or without country code; other numbers with their country code. */
const MOBILE = /^((\+|00)?86[- ]?)?1[3-9]\d{9}$|^(\+(?!86)\d{1,4}[- ]?|(?!86)\d{1,4}[- ])\d{6,14}$/

/** Removes invisible characters, and the blanks or hyphens between the digits of a number of mainland China. */
function normalizeMobile(value: string) {
  const line = normalizeLine(value)
  const digits = line.replaceAll(/[ -]/g, '')
  return /^1[3-9]\d{9}$/.test(digits) ? digits : line
}

export const mobileNo = z
  .string('手机号不正确')
  .overwrite(normalizeMobile)
  .regex(MOBILE, '手机号格式不正确，应为11位手机号，境外号码加国际区号，如 +852 91234567')
  .max(20, '手机号不能超过20个字符')
  .meta({ title: '手机号', max: 20 })

export const email = z.email('邮箱格式不正确').max(50, '邮箱不能超过50个字符').meta({ title: '邮箱', max: 50 })

/** The reason why the caller may not change the account; null when the caller may. */
export const changeRefusal = z.string().nullable()

export const PickedUser = z.object({
  uid: z.int(),
  nickName: z.string().meta({ title: '昵称' }),
  realname: z.string().meta({ title: '姓名' }),
  mobileNo: z.string().meta({ title: '手机号' }),
  account: z.string().meta({ title: '账号' }),
})

/** A row of the account list over all tenants (`/system/userList`). */
export const AccountRow = z.object({
  uid: z.int().meta({ title: '账号编号' }),
  account: z.string().meta({ title: '账号' }),
  realname: z.string().meta({ title: '姓名' }),
  nickname: z.string().meta({ title: '昵称' }),
  mobileNo: z.string().nullable().meta({ title: '手机号' }),
  email: z.string().nullable().meta({ title: '邮箱' }),
  tenantId: z.int().nullable(),
  tenantName: z.string().meta({ title: '所属客户' }),
  roleNames: z.array(z.string()).meta({ title: '角色' }),
  status: z.int().meta({ title: '状态' }),
  locked: z.boolean().meta({ title: '锁定' }),
  mfaEnabled: z.boolean().meta({ title: '两步验证' }),
  lastLoginTime: z.string().nullable().meta({ title: '最近登录' }),
  lastLoginIp: z.string().nullable().meta({ title: '最近登录 IP 地址' }),
  loginCount: z.int().meta({ title: '登录次数' }),
  createTime: z.string().meta({ title: '创建时间' }),
  changeRefusal,
})

export const SessionRow = z.object({
  sessionId: z.string(),
  current: z.boolean(),
  ip: z.string().meta({ title: 'IP 地址' }),
  browser: z.string().meta({ title: '浏览器' }),
  os: z.string().meta({ title: '操作系统' }),
  loginTime: z.string().meta({ title: '登录时间' }),
  lastActiveTime: z.string().meta({ title: '最近活动' }),
})
