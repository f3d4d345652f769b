import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ConfigError, readConfig } from './config.ts'

const messageOf = (env: Record<string, string>) => {
  try {
    readConfig(env)
    return ''
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError)
    return error instanceof Error ? error.message : ''
  }
}

describe('readConfig', () => {
  test('every setting has a default', () => {
    const config = readConfig({ PATH: '/bin', HOME: '/' })
    expect(config).toMatchObject({ port: 8080, host: '127.0.0.1', role: 'all', trustProxy: false, demo: false })
    expect(config.session).toEqual({ idleMinutes: 120, hours: 24, perAccount: 5 })
    expect(config.login).toEqual({ captchaAfter: 3, lockAfter: 5, lockMinutes: 10 })
    expect(config.rate).toEqual({ api: 600, login: 10, export: 20, upload: 30 })
    expect(isAbsolute(config.dataDir)).toBe(true)
    expect(config.s3).toBeUndefined()
    expect(config.mail).toBeUndefined()
  })

  test('an empty environment variable counts as absent', () => {
    expect(readConfig({ PORT: '', DATABASE_URL: '' })).toMatchObject({ port: 8080, database: { url: undefined } })
  })

  test.each([
    ['PORT', '80a'],
    ['PORT', '70000'],
    ['PORT', '-1'],
    ['DATABASE_URL', 'mysql://here'],
    ['OMS_TIME_ZONE', 'Mars/Olympus'],
    ['OMS_ROLE', 'both'],
    ['OMS_API_DOCS', 'yes'],
    ['OMS_METRICS', 'true'],
    ['OMS_TRUST_PROXY', 'all'],
    ['OMS_SECRET_KEY', 'short'],
    ['OMS_SIGNING_REQUIRED', 'yes'],
    ['OMS_SIGNING_REQUIRED', 'detached'],
    ['OMS_S3_ENDPOINT', 'here'],
    ['OMS_DB_POOL', '0'],
    ['OMS_LOG_LEVEL', 'loud'],
  ])('the error names %s when its value is %s', (name, value) => {
    expect(messageOf({ [name]: value })).toContain(name)
  })

  test('a misspelt environment variable is refused', () => {
    expect(messageOf({ OMS_RATE_APl: '1' })).toContain('OMS_RATE_APl')
  })

  test('the error for an invalid value lists the allowed values of the variable', () => {
    expect(messageOf({ OMS_DEMO: '1' })).toMatch(/OMS_DEMO 应为 on$/)
    expect(messageOf({ OMS_ROLE: 'x' })).toMatch(/OMS_ROLE 应为 \S+ 之一$/)
  })

  test('one error names all invalid variables', () => {
    const message = messageOf({ PORT: 'x', OMS_ROLE: 'x' })
    expect(message).toContain('PORT')
    expect(message).toContain('OMS_ROLE')
  })

  test('the S3 settings are accepted only when they are complete', () => {
    expect(messageOf({ OMS_S3_BUCKET: 'files' })).toContain('OMS_S3_SECRET_KEY')
    const whole = { OMS_S3_ENDPOINT: 'http://s3', OMS_S3_REGION: 'r', OMS_S3_ACCESS_KEY: 'a', OMS_S3_SECRET_KEY: 's' }
    expect(readConfig({ ...whole, OMS_S3_BUCKET: 'b' }).s3).toMatchObject({ bucket: 'b', prefix: '', pathStyle: true })
  })

  test('the mail settings are accepted only when they are complete', () => {
    expect(messageOf({ OMS_SMTP_URL: 'smtp://mail' })).toContain('OMS_MAIL_FROM')
  })

  test('the secret key is created once and readable only by its owner', () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'oms-key-'))
    try {
      const first = readConfig({ DATA_DIR: dataDir }).secretKey
      expect(first).toHaveLength(32)
      expect(readConfig({ DATA_DIR: dataDir }).secretKey.equals(first)).toBe(true)
      expect(statSync(join(dataDir, 'secret.key')).mode & 0o777).toBe(0o600)
      expect(readConfig({ DATA_DIR: dataDir, OMS_SECRET_KEY: 'x'.repeat(32) }).secretKey.equals(first)).toBe(false)
    } finally {
      rmSync(dataDir, { recursive: true })
    }
  })
})
