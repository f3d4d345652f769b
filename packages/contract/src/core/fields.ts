import * as z from 'zod'
import { findDefaultReason } from './default-reasons.ts'
import { formatFenAsYuan } from './money.ts'
import { normalizeLine } from './normalize-line.ts'

z.config({ localeError: findDefaultReason })

/** Maximum value of a column of type `integer`. */
const MAX_ID = 2_147_483_647
const UNSAFE =
  // oxlint-disable-next-line no-control-regex -- the expression must match control characters
  /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F]|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/

/** Refuses control characters, which PostgreSQL cannot store, and lone surrogates, which UTF-8 cannot encode. */
const printable = (title: string) => [(value: string) => !UNSAFE.test(value), `${title}含有不支持的字符`] as const

/** Converts digits in a text to their number. Other notations (`0x10`, `1e3`, `1.0`, `true`, ` 1`) stay as they are. */
export const wholeNumber = (value: unknown) =>
  typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : value

/**
 * Returns a schema that also accepts its whole number as the digits of a query, a form or a path. `null`, `''`, `true`
 * and lists stay as they are, so the schema refuses them: `Number(null)` would be 0, and `Number([7])` would be 7.
 */
export const asWholeNumber = <S extends z.ZodType>(schema: S) =>
  z.preprocess(wholeNumber as (value: number) => unknown, schema)

const decimalNumber = (value: unknown) =>
  typeof value === 'string' && /^-?\d{1,15}(\.\d{1,15})?$/.test(value) ? Number(value) : value

/** The same for a number with decimals, such as `1.5`. */
export const asDecimal = <S extends z.ZodType>(schema: S) =>
  z.preprocess(decimalNumber as (value: number) => unknown, schema)

/** A whole number with one message for every wrong value. */
export const wholeWithin = (min: number, max: number, message: string) =>
  asWholeNumber(z.int(message).min(min, message).max(max, message))

/** An id with its own message. */
export const idRefusedWith = (message: string) => wholeWithin(1, MAX_ID, message)

/** An id in a path, query or form. `"7"` and `7` are equal. */
export const id = idRefusedWith('编号不正确').meta({ title: '编号' })

/** The id of another record in a form, required: a missing or invalid id is refused with `请选择…`. */
export const reference = (title: string) => idRefusedWith(`请选择${title}`).meta({ title })

/** Ids of a batch. A single value becomes a list, because a query key that occurs once arrives as a string. */
export const ids = (max = 1000) =>
  z.preprocess(
    (value) => (value === undefined || Array.isArray(value) ? value : [value]),
    z.array(id, '请选择数据').min(1, '请选择数据').max(max, `一次最多选择${max}条数据`),
  )

/** Control characters (C0, DEL and C1) and the line and paragraph separators of Unicode. */
// oxlint-disable-next-line no-control-regex -- the expression must match control characters
const NOT_ONE_LINE = /[\u0000-\u001F\u007F-\u009F\u2028\u2029]/

const ZERO_WIDTH_OR_JOINER = /[\p{Default_Ignorable_Code_Point}\uFFF9-\uFFFB]/u

/**
 * A required number or code from another system, used as a key. Nothing is trimmed: two keys must not become one. Blanks
 * at the ends, control characters (line feeds among them) and lone surrogates are refused,
 * and invisible characters, which would make two keys look alike.
 */
export const identifier = (title: string, max: number, missing = `请输入${title}`) =>
  z
    .string(missing)
    .min(1, missing)
    .max(max, `${title}不能超过${max}个字符`)
    .refine(...printable(title))
    .refine((value) => !NOT_ONE_LINE.test(value) && value.trim() === value, `${title}含有不支持的字符`)
    .refine((value) => !ZERO_WIDTH_OR_JOINER.test(value), `${title}含有看不见的字符，请重新输入`)
    .meta({ title, max })

/** Characters without a glyph of their own: blanks, formats such as the zero-width space, and combining marks. */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Z}\p{Cf}\p{M}\u2800]/gu
const isVisible = (value: string) => value.replaceAll(INVISIBLE, '') !== ''

