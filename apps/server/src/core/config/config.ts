import { z } from 'zod'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { readSecretKey } from '#core/crypto/keys.ts'
import { parseNets } from './nets.ts'

/** An empty variable counts as absent, because compose files and unit files unset variables this way. */
const optionalVariable = z.string().optional()

/** A whole number with its allowed range in the message. */
function integerBetween(name: string, fallback: number, min: number, max: number) {
  const message = `${name} 应为 ${min}～${max} 的整数，默认 ${fallback}`
  const digits = z.string().regex(/^\d{1,9}$/, message)
  return digits.transform(Number).pipe(z.number().min(min, message).max(max, message)).default(fallback)
}

/** One of the listed words. */
function oneOf<const T extends readonly [string, ...string[]]>(name: string, values: T) {
  return z.enum(values, `${name} 应为 ${values.join('、')}${values.length > 1 ? ' 之一' : ''}`)
}

/** An address with one of these protocols. */
function buildUrlSchema(name: string, protocols: readonly string[]) {
  const message = `${name} 应为以 ${protocols.map((protocol) => `${protocol}//`).join(' 或 ')} 开头的地址`
  const fits = (text: string) => URL.canParse(text) && protocols.includes(new URL(text).protocol)
  // `postgres://user@/name?host=/folder` is the URL of a socket connection.
  return z.string().refine((text) => fits(text.replace('@/', '@localhost/')), message)
}

/** Stops the start. The message is the complete line that the operator sees. */
export class ConfigError extends Error {
  override name = 'ConfigError'
}

/** Parses hashes of certificate authorities, each for one tenant or for all: `a1b2c3d4,ACME=0f1e2d3c`. */
function issuersOf(text: string) {
  return text.split(',').map((each) => {
    const [tenant, hash] = each.includes('=') ? each.split('=', 2) : [undefined, each]
    const digits = (hash ?? '').toLowerCase().replaceAll(/[:\s]/g, '')
    return /^[0-9a-f]{8,128}$/.test(digits) && tenant?.trim() !== ''
      ? { tenant: tenant?.trim(), hash: digits }
      : undefined
  })
}

/** Parses a comma-separated list. Every entry must be valid. */
function listOf<T>(message: string, read: (text: string) => readonly (T | undefined)[]) {
  return z
    .string()
    .transform((text, context) => {
      const list = read(text).filter((each) => each !== undefined)
      if (list.length === read(text).length) return list as NonNullable<T>[]
      context.addIssue({ code: 'custom', message })
      return z.NEVER
    })
    .optional()
}

