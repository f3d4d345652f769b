/** A form rule as passed by rc-form. Rule kinds that the console does not use throw an error. */
interface Rule {
  readonly required?: boolean
  readonly whitespace?: boolean
  readonly message?: unknown
  readonly validator?: (rule: Rule, value: unknown, done: (problem?: unknown) => void) => unknown
}
/**
 * Rule kinds that this validator and the form itself support. The type check refuses all others (`form-rules.ts`), and so
 * does a build (`build/antd/form-rules.ts`).
 */
export type SupportedRule = (typeof SUPPORTED_RULE_KEYS)[number]
export const SUPPORTED_RULE_KEYS = [
  'required',
  'whitespace',
  'message',
  'validator',
  'validateTrigger',
  'warningOnly',
] as const
/** The form adds `ruleIndex` to every rule. */
const KNOWN = new Set<string>([...SUPPORTED_RULE_KEYS, 'ruleIndex'])

/**
 * Replaces async-validator below antd's forms (`build/unused-parts.ts`). The contract validates values, so this class
 * only runs the rules' validators and checks required values.
 */
export default class SmallValidator {
  readonly #rules: Readonly<Record<string, readonly Rule[]>>
  static warning: unknown

  constructor(rules: Readonly<Record<string, readonly Rule[]>>) {
    this.#rules = rules
  }

  /** All rules of the console define their own message. */
  messages() {}

  async validate(values: Readonly<Record<string, unknown>>) {
    const found = Object.entries(this.#rules).flatMap(([field, rules]) =>
      rules.map(async (rule) => ({ field, problem: await problemOf(rule, values[field]) })),
    )
    const errors = (await Promise.all(found))
      .filter(({ problem }) => problem !== undefined)
      .map(({ field, problem }) => ({ field, message: problem }))
    if (errors.length > 0) throw Object.assign(new Error('invalid'), { errors })
  }
}

async function problemOf(rule: Rule, value: unknown): Promise<unknown> {
  const unknown = Object.keys(rule).find((key) => !KNOWN.has(key))
  if (unknown) throw new TypeError(`form rule without support: ${unknown}`)
  const { required, whitespace, message, validator } = rule
  if (validator) {
    const problem = await new Promise((done) => void validator(rule, value, done))
    return problem === undefined ? undefined : (message ?? textOf(problem))
  }
  const missing = value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)
  const blank = whitespace && typeof value === 'string' && value.trim() === ''
  return (required && missing) || blank ? (message ?? '请填写此项') : undefined
}

const textOf = (problem: unknown) => (problem instanceof Error ? problem.message : problem)
