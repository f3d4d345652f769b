import { findAddressSecret, hasUrlScheme } from '../../core/address-secret.ts'
import type { ProviderField } from './provider-field.ts'

/** Types of models. A small language model is an LLM in another role. */
export const MODEL_TYPES = {
  VAD: '语音活动检测',
  ASR: '语音识别',
  LLM: '大语言模型',
  VLLM: '视觉大模型',
  TTS: '语音合成',
  Memory: '记忆',
  Intent: '意图识别',
  RAG: '知识库',
} as const
export type ModelType = keyof typeof MODEL_TYPES

/** Types of providers: the types of models, and plugins of agents. */
export const PROVIDER_TYPES = { ...MODEL_TYPES, Plugin: '插件' } as const

export const FIELD_TYPES = {
  string: '文本',
  number: '数字',
  integer: '整数',
  int: '整数（int）',
  float: '小数',
  boolean: '开关',
  dict: 'JSON',
  array: '列表（分号分隔）',
  password: '密钥',
} as const satisfies Readonly<Record<ProviderField['type'], string>>

const SECRET_KEYS: ReadonlySet<string> = new Set([
  'api_key',
  'personal_access_token',
  'access_token',
  'token',
  'secret',
  'access_key_secret',
  'secret_key',
  'secret_id',
  'appkey',
  'authorization',
  'api_secret',
])
/** Language models that an intent or a memory may name in `llm`. */
export const CALLABLE_LLMS: ReadonlySet<string> = new Set(['openai', 'ollama'])
/** Language models with the interface of OpenAI, which OMS can call itself and relay. */
export const RELAYED_LLMS: ReadonlySet<string> = new Set(['openai', 'ollama', 'xinference'])
export const MAX_CONFIG_TEXT = 8000

/** Returns whether the value of the field is stored encrypted. */
export const isSecretField = ({ key, type, secret }: Pick<ProviderField, 'key' | 'type' | 'secret'>) =>
  secret === true || type === 'password' || SECRET_KEYS.has(key)

const NUMBERS: ReadonlySet<string> = new Set(['number', 'integer', 'int', 'float'])
export const isNumberField = ({ type }: Pick<ProviderField, 'type'>) => NUMBERS.has(type)

/** Returns the stored form of a value, or undefined when the value does not fit the field. Empty values become null. */
export function toConfigValue({ type }: Pick<ProviderField, 'type'>, value: unknown): unknown {
  const given = typeof value === 'string' ? value.trim() : value
  if (given === '' || given === null || given === undefined) return null
  if (NUMBERS.has(type)) return numberOf(type, given)
  if (type === 'boolean') return booleanOf(given)
  if (type === 'dict') return objectOf(given)
  if (typeof given === 'number' || typeof given === 'boolean') return String(given)
  return typeof given === 'string' && given.length <= MAX_CONFIG_TEXT ? given : undefined
}

function numberOf(type: ProviderField['type'], given: unknown) {
  const number = typeof given === 'string' && /^-?\d{1,15}(\.\d{1,10})?$/.test(given) ? Number(given) : given
  if (typeof number !== 'number' || !Number.isFinite(number)) return undefined
  return (type === 'integer' || type === 'int') && !Number.isInteger(number) ? undefined : number
}

const booleanOf = (given: unknown) =>
  typeof given === 'boolean' ? given : given === 'true' ? true : given === 'false' ? false : undefined

/** Parses JSON text. Returns objects and lists unchanged. */
function objectOf(given: unknown) {
  if (typeof given === 'object') return given
  if (typeof given !== 'string' || given.length > MAX_CONFIG_TEXT) return undefined
  try {
    const parsed: unknown = JSON.parse(given)
    const isStorable = typeof parsed === 'object' && parsed !== null && !isTooDeep(parsed) && !hasUnstorable(parsed)
    return isStorable ? parsed : undefined
  } catch {
    return undefined
  }
}

const MAX_DEPTH = 12
const isTooDeep = (value: unknown, depth = 0): boolean =>
  depth > MAX_DEPTH ||
  (typeof value === 'object' && value !== null && Object.values(value).some((each) => isTooDeep(each, depth + 1)))

/** Returns whether a text contains a null character or a lone surrogate, which PostgreSQL cannot store. */
const hasUnstorable = (value: object) => /\\u0000|\\ud[89a-f]/i.test(JSON.stringify(value))

/**
 * Converts a stored value to the type that voice servers read: texts of `dict` become objects, texts of `array` become
 * lists. Secrets of every field type are stored as text. A text that does not fit its field is returned unchanged.
 */
export function toServerValue({ type }: Pick<ProviderField, 'type'>, value: unknown): unknown {
  if (typeof value !== 'string') return value
  if (type === 'array')
    return value
      .split(';')
      .map((item) => item.trim())
      .filter(Boolean)
  return TYPED.has(type) ? (toConfigValue({ type }, value) ?? value) : value
}

const TYPED: ReadonlySet<string> = new Set([...NUMBERS, 'boolean', 'dict'])

type Config = Readonly<Record<string, unknown>>

/**
 * Returns the fields whose values are missing or invalid. An absent secret is valid, because the stored secret is
 * kept. `stored` is the saved configuration. An unchanged number is valid, also outside its range or with decimals.
 */
export const findConfigProblems = (fields: readonly ProviderField[], config: Config, stored: Config = {}) =>
  fields.flatMap((field) => {
    const msg = findFieldProblem(field, config[field.key], fields, stored[field.key])
    return msg ? [{ field: field.key, msg }] : []
  })

/**
 * Returns why a value of a field is invalid, or undefined. `fields` are all fields of the provider. A number equal to
 * `stored` is always valid: a newer definition of the field must not block changes of other fields.
 */
