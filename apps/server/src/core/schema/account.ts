import { sql } from 'drizzle-orm'
import {
  boolean,
  date,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  serial,
  smallint,
  text,
  uniqueIndex,
  varchar,
} from 'drizzle-orm/pg-core'
import { audited, bytea, enabled, moment, remark, softDelete, tenantPolicy } from './columns.ts'

/** Accounts that log in to the console. */
export const accounts = pgTable(
  'accounts',
  {
    uid: serial().primaryKey(),
    /** Tenant of the account; null until the account joins a tenant. */
    tenantId: integer(),
    account: varchar({ length: 30 }).notNull(),
    realname: varchar({ length: 15 }).notNull().default(''),
    nickname: varchar({ length: 15 }).notNull().default(''),
    gender: smallint(),
    birthday: date({ mode: 'string' }),
    profile: varchar({ length: 200 }).notNull().default(''),
    address: varchar({ length: 200 }).notNull().default(''),
    avatar: varchar({ length: 255 }).notNull().default(''),
    mobileNo: varchar({ length: 20 }),
    email: varchar({ length: 50 }),
    status: enabled(),
    isTenantAdmin: boolean().notNull().default(false),
    /** argon2id (PHC text) of the client's MD5 hex. */
    passwordHash: text().notNull(),
    pwdUpdateTime: moment(),
    pwdMustChange: boolean().notNull().default(false),
    mfaEnabled: boolean().notNull().default(false),
    /** Encrypted with the installation's key. */
    mfaSecret: text(),
    /** SHA-256 hex of the unused recovery codes. */
    recoveryCodes: jsonb().$type<string[]>().notNull().default([]),
    expireTime: moment(),
    lastLoginTime: moment(),
    lastLoginIp: varchar({ length: 45 }),
    loginCount: integer().notNull().default(0),
    remark: remark(),
    ...audited,
    ...softDelete,
  },
  (t) => [
    uniqueIndex('accounts_account').on(sql`lower(${t.account})`).where(sql`deleted_at is null`),
    uniqueIndex('accounts_mobile').on(t.mobileNo).where(sql`deleted_at is null and mobile_no is not null`),
    uniqueIndex('accounts_email').on(sql`lower(${t.email})`).where(sql`deleted_at is null and email is not null`),
    index('accounts_tenant').on(t.tenantId, t.uid),
    index('accounts_create_time').on(t.createTime, t.uid),
    index('accounts_last_login').on(t.lastLoginTime.asc().nullsFirst(), t.uid),
  ],
)

/** Sessions of consoles and API clients. Only hashes of their secrets are stored. */
export const sessions = pgTable(
  'sessions',
  {
    id: varchar({ length: 32 }).primaryKey(),
    tokenHash: bytea().notNull(),
    /** Hash of the HttpOnly cookie; null for API clients, which send only the session ticket. */
    cookieHash: bytea(),
    uid: integer().notNull(),
    /** Tenant that this session works in. */
    tenantId: integer(),
    ip: varchar({ length: 45 }).notNull(),
    userAgent: varchar({ length: 512 }).notNull(),
    browser: varchar({ length: 50 }).notNull().default(''),
    os: varchar({ length: 50 }).notNull().default(''),
    loginTime: moment().notNull().default(sql`now()`),
    lastActiveTime: moment().notNull().default(sql`now()`),
    expireTime: moment().notNull(),
    endTime: moment(),
    /** logout | idle | expired | forced | replaced | disabled | password */
    endReason: varchar({ length: 20 }),
  },
  (t) => [
    uniqueIndex('sessions_token').on(t.tokenHash),
    index('sessions_uid').on(t.uid).where(sql`end_time is null`),
    index('sessions_live').on(t.lastActiveTime, t.id).where(sql`end_time is null`),
  ],
)

/** Tokens with which programs call the API in the name of an account. Only hashes of their secrets are stored. */
export const apiTokens = pgTable(
  'api_tokens',
  {
    id: serial().primaryKey(),
    uid: integer().notNull(),
    name: varchar({ length: 30 }).notNull(),
    /** First characters of the secret, by which people recognise the token. */
    prefix: varchar({ length: 12 }).notNull(),
    tokenHash: bytea().notNull(),
    /** Hash of the secret before the last rotation, valid until `formerUntil`. */
    formerHash: bytea(),
    formerUntil: moment(),
    /** Permission strings. The token can do what both these and the account's present rights permit. */
    permissions: text().array().notNull(),
    /** Networks from which the token is valid, in CIDR notation; empty: all networks. */
    nets: text().array().notNull(),
    createTime: moment().notNull().default(sql`now()`),
    expireTime: moment().notNull(),
    lastUseTime: moment(),
    lastUseIp: varchar({ length: 45 }).notNull().default(''),
  },
  (t) => [
    uniqueIndex('api_tokens_token').on(t.tokenHash),
    uniqueIndex('api_tokens_former').on(t.formerHash).where(sql`former_hash is not null`),
    index('api_tokens_uid').on(t.uid, t.id),
  ],
)

