import * as z from 'zod'

/** One's own account as its profile shows it. */
export const Profile = z.object({
  uid: z.int(),
  account: z.string().meta({ title: '账号' }),
  realname: z.string().meta({ title: '真实名称' }),
  nickname: z.string().meta({ title: '昵称' }),
  gender: z.int().nullable().meta({ title: '性别' }),
  birthday: z.string().nullable().meta({ title: '生日' }),
  profile: z.string().meta({ title: '个人简介' }),
  address: z.string().meta({ title: '地址' }),
  avatar: z.string().meta({ title: '头像' }),
  mobileNo: z.string().nullable().meta({ title: '手机号' }),
  email: z.string().nullable().meta({ title: '邮箱' }),
  tenantId: z.int().nullable(),
  tenantName: z.string().meta({ title: '所属客户' }),
  roles: z.array(z.string()).meta({ title: '角色' }),
  mfaEnabled: z.boolean(),
  lastLoginTime: z.string().nullable().meta({ title: '上次登录时间' }),
  lastLoginIp: z.string().nullable().meta({ title: '上次登录地址' }),
  createTime: z.string().meta({ title: '创建时间' }),
  rev: z.int(),
})

export const LoginResult = z.object({
  token: z.string(),
  uid: z.int(),
  account: z.string(),
  /** The tenant one works in; null for an account that belongs to none yet. */
  ownerId: z.int().nullable(),
  ownerName: z.string(),
  mustChangePassword: z.boolean(),
})

export const SessionRow = z.object({
  sessionId: z.string(),
  current: z.boolean(),
  ip: z.string().meta({ title: '登录地址' }),
  browser: z.string().meta({ title: '浏览器' }),
  os: z.string().meta({ title: '操作系统' }),
  loginTime: z.string().meta({ title: '登录时间' }),
  lastActiveTime: z.string().meta({ title: '最近活动' }),
})
