import * as z from 'zod'

/** The caller's own account, as shown on the profile page. */
export const Profile = z.object({
  uid: z.int(),
  account: z.string().meta({ title: '账号' }),
  realname: z.string().meta({ title: '姓名' }),
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
  lastLoginTime: z.string().nullable().meta({ title: '最近登录' }),
  lastLoginIp: z.string().nullable().meta({ title: '最近登录 IP 地址' }),
  createTime: z.string().meta({ title: '创建时间' }),
  rev: z.int(),
})

export const LoginResult = z.object({
  token: z.string(),
  uid: z.int(),
  account: z.string(),
  /** The tenant that the session works in; null for an account without a tenant. */
  ownerId: z.int().nullable(),
  ownerName: z.string(),
  mustChangePassword: z.boolean(),
})