/**
 * A required text. The message `请输入…` is used for a missing key (an untouched form field), for an empty string and for a
 * text of invisible characters.
 */
export const text = (
  title: string,
  max: number,
  missing = `请输入${title}`,
  tooLong = `${title}不能超过${max}个字符`,
) =>
  z
    .string(missing)
    .trim()
    .min(1, missing)
    .max(max, tooLong)
    .refine(isVisible, missing)
    .refine(...printable(title))
    .meta({ title, max })

/**
 * A required text of one line: a name, a number, a code. Invisible characters are removed and blanks are collapsed, so
 * that unique names also look different. Prose uses `text`.
 */
export const textLine = (
  title: string,
  max: number,
  missing = `请输入${title}`,
  tooLong = `${title}不能超过${max}个字符`,
) =>
  z
    .string(missing)
    .overwrite(normalizeLine)
    .min(1, missing)
    .max(max, tooLong)
    .refine(isVisible, missing)
    .refine(...printable(title))
    .refine((value) => !NOT_ONE_LINE.test(value), `${title}含有不支持的字符`)
    .meta({ title, max })

const freeText = (title: string, max: number) =>
  z
    .string(`${title}不正确`)
    .trim()
    .max(max, `${title}不能超过${max}个字符`)
    .refine(...printable(title))

/** An optional text. `meta` must be called last: wrappers such as `default` do not inherit metadata. */
export const note = (title: string, max: number) => freeText(title, max).default('').meta({ title, max })

/** An optional number or code of one line, such as the number of a voucher: like `textLine`, and '' without a value. */
export const noteLine = (title: string, max: number) =>
  z
    .string(`${title}不正确`)
    .overwrite(normalizeLine)
    .max(max, `${title}不能超过${max}个字符`)
    .refine(...printable(title))
    .refine((value) => !NOT_ONE_LINE.test(value), `${title}含有不支持的字符`)
    .default('')
    .meta({ title, max })

/** An optional text of an update: an absent text keeps the stored text, an empty text clears the stored text. */
export const keptNote = (title: string, max: number) => freeText(title, max).optional().meta({ title, max })

/**
 * A search text; an empty text becomes absent. Text over the limit is refused. Invisible characters are removed and blanks
 * are collapsed, as in the stored names and numbers.
 */
export const search = (title: string, max = 64) =>
  z
    .string(`${title}不正确`)
    .overwrite(normalizeLine)
    .max(max, `${title}不能超过${max}个字符`)
    .refine(...printable(title))
    .optional()
    .meta({ title, max })

/** A whole number. Its messages differ for a missing value, a number with a fraction, and any other value. */
const wholeOr = (title: string, fractional: string, wrong: string) =>
  z.int({
    error: ({ input }) => {
      if (input === undefined || input === null || input === '' || Number.isNaN(input)) return `请输入${title}`
      return typeof input === 'number' && Number.isFinite(input) ? fractional : wrong
    },
  })

/** A whole number, also accepted as text from a form or query. */
export const whole = (title: string, min: number, max: number, fractional = `${title}应为整数`) =>
  z
    .preprocess(
      wholeNumber,
      wholeOr(title, fractional, `${title}应为整数`)
        .min(min, `${title}不能小于${min}`)
        .max(max, `${title}不能大于${max}`),
    )
    .meta({ title })

/** A whole number whose only message names both limits. */
export const limited = (title: string, min: number, max: number, message: string) =>
  wholeWithin(min, max, message).meta({ title })

/**
 * An amount of money in fen, always a whole number. `unit` makes form fields, columns, spreadsheets and the operation
 * log show yuan. `max` is the largest value of a column of type `integer`: 21,474,836.47 yuan.
 */
export const money = (title: string, { min = 0, max = MAX_ID }: { min?: number; max?: number } = {}) =>
  z
    .preprocess(
      wholeNumber,
      wholeOr(title, `${title}最多两位小数`, `${title}格式不正确`)
        .min(min, `${title}不能小于${formatFenAsYuan(min)}元`)
        .max(max, `${title}不能大于${formatFenAsYuan(max)}元`),
    )
    .meta({ title, unit: 'fen' })

