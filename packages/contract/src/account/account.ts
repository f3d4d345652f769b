import * as z from 'zod'
import type { Contract } from '../core/endpoint.ts'
import { choice, day, id, note, optional, optionalRev, textLine } from '../core/fields.ts'
import { Perms } from './perms.ts'
import { SessionRow } from './account-fields.ts'
import { LoginResult, Profile } from './profile.ts'
import { GENDER, accountName, mobileNo, email } from './account-fields.ts'

/** Maximum password length. ASVS requires at least 64 characters, the specification 15. */
export const PASSWORD_MAX = 15
export const PASSWORD_MIN = 8

/** MD5 hex digest of the password, computed by the client. The server treats the digest as the password. */
export const pswdMd5 = (missing: string) =>
  z
    .string(missing)
    .trim()
    .min(1, missing)
    .regex(/^[0-9a-fA-F]{32}$/, '密码格式不正确')
    .transform((value) => value.toLowerCase())

/** Profile fields that an account may change itself. */
export const ProfileInput = z.object({
  realname: textLine('姓名', 15, '请输入真实名称'),
  nickname: note('昵称', 15),
  gender: optional(choice('性别', GENDER)),
  birthday: optional(day('生日')),
  profile: note('个人简介', 200),
  address: note('地址', 200),
  avatar: optional(z.string().max(255)).meta({ title: '头像' }),
  mobileNo: optional(mobileNo),
  email: optional(email),
})

const none = z.object({})
const done = z.null()
/** Identifies a password reset: the account and the reset code that was mailed or issued by an administrator. */
const resetBy = { account: accountName, code: textLine('验证码', 32) }

