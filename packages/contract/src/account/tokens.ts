import * as z from 'zod'
import type { Contract } from '../core/endpoint.ts'
import { day, id, textLine, whole } from '../core/fields.ts'
import { PermNode } from '../permission-tree.ts'
import { pswdMd5 } from './account.ts'

export const MAX_TOKENS = 20
/** Longest life of a token in days. */
export const MAX_TOKEN_DAYS = 366
const MAX_NETS = 10
/** Longest time in hours for which both secrets are valid after a rotation. */
export const MAX_ROTATION_HOURS = 72

/** An address or a network in CIDR notation: `203.0.113.7`, `10.0.0.0/8`, `2001:db8::/32`. */
const net = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()], '网段格式不正确，例如 203.0.113.0/24')

export const TokenInput = z.object({
  name: textLine('名称', 30),
  permissions: z
    .array(z.string().max(100), '请选择权限')
    .min(1, '请选择权限')
    .max(1000, '权限过多')
    .meta({ title: '权限' }),
  nets: z
    .array(net, '网段格式不正确')
    .max(MAX_NETS, `网段不能超过${MAX_NETS}个`)
    .default([])
    .meta({ title: '允许的网段' }),
  /** Last day on which the token is valid. */
  expireDay: day('有效期至'),
  pswdMd5: pswdMd5('请输入密码').meta({ title: '当前密码' }),
})

export const TokenRow = z.object({
  id: z.int(),
  name: z.string().meta({ title: '名称' }),
  prefix: z.string().meta({ title: '令牌' }),
  permissions: z.array(z.string()).meta({ title: '权限' }),
  nets: z.array(z.string()).meta({ title: '允许的网段' }),
  createTime: z.string().meta({ title: '创建时间' }),
  expireTime: z.string().meta({ title: '有效期至' }),
  lastUseTime: z.string().nullable().meta({ title: '最近使用' }),
  lastUseIp: z.string().meta({ title: '最近使用 IP' }),
  /** Time until which the secret before the last rotation is valid; null: it is not. */
  formerUntil: z.string().nullable().meta({ title: '旧令牌有效期至' }),
})
export type TokenRow = z.output<typeof TokenRow>

const secret = z.object({ id: z.int(), token: z.string() })

/** Tokens with which programs of an account call the API. No token can manage tokens. */
export const tokens = {
  list: {
    method: 'GET',
    path: '/api/v1/account/token',
    access: 'session',
    input: z.object({}),
    result: z.object({ list: z.array(TokenRow) }),
  },
  /** The permissions of the account that a token can have. */
  permissions: {
    method: 'GET',
    path: '/api/v1/account/token/permission',
    access: 'session',
    input: z.object({}),
    result: z.object({ menus: z.array(PermNode) }),
  },
  /** The secret is returned only in this response. */
  create: {
    method: 'POST',
    path: '/api/v1/account/token',
    access: 'session',
    title: '新增访问令牌',
    body: 'json',
    log: ['name', 'nets', 'expireDay'],
    perMinute: 10,
    input: TokenInput,
    result: secret,
    done: '已新增访问令牌',
  },
  /** Replaces the secret. The secret before it stays valid for `hours`. */
  rotate: {
    method: 'POST',
    path: '/api/v1/account/token/rotate/:id',
    access: 'session',
    title: '更换访问令牌',
    kind: 'edit',
    perMinute: 10,
    input: z.object({ id, hours: whole('旧令牌保留时间', 0, MAX_ROTATION_HOURS) }),
    result: secret,
    done: '已更换访问令牌',
  },
  revoke: {
    method: 'DELETE',
    path: '/api/v1/account/token/:id',
    access: 'session',
    title: '撤销访问令牌',
    kind: 'remove',
    input: z.object({ id }),
    result: z.null(),
    done: '访问令牌已撤销',
  },
} as const satisfies Contract