export function findFieldProblem(
  field: ProviderField,
  given: unknown,
  fields: readonly ProviderField[],
  stored?: unknown,
) {
  if (isUnchangedNumber(field, given, stored)) return undefined
  const value = toConfigValue(field, given)
  if (value === undefined) return `${field.label}${EXPECTED[field.type] ?? '不正确'}`
  if (isSecretField(field)) return undefined
  if (value === null) return field.required ? `请输入${field.label}` : undefined
  if (typeof value === 'number') return value === toConfigValue(field, stored) ? undefined : rangeProblem(field, value)
  return findAddressProblem(field, value, fields)
}

/** Returns whether a number equals the saved number. Type and range of the field may have changed after the save. */
const isUnchangedNumber = (field: ProviderField, given: unknown, stored: unknown) =>
  isNumberField(field) && typeof given === 'number' && given === stored

function rangeProblem({ label, min, max }: ProviderField, value: number) {
  if (typeof min === 'number' && value < min) return `${label}不能小于${min}`
  return typeof max === 'number' && value > max ? `${label}不能大于${max}` : undefined
}

/**
 * Returns why an address cannot be called or must not be stored in clear. Returns undefined for a valid address and for
 * other values.
 */
export const findAddressProblem = (field: ProviderField, value: unknown, fields: readonly ProviderField[]) =>
  credentialProblem(field, value, fields) ?? schemeProblem(field, value)

/** Schemes of the addresses that a field may contain, by the name of the field. */
const ADDRESS_SCHEMES = [
  { key: /(?:^|_)ws_url$/i, schemes: /^wss?:\/\/[^\s/]/i, expected: 'ws:// 或 wss://' },
  { key: /(?:^|_)(?:api|base)_url$/i, schemes: /^https?:\/\/[^\s/]/i, expected: 'http:// 或 https://' },
  { key: /(?:^|_)url$/i, schemes: /^(?:https?|wss?):\/\/[^\s/]/i, expected: 'http://、https://、ws:// 或 wss://' },
] as const

/**
 * Returns the error of an address without a scheme, which voice servers would read as a path. Returns undefined for
 * other values.
 */
function schemeProblem({ key, label }: ProviderField, value: unknown) {
  if (typeof value !== 'string' || value === '') return undefined
  const rule = ADDRESS_SCHEMES.find((each) => each.key.test(key))
  return rule && !rule.schemes.test(value) ? `${label}应以 ${rule.expected} 开头` : undefined
}

/**
 * Returns the error of a value that is stored and shown in clear and contains a credential. Returns undefined for a
 * value without a credential.
 */
function credentialProblem({ key, label }: ProviderField, value: unknown, fields: readonly ProviderField[]) {
  const secret = listConfigAddresses(key, value)
    .map(({ text }) => findAddressSecret(text))
    .find((each) => each !== undefined)
  return secret && `${label}不能包含${secret}，${keyHint(fields)}`
}

/** Returns the Chinese hint where to enter the credential of an address: in the first secret field of the provider. */
function keyHint(fields: readonly ProviderField[]) {
  const secretField = fields.find(isSecretField)
  return secretField ? `请填写到“${secretField.label}”` : '该接口没有密钥参数'
}

const ADDRESS_KEY = /(?:^|_)(?:url|uri|host|port|protocol|scheme|endpoint|address|server|proxy|ssl)$/i

interface ConfigAddress {
  /** Path of the value inside the configuration. */
  readonly path: string
  readonly text: string
}

/**
 * Returns the addresses in the value of a field. A text is an address when its key is named like an address, or when
 * the text has a URL scheme.
 */
export function listConfigAddresses(key: string, value: unknown, path = key): readonly ConfigAddress[] {
  if (value !== null && typeof value === 'object')
    return Object.entries(value).flatMap(([inner, each]) =>
      listConfigAddresses(Array.isArray(value) ? key : inner, each, `${path}.${inner}`),
    )
  if (value === null || value === undefined) return []
  const whole = String(value)
  const texts = whole.includes(';') ? [whole, ...whole.split(';')] : [whole]
  return texts.flatMap((text, at) =>
    ADDRESS_KEY.test(key) || hasUrlScheme(text) ? [{ path: `${path}.${at}`, text: text.trim() }] : [],
  )
}

const EXPECTED: Partial<Record<ProviderField['type'], string>> = {
  number: '应为数字',
  float: '应为数字',
  integer: '应为整数',
  int: '应为整数',
  dict: '应为 JSON 对象或列表',
}

/**
 * Returns the configuration to store, without secrets, unknown keys and empty values. A number equal to the saved
 * number of `stored` is not converted to the type of the field.
 */
export const toStoredConfig = (
  fields: readonly ProviderField[],
  config: Config,
  stored: Config = {},
): Record<string, unknown> =>
  Object.fromEntries(
    fields.flatMap((field) => {
      const given = config[field.key]
      const isUnchanged = isUnchangedNumber(field, given, stored[field.key])
      const value = isSecretField(field) ? null : isUnchanged ? given : toConfigValue(field, given)
      return value === null || value === undefined ? [] : [[field.key, value]]
    }),
  )

/** Returns the values of the form: JSON as text, and defaults of the provider for a new model. */
export const toFormConfig = (fields: readonly ProviderField[], config: Config | undefined): Record<string, unknown> =>
  Object.fromEntries(
    fields.flatMap((field) => {
      if (isSecretField(field)) return []
      const value = config ? config[field.key] : toConfigValue(field, field.default)
      if (value === null || value === undefined) return []
      return [[field.key, typeof value === 'object' ? JSON.stringify(value, null, 2) : value]]
    }),
  )