/** Links to the dashboard for large screens that work without a login. Only hashes of their secrets are stored. */
export const displayLinks = pgTable(
  'display_links',
  {
    id: serial().primaryKey(),
    tenantId: integer().notNull(),
    name: varchar({ length: 30 }).notNull(),
    tokenHash: bytea().notNull(),
    /** Account that created the link. The dashboard shows the data that this account may see. */
    uid: integer().notNull(),
    createTime: moment().notNull().default(sql`now()`),
    expireTime: moment().notNull(),
    revokeTime: moment(),
    lastSeenTime: moment(),
    lastSeenIp: varchar({ length: 45 }).notNull().default(''),
  },
  (t) => [
    uniqueIndex('display_links_token').on(t.tokenHash),
    index('display_links_tenant').on(t.tenantId, t.id).where(sql`revoke_time is null`),
  ],
)

/** Failed logins by account and address. Delay, captcha and lock-out use these counts. */
export const loginFailures = pgTable(
  'login_failures',
  {
    /** `a:<account lower case>` or `i:<address>` or `p:<account>|<address>`. */
    key: varchar({ length: 120 }).primaryKey(),
    count: integer().notNull(),
    lastTime: moment().notNull(),
    lockUntil: moment(),
  },
  (t) => [index('login_failures_last').on(t.lastTime)],
)

/** Short-lived challenges: captchas and password reset codes. Only hashes are stored. */
export const challenges = pgTable(
  'challenges',
  {
    id: varchar({ length: 64 }).primaryKey(),
    /** captcha | reset | totp-setup */
    kind: varchar({ length: 20 }).notNull(),
    uid: integer(),
    answerHash: bytea().notNull(),
    tries: smallint().notNull().default(0),
    expireTime: moment().notNull(),
  },
  (t) => [index('challenges_expire').on(t.expireTime), index('challenges_uid').on(t.uid, t.kind)],
)

export const preferences = pgTable(
  'preferences',
  { uid: integer().notNull(), key: varchar({ length: 100 }).notNull(), value: text().notNull() },
  (t) => [primaryKey({ name: 'preferences_pk', columns: [t.uid, t.key] })],
)

/** Named filters, order and columns of a list. `createBy` is the owner. */
export const savedViews = pgTable(
  'saved_views',
  {
    id: serial().primaryKey(),
    tenantId: integer().notNull(),
    /** URL of the page, with the tab of a page with several lists. */
    page: varchar({ length: 100 }).notNull(),
    name: varchar({ length: 20 }).notNull(),
    query: varchar({ length: 2000 }).notNull(),
    /** JSON text of the column settings. */
    columns: varchar({ length: 8000 }).notNull(),
    /** True when all accounts of the tenant see the view. */
    shared: boolean().notNull().default(false),
    ...audited,
    ...softDelete,
  },
  (t) => [
    uniqueIndex('saved_views_name').on(t.tenantId, t.createBy, t.page, t.name).where(sql`deleted_at is null`),
    tenantPolicy(),
  ],
)

export const roles = pgTable(
  'roles',
  {
    id: serial().primaryKey(),
    tenantId: integer().notNull(),
    roleName: varchar({ length: 30 }).notNull(),
    roleCode: varchar({ length: 50 }).notNull(),
    roleSort: integer().notNull().default(0),
    /** 1 all tenants, 2 own tenant, 3 chosen tenants, 4 own records. */
    dataScope: smallint().notNull().default(2),
    scopeIds: integer().array().notNull().default(sql`'{}'`),
    homeUrl: varchar({ length: 200 }).notNull().default(''),
    isBuiltin: smallint().notNull().default(0),
    status: enabled(),
    remark: remark(),
    ...audited,
    ...softDelete,
  },
  (t) => [
    uniqueIndex('roles_name').on(t.tenantId, t.roleName).where(sql`deleted_at is null`),
    uniqueIndex('roles_code').on(t.tenantId, t.roleCode).where(sql`deleted_at is null`),
    index('roles_sort').on(t.tenantId, t.roleSort, t.id),
  ],
)

export const roleMenus = pgTable('role_menus', { roleId: integer().notNull(), menuId: integer().notNull() }, (t) => [
  primaryKey({ name: 'role_menus_pk', columns: [t.roleId, t.menuId] }),
  index('role_menus_menu').on(t.menuId),
])

export const accountRoles = pgTable('account_roles', { uid: integer().notNull(), roleId: integer().notNull() }, (t) => [
  primaryKey({ name: 'account_roles_pk', columns: [t.uid, t.roleId] }),
  index('account_roles_role').on(t.roleId, t.uid),
])