/** A value of a closed set of numbers, as number or digits (`"1"`). `labels` maps each value to its Chinese name. */
export function choice<const T extends Readonly<Record<number, string>>>(
  title: string,
  labels: T,
  missing = `请选择${title}`,
) {
  const values = Object.keys(labels).map(Number)
  return z
    .preprocess(
      (value) => (typeof value === 'string' && /^\d{1,4}$/.test(value) ? Number(value) : value),
      z.literal(values as (keyof T & number)[], missing),
    )
    .meta({ title, labels })
}

/** An existing time `yyyy-MM-dd HH:mm:ss` in the console's time zone. */
export const dateTime = (title: string, missing = `请选择${title}`) =>
  z
    .string(missing)
    .min(1, missing)
    .refine(isDateTime, { error: ({ input }) => describeTimeProblem(title, 'yyyy-MM-dd HH:mm:ss', input) })
    .meta({ title, format: 'date-time' })

/** An existing date `yyyy-MM-dd`. */
export const day = (title: string, missing = `请选择${title}`) =>
  z
    .string(missing)
    .min(1, missing)
    .refine((value) => isDateTime(`${value} 00:00:00`), {
      error: ({ input }) => describeTimeProblem(title, 'yyyy-MM-dd', input),
    })
    .meta({ title, format: 'date' })

/** A month `yyyy-MM`, from the same years as dates. */
export const month = (title: string, missing = `请选择${title}`) =>
  z
    .string(missing)
    .min(1, missing)
    .refine((value) => isDateTime(`${value}-01 00:00:00`), {
      error: ({ input }) => describeTimeProblem(title, 'yyyy-MM', input),
    })
    .meta({ title, format: 'month' })

/** Treats an emptied form field (`''`, null) as not sent. */
export const optional = <T extends z.ZodType>(schema: T) =>
  z
    .preprocess((value) => (value === '' || value === null ? undefined : value), schema.optional())
    .meta({ ...schema.meta() })

/** Returns why a text is no existing date or time: another format, a year before 1900, or a day or hour that is missing. */
function describeTimeProblem(title: string, format: string, value: unknown) {
  const text = String(value)
  if (text.replaceAll(/\d/g, '0') !== format.replaceAll(/[a-z]/gi, '0')) return `${title}格式应为 ${format}`
  if (Number(text.slice(0, 4)) < 1900) return `${title}不能早于1900年`
  if (format === 'yyyy-MM') return '月份不存在'
  return isDateTime(`${text.slice(0, 10)} 00:00:00`) ? '时间不存在' : '日期不存在'
}

function isDateTime(value: string) {
  const match = /^(\d{4})-(\d{2})-(\d{2}) (\d{2}):(\d{2}):(\d{2})$/.exec(value)
  if (!match) return false
  const [year, month, date, hour, minute, second] = match.slice(1).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ]
  if (year < 1900 || month < 1 || month > 12 || hour > 23 || minute > 59 || second > 59) return false
  return date >= 1 && date <= new Date(Date.UTC(year, month, 0)).getUTCDate()
}

/** The revision that the form was opened with. A save with an older revision is refused (optimistic lock). */
export const rev = wholeWithin(0, MAX_ID, '缺少版本信息，请刷新后重试').meta({ title: '修订号' })

/** Metadata of a field: Chinese title (form label, column, export header), length limit, labels, and unit of money. */
export function about(schema: z.ZodObject, field: string) {
  const { title = field, max, labels, unit, format } = (schema.shape[field] as z.ZodType | undefined)?.meta() ?? {}
  return {
    title,
    max: max as number | undefined,
    labels: labels as Readonly<Record<number, string>> | undefined,
    unit: unit as 'fen' | undefined,
    format: format as string | undefined,
  }
}
/**
 * Optional revision for calls of the specification, which defines no revision. Without a revision the save applies to
 * the stored row. An empty value is refused: a caller that lost its revision must not overwrite newer changes.
 */
export const optionalRev = rev.optional().meta({ title: '修订号' })