function knownTimeZone(zone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

const shape = {
  PORT: integerBetween('PORT', 8080, 0, 65_535),
  HOST: z.string().default('127.0.0.1'),
  DATA_DIR: z.string().default('./data'),
  DATABASE_URL: buildUrlSchema('DATABASE_URL', ['postgres:', 'postgresql:']).optional(),
  OMS_ADMIN_PASSWORD: z.string().min(6, 'OMS_ADMIN_PASSWORD 至少 6 个字符').optional(),
  OMS_TIME_ZONE: z
    .string()
    .refine(knownTimeZone, 'OMS_TIME_ZONE 应为 IANA 时区名，如 Asia/Shanghai')
    .default('Asia/Shanghai'),
  OMS_ROLE: oneOf('OMS_ROLE', ['console', 'device', 'all']).default('all'),
  OMS_API_DOCS: oneOf('OMS_API_DOCS', ['open']).optional(),
  OMS_METRICS: oneOf('OMS_METRICS', ['on']).optional(),
  OMS_LOG_LEVEL: oneOf('OMS_LOG_LEVEL', ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  OMS_TRUST_PROXY: z
    .string()
    .regex(/^(off|[1-9])$/, 'OMS_TRUST_PROXY 应为 off 或可信代理的层数（1～9）')
    .transform((text) => (text === 'off' ? false : Number(text)))
    .default(false),
  OMS_S3_ENDPOINT: buildUrlSchema('OMS_S3_ENDPOINT', ['http:', 'https:']).optional(),
  OMS_S3_REGION: optionalVariable,
  OMS_S3_BUCKET: optionalVariable,
  OMS_S3_ACCESS_KEY: optionalVariable,
  OMS_S3_SECRET_KEY: optionalVariable,
  OMS_S3_PREFIX: optionalVariable,
  OMS_S3_PATH_STYLE: oneOf('OMS_S3_PATH_STYLE', ['on', 'off']).optional(),
  OMS_MEDIA_DIR: optionalVariable,
  OMS_MEDIA_S3_ENDPOINT: buildUrlSchema('OMS_MEDIA_S3_ENDPOINT', ['http:', 'https:']).optional(),
  OMS_MEDIA_S3_REGION: optionalVariable,
  OMS_MEDIA_S3_BUCKET: optionalVariable,
  OMS_MEDIA_S3_ACCESS_KEY: optionalVariable,
  OMS_MEDIA_S3_SECRET_KEY: optionalVariable,
  OMS_MEDIA_S3_PREFIX: optionalVariable,
  OMS_MEDIA_S3_PATH_STYLE: oneOf('OMS_MEDIA_S3_PATH_STYLE', ['on', 'off']).optional(),
  OMS_SESSION_IDLE_MINUTES: integerBetween('OMS_SESSION_IDLE_MINUTES', 120, 1, 1440),
  OMS_SESSION_HOURS: integerBetween('OMS_SESSION_HOURS', 24, 1, 720),
  OMS_SESSIONS_PER_ACCOUNT: integerBetween('OMS_SESSIONS_PER_ACCOUNT', 5, 1, 100),
  OMS_LOGIN_CAPTCHA_AFTER: integerBetween('OMS_LOGIN_CAPTCHA_AFTER', 3, 0, 100),
  OMS_LOGIN_LOCK_AFTER: integerBetween('OMS_LOGIN_LOCK_AFTER', 5, 1, 1000),
  OMS_LOGIN_LOCK_MINUTES: integerBetween('OMS_LOGIN_LOCK_MINUTES', 10, 1, 1440),
  OMS_RATE_API: integerBetween('OMS_RATE_API', 600, 1, 1_000_000),
  OMS_RATE_LOGIN: integerBetween('OMS_RATE_LOGIN', 10, 1, 1_000_000),
  OMS_RATE_EXPORT: integerBetween('OMS_RATE_EXPORT', 20, 1, 1_000_000),
  OMS_RATE_UPLOAD: integerBetween('OMS_RATE_UPLOAD', 30, 1, 1_000_000),
  OMS_SMTP_URL: buildUrlSchema('OMS_SMTP_URL', ['smtp:', 'smtps:']).optional(),
  OMS_MAIL_FROM: optionalVariable,
  OMS_SECRET_KEY: z.string().min(32, 'OMS_SECRET_KEY 至少 32 个字符').optional(),
  OMS_SIGNING_KEY_FILE: optionalVariable,
  OMS_SIGNING_PUBLIC_KEYS: optionalVariable,
  OMS_SIGNING_REQUIRED: oneOf('OMS_SIGNING_REQUIRED', ['detached']).optional(),
  OMS_LOG_RETENTION_DAYS: integerBetween('OMS_LOG_RETENTION_DAYS', 180, 1, 36_500),
  OMS_AGENT_USAGE_DAYS: integerBetween('OMS_AGENT_USAGE_DAYS', 400, 62, 3660),
  OMS_AD_PLAY_DAYS: integerBetween('OMS_AD_PLAY_DAYS', 35, 7, 400),
  OMS_OTA_TWO_PERSON: oneOf('OMS_OTA_TWO_PERSON', ['auto', 'on', 'off']).default('auto'),
  OMS_AD_TWO_PERSON: oneOf('OMS_AD_TWO_PERSON', ['auto', 'on', 'off']).default('auto'),
  OMS_DEVICE_DOWNLOADS: integerBetween('OMS_DEVICE_DOWNLOADS', 100, 1, 10_000),
  OMS_DEVICE_BANDWIDTH: integerBetween('OMS_DEVICE_BANDWIDTH', 0, 0, 100_000_000),
  OMS_AD_DOWNLOADS: integerBetween('OMS_AD_DOWNLOADS', 200, 1, 10_000),
  OMS_AD_BANDWIDTH: integerBetween('OMS_AD_BANDWIDTH', 0, 0, 100_000_000),
  OMS_AD_POLL_SECONDS: integerBetween('OMS_AD_POLL_SECONDS', 60, 5, 3600),
  OMS_AD_DOWNLOAD_WINDOW: z
    .string()
    .regex(/^([01]\d|2[0-3]):[0-5]\d-([01]\d|2[0-3]):[0-5]\d$/, 'OMS_AD_DOWNLOAD_WINDOW 应为 00:00-06:00 的形式')
    .optional(),
  OMS_AD_SCREEN_BANDWIDTH: integerBetween('OMS_AD_SCREEN_BANDWIDTH', 0, 0, 1_000_000),
  OMS_DEVICE_CERT_PROXIES: listOf('OMS_DEVICE_CERT_PROXIES 应为以逗号分隔的代理地址或网段', parseNets),
  OMS_DEVICE_CERT_ISSUERS: listOf(
    'OMS_DEVICE_CERT_ISSUERS 应为以逗号分隔的签发者散列（十六进制），可写为 客户编号=散列',
    issuersOf,
  ),
  OMS_OUTBOUND_PRIVATE: listOf('OMS_OUTBOUND_PRIVATE 应为以逗号分隔的地址或网段', parseNets),
  OMS_MAX_CONNECTIONS: integerBetween('OMS_MAX_CONNECTIONS', 2000, 10, 100_000),
  OMS_DB_POOL: integerBetween('OMS_DB_POOL', 10, 2, 200),
  /** `npm start -- --demo` sets this variable. Operators do not set it. */
  OMS_DEMO: oneOf('OMS_DEMO', ['on']).optional(),
}

const S3_GROUPS = ['OMS_S3', 'OMS_MEDIA_S3'] as const

const environment = z.object(shape).superRefine((env, context) => {
  for (const group of S3_GROUPS) {
    const needs = (['ENDPOINT', 'REGION', 'BUCKET', 'ACCESS_KEY', 'SECRET_KEY'] as const).map(
      (name) => `${group}_${name}` as const,
    )
    const missing = needs.filter((name) => env[name] === undefined)
    const any = [...needs, `${group}_PREFIX`, `${group}_PATH_STYLE`] as const
    if (missing.length > 0 && any.some((name) => env[name] !== undefined))
      context.addIssue({ code: 'custom', message: `使用 S3 存储还须设置 ${missing.join('、')}` })
  }
  if (env.OMS_MEDIA_DIR !== undefined && env.OMS_MEDIA_S3_BUCKET !== undefined)
    context.addIssue({ code: 'custom', message: 'OMS_MEDIA_DIR 与 OMS_MEDIA_S3_* 只能设置一种' })
  if ((env.OMS_SMTP_URL === undefined) !== (env.OMS_MAIL_FROM === undefined))
    context.addIssue({ code: 'custom', message: 'OMS_SMTP_URL 与 OMS_MAIL_FROM 须同时设置' })
  if ((env.OMS_DEVICE_CERT_PROXIES === undefined) !== (env.OMS_DEVICE_CERT_ISSUERS === undefined))
    context.addIssue({
      code: 'custom',
      message: 'OMS_DEVICE_CERT_PROXIES 与 OMS_DEVICE_CERT_ISSUERS 须同时设置',
    })
  if (env.OMS_SIGNING_REQUIRED && env.OMS_SIGNING_PUBLIC_KEYS === undefined)
    context.addIssue({ code: 'custom', message: 'OMS_SIGNING_REQUIRED=detached 须同时设置 OMS_SIGNING_PUBLIC_KEYS' })
})

type Environment = z.output<typeof environment>

function s3Of(env: Environment, group: (typeof S3_GROUPS)[number]) {
  const endpoint = env[`${group}_ENDPOINT`]
  const region = env[`${group}_REGION`]
  const bucket = env[`${group}_BUCKET`]
  const accessKey = env[`${group}_ACCESS_KEY`]
  const secretKey = env[`${group}_SECRET_KEY`]
  if (!endpoint || !region || !bucket || !accessKey || !secretKey) return undefined
  const pathStyle = env[`${group}_PATH_STYLE`] !== 'off'
  return { endpoint, region, bucket, accessKey, secretKey, prefix: env[`${group}_PREFIX`] ?? '', pathStyle } as const
}

/** Returns the store of videos: a directory, a bucket of its own, or the bucket of the files. */
function mediaOf(env: Environment) {
  const mediaDir = env.OMS_MEDIA_DIR === undefined ? undefined : resolve(env.OMS_MEDIA_DIR)
  const mediaS3 = mediaDir === undefined ? (s3Of(env, 'OMS_MEDIA_S3') ?? s3Of(env, 'OMS_S3')) : undefined
  return { mediaDir, mediaS3 } as const
}

function mailOf({ OMS_SMTP_URL: url, OMS_MAIL_FROM: from }: Environment) {
  return url && from ? ({ url, from } as const) : undefined
}

/** Returns the settings of advertising. */
function adsOf(env: Environment) {
  return {
    /** Days for which single plays of ads are kept. The statistics keep sums much longer. */
    adPlayDays: env.OMS_AD_PLAY_DAYS,
    /** Whether publishing a program needs a second person. `auto`: takeovers, and more than 100 screens. */
    adTwoPerson: env.OMS_AD_TWO_PERSON,
    ads: {
      /** Number of concurrent downloads of media in this process. */
      downloads: env.OMS_AD_DOWNLOADS,
      /** Bytes per second of all downloads of media of this process; 0: only the limit of all device downloads. */
      bandwidth: env.OMS_AD_BANDWIDTH * 1024,
      pollSeconds: env.OMS_AD_POLL_SECONDS,
      /** Download limits in manifests: permitted hours of the day, and KiB per second of each screen. */
      download: { window: env.OMS_AD_DOWNLOAD_WINDOW?.split('-') ?? null, kbps: env.OMS_AD_SCREEN_BANDWIDTH },
    },
  } as const
}

/** Returns the limits of sessions, login attempts and calls. */
function accessLimitsOf(env: Environment) {
  return {
    session: {
      idleMinutes: env.OMS_SESSION_IDLE_MINUTES,
      hours: env.OMS_SESSION_HOURS,
      perAccount: env.OMS_SESSIONS_PER_ACCOUNT,
    },
    login: {
      captchaAfter: env.OMS_LOGIN_CAPTCHA_AFTER,
      lockAfter: env.OMS_LOGIN_LOCK_AFTER,
      lockMinutes: env.OMS_LOGIN_LOCK_MINUTES,
    },
    /**
     * Calls per minute: `api` and `export` per session, `login` per address, `upload` without the calls that send
     * parts.
     */
    rate: {
      api: env.OMS_RATE_API,
      login: env.OMS_RATE_LOGIN,
      export: env.OMS_RATE_EXPORT,
      upload: env.OMS_RATE_UPLOAD,
    },
  } as const
}

function signingOf(env: Environment) {
  return {
    keyFile: env.OMS_SIGNING_KEY_FILE,
    /** Paths of public key files, or of folders that contain them. */
    publicKeys: (env.OMS_SIGNING_PUBLIC_KEYS ?? '').split(',').flatMap((path) => path.trim() || []),
    detachedOnly: env.OMS_SIGNING_REQUIRED === 'detached',
  } as const
}

function build(env: Environment) {
  const dataDir = resolve(env.DATA_DIR)
  let key: Buffer | undefined
  return {
    port: env.PORT,
    host: env.HOST,
    dataDir,
    database: { url: env.DATABASE_URL },
    adminPassword: env.OMS_ADMIN_PASSWORD,
    timeZone: env.OMS_TIME_ZONE,
    role: env.OMS_ROLE,
    apiDocsOpen: env.OMS_API_DOCS === 'open',
    metrics: env.OMS_METRICS === 'on',
    logLevel: env.OMS_LOG_LEVEL,
    trustProxy: env.OMS_TRUST_PROXY,
    s3: s3Of(env, 'OMS_S3'),
    ...mediaOf(env),
    mail: mailOf(env),
    ...accessLimitsOf(env),
    signing: signingOf(env),
    logRetentionDays: env.OMS_LOG_RETENTION_DAYS,
    /** Days for which the use of agents is kept by device. Older use is kept without the device. */
    agentUsageDays: env.OMS_AGENT_USAGE_DAYS,
    /** Whether publishing needs a second person. `auto`: when the release reaches more than 100 devices. */
    otaTwoPerson: env.OMS_OTA_TWO_PERSON,
    /** Number of concurrent device downloads in this process. Further devices wait. */
    deviceDownloads: env.OMS_DEVICE_DOWNLOADS,
    /** Bytes per second shared by all downloads of this process; 0 means unlimited. */
    deviceBandwidth: env.OMS_DEVICE_BANDWIDTH * 1024,
    ...adsOf(env),
    /** Client certificates of devices as reported by these proxies. Unused while both lists are empty. */
    deviceCertificates: { proxies: env.OMS_DEVICE_CERT_PROXIES ?? [], issuers: env.OMS_DEVICE_CERT_ISSUERS ?? [] },
    /** Private networks that rows of tenants may name in outbound requests. */
    outboundPrivate: env.OMS_OUTBOUND_PRIVATE ?? [],
    maxConnections: env.OMS_MAX_CONNECTIONS,
    poolSize: env.OMS_DB_POOL,
    demo: env.OMS_DEMO === 'on',
    /** False while `secretKey` would have to create a key. */
    get hasSecretKey(): boolean {
      return env.OMS_SECRET_KEY !== undefined || existsSync(join(dataDir, 'secret.key'))
    },
    /** 32 bytes. Read at first use, so that parsing the configuration never writes a file. */
    get secretKey(): Buffer {
      key ??= readSecretKey(dataDir, env.OMS_SECRET_KEY)
      return key
    },
  } as const
}

type DeepReadonly<T> = T extends Buffer ? T : { readonly [K in keyof T]: DeepReadonly<T[K]> }
export type Config = DeepReadonly<ReturnType<typeof build>>

/** Parses the configuration. Throws a `ConfigError` with one line per wrong variable. */
export function readConfig(env: Record<string, string | undefined>): Config {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''))
  const unknown = Object.keys(given).filter((name) => name.startsWith('OMS_') && !(name in shape))
  const parsed = environment.safeParse(given)
  const lines = unknown.map((name) => `${name} 不是 OMS 认识的变量，请检查拼写`)
  if (!parsed.success) lines.push(...parsed.error.issues.map(({ message }) => message))
  if (!parsed.success || lines.length > 0) throw new ConfigError(`配置有误：${[...new Set(lines)].join('；')}`)
  return build(parsed.data)
}