export const account = {
  login: {
    method: 'POST',
    path: '/api/v1/account/login',
    access: 'public',
    body: 'form',
    title: '登录',
    log: false,
    perMinute: 10,
    input: z.object({
      account: z.string('请输入账号').trim().min(1, '请输入账号').max(64, '账号或密码错误'),
      pswdMd5: pswdMd5('请输入密码'),
      captchaId: z.string().max(64).optional(),
      captcha: z.string().max(16).optional(),
      totp: z.string().trim().max(32).optional(),
    }),
    result: LoginResult,
    done: '登录成功',
  },
  captcha: {
    method: 'GET',
    path: '/api/v1/account/captcha',
    access: 'public',
    perMinute: 30,
    input: none,
    /** `svg` is a data URL. */
    result: z.object({ captchaId: z.string(), svg: z.string() }),
  },
  register: {
    method: 'POST',
    path: '/api/v1/account/register',
    access: 'public',
    body: 'form',
    title: '注册账号',
    log: false,
    perMinute: 10,
    input: z.object({
      account: accountName,
      pswdMd5: pswdMd5('请输入密码'),
      realname: textLine('姓名', 15),
      mobileNo: optional(mobileNo),
      email: optional(email),
      captchaId: z.string('请输入图形验证码').max(64),
      captcha: textLine('图形验证码', 16),
    }),
    result: z.object({ uid: z.int() }),
    done: '注册成功，请登录',
  },
  /** Mails a reset code to the account's verified address. The response is the same when the account does not exist. */
  resetCode: {
    method: 'POST',
    path: '/api/v1/account/passwd/resetCode',
    access: 'public',
    body: 'form',
    title: '发送重置验证码',
    log: false,
    perMinute: 10,
    input: z.object({
      account: accountName,
      captchaId: z.string('请输入图形验证码').max(64),
      captcha: textLine('图形验证码', 16),
    }),
    /**
     * `mail` is false when no mail server is configured; an administrator then issues the reset code. `delayed` is
     * true while the mail server refuses mails; queued mails are sent later.
     */
    result: z.object({ mail: z.boolean(), delayed: z.boolean() }),
  },
  reset: {
    method: 'POST',
    path: '/api/v1/account/passwd/reset',
    access: 'public',
    body: 'form',
    title: '重置密码',
    log: false,
    perMinute: 10,
    input: z.object({ ...resetBy, newPswdMd5: pswdMd5('请输入新密码') }),
    result: done,
    done: '密码已重置，请登录',
  },
  modifyPassword: {
    method: 'POST',
    path: '/api/v1/account/passwd/modify',
    access: 'session',
    body: 'form',
    title: '修改密码',
    log: [],
    beforeSetup: true,
    perMinute: 10,
    input: z.object({ oldPswdMd5: pswdMd5('请输入旧密码'), newPswdMd5: pswdMd5('请输入新密码') }),
    result: done,
    done: '修改成功，请重新登录！',
  },
  detail: {
    method: 'GET',
    path: '/api/v1/account/detail/:id',
    access: 'session',
    beforeSetup: true,
    input: z.object({ id }),
    result: Profile,
  },
  modify: {
    method: 'POST',
    path: '/api/v1/account/modify/:id',
    access: 'session',
    title: '修改个人资料',
    input: ProfileInput.extend({ id, rev: optionalRev }),
    result: z.object({ rev: z.int() }),
    done: '修改成功',
  },
  logout: {
    method: 'POST',
    path: '/api/v1/account/logout',
    access: 'session',
    body: 'form',
    title: '退出登录',
    log: false,
    beforeSetup: true,
    input: none,
    result: done,
    done: '退出成功',
  },
  perms: {
    method: 'GET',
    path: '/api/v1/sys/account/perms',
    access: 'session',
    beforeSetup: true,
    input: none,
    result: Perms,
  },
  sessions: {
    method: 'GET',
    path: '/api/v1/account/session',
    access: 'session',
    beforeSetup: true,
    input: none,
    result: z.object({ list: z.array(SessionRow) }),
  },
  /** Ends one session of the caller, or all of the caller's sessions except the current one. */
  endSession: {
    method: 'DELETE',
    path: '/api/v1/account/session',
    access: 'session',
    title: '结束登录会话',
    kind: 'forceOut',
    beforeSetup: true,
    input: z.object({ sessionId: z.string().max(64).optional() }),
    result: z.object({ ended: z.int() }),
    done: '已退出所选会话',
  },
  mfaBind: {
    method: 'POST',
    path: '/api/v1/account/mfa/bind',
    access: 'session',
    title: '申请绑定两步验证',
    log: [],
    perMinute: 10,
    input: z.object({ pswdMd5: pswdMd5('请输入密码') }),
    /** `url` is the otpauth address for the QR code. Secret and address are returned only once. */
    result: z.object({ secret: z.string(), url: z.string() }),
  },
  mfaVerify: {
    method: 'POST',
    path: '/api/v1/account/mfa/verify',
    access: 'session',
    title: '启用两步验证',
    log: [],
    perMinute: 10,
    input: z.object({ totp: textLine('动态验证码', 8) }),
    result: z.object({ recoveryCodes: z.array(z.string()) }),
    done: '两步验证已启用',
  },
  mfaUnbind: {
    method: 'POST',
    path: '/api/v1/account/mfa/unbind',
    access: 'session',
    title: '关闭两步验证',
    log: [],
    perMinute: 10,
    input: z.object({ pswdMd5: pswdMd5('请输入密码'), totp: textLine('动态验证码', 32) }),
    result: done,
    done: '两步验证已关闭',
  },
  /** Console preferences stored per account: table columns, density, theme. `value` is JSON text. */
  preferences: {
    method: 'GET',
    path: '/api/v1/account/preference',
    access: 'session',
    beforeSetup: true,
    input: none,
    result: z.object({ list: z.array(z.object({ key: z.string(), value: z.string() })) }),
  },
  setPreference: {
    method: 'PUT',
    path: '/api/v1/account/preference',
    access: 'session',
    title: '保存个人设置',
    log: false,
    input: z.object({
      key: z.string('缺少设置名').regex(/^[A-Za-z0-9_./:-]{1,100}$/, '设置名不正确'),
      value: z.string('缺少设置内容').max(8000, '设置内容过长'),
    }),
    result: done,
  },
} as const satisfies Contract
